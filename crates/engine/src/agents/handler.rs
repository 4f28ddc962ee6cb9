//! The strategies that run turns, by their ids.

/// Chosen per agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handler {
    /// The prompt is put together from the tree, the model is asked, its calls are run, and so on until it is done.
    Basic,
}

impl Handler {
    pub(crate) const ALL: [Self; 1] = [Self::Basic];

    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Basic => domain::Agent::BASIC_HANDLER,
        }
    }

    pub(crate) fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|handler| handler.id() == id)
    }

    /// For a client that has named another.
    pub(crate) fn unknown(id: &str) -> String {
        let known = Self::ALL.map(|handler| format!("{:?}", handler.id())).join(", ");
        let shown: String = id.chars().take(80).collect();
        format!("There is no handler {shown:?}. handler must be one of {known}.")
    }
}
