//! Why an answer was not stored.

use crate::error::Error;

/// What undoes the transaction that would have stored what a turn waits for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettleRefusal {
    /// It waits no longer: it was answered before, or its turn has ended.
    #[error("this waits for no answer any more")]
    Settled,
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<SettleRefusal> for Error {
    fn from(refusal: SettleRefusal) -> Self {
        match refusal {
            SettleRefusal::Settled => Self::Internal,
            SettleRefusal::Store(error) => Self::Store(error),
        }
    }
}
