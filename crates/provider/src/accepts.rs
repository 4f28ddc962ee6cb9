//! What a model takes beyond words, as far as it is known. What it does not take is not sent to it.

/// The ways in which a model can be told how much to think.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// Nothing is known.
    #[default]
    Unknown,
    /// It cannot be told.
    Fixed,
    /// One of these words.
    Efforts(Vec<String>),
    /// A number of tokens.
    Budget,
    /// It decides by itself, guided by an effort.
    Adaptive {
        /// It cannot be kept from thinking.
        always: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Accepts {
    pub(crate) images: bool,
    /// `temperature` and `top_p`.
    pub(crate) sampling: bool,
    /// The output limit is called `max_completion_tokens` and `max_tokens` is refused.
    pub(crate) completion_limit: bool,
    pub(crate) thinking: Thinking,
    /// Tokens of one answer; absent = not known.
    pub(crate) max_output: Option<u64>,
}

impl Default for Accepts {
    fn default() -> Self {
        Self {
            images: false,
            sampling: true,
            completion_limit: false,
            thinking: Thinking::Unknown,
            max_output: None,
        }
    }
}

impl Accepts {
    /// The names under which people see it.
    pub(crate) fn abilities(&self) -> Vec<String> {
        let thinks = !matches!(self.thinking, Thinking::Unknown | Thinking::Fixed);
        let named = [("tools", true), ("images", self.images), ("reasoning", thinks)];
        named.into_iter().filter(|(_, known)| *known).map(|(name, _)| name.to_owned()).collect()
    }
}
