//! What can go wrong where markup is written, not read: reading takes any text.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("this message has no prompt {id:?}")]
    PromptNotFound { id: String },
}
