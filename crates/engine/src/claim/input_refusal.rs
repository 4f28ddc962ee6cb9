//! Why an input was not taken into a session.

use crate::error::Error;

/// What undoes the transaction that would have stored an input.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputRefusal {
    #[error("too many inputs wait in the session")]
    QueueFull,
    /// A person has archived or deleted the session meanwhile.
    #[error("the session is archived, or is there no more")]
    Closed,
    /// An upload that goes with the words is not there any more.
    #[error("an upload of this input is gone")]
    UploadGone,
    /// What the input names as answered waits no longer, or not in this session.
    #[error("what this input answers does not wait for an answer")]
    NothingToAnswer,
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<InputRefusal> for Error {
    fn from(refusal: InputRefusal) -> Self {
        match refusal {
            InputRefusal::QueueFull => Self::QueueFull,
            InputRefusal::Closed => Self::NotFound("session"),
            InputRefusal::UploadGone => Self::NotFound("upload"),
            InputRefusal::NothingToAnswer => Self::Internal,
            InputRefusal::Store(store::Error::NotFound) => Self::NotFound("session"),
            InputRefusal::Store(error) => Self::Store(error),
        }
    }
}
