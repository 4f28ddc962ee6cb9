//! Why a call did not begin.

use crate::permission::spend_rules::SpendRefusal;

/// What undoes the transaction that would have marked a call as begun.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BeginRefusal {
    /// A person has stopped the turn, perhaps at another node.
    #[error("the turn should stop")]
    Stopping,
    /// The rule that permitted it once permitted another call.
    #[error("The approval for one call was already used.")]
    Spent,
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<SpendRefusal> for BeginRefusal {
    fn from(refusal: SpendRefusal) -> Self {
        match refusal {
            SpendRefusal::Spent => Self::Spent,
            SpendRefusal::Store(error) => Self::Store(error),
        }
    }
}
