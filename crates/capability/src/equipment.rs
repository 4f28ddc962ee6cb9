//! What the machine and its owner's settings offer to built-ins. What is not there is listed, with what to do about it.

/// Nothing, unless `app` says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equipment {
    /// Programs can be run in a cage, or why not.
    pub programs: Result<Programs, String>,
    /// The web can be searched.
    pub web_search: bool,
}

/// What is there to be run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    pub python: bool,
    /// Brings Python's packages.
    pub uv: bool,
    pub javascript: bool,
}

impl Default for Equipment {
    fn default() -> Self {
        Self { programs: Err("the sandbox was not checked".to_owned()), web_search: false }
    }
}
