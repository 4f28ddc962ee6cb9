//! Why a plan was not stored.

use crate::{errands::errand_refusal::ErrandRefusal, error::Error};
use domain::CallId;

/// What undoes the transaction of a step. The worker makes another plan after each of these but the last.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommitRefusal {
    /// The plan would end a turn whose steering inputs are not all taken in.
    #[error("The reply has messages that it has not used yet.")]
    Steering,
    /// The plan would let a turn wait although it should stop.
    #[error("the turn should stop, and would wait")]
    Stopping,
    /// The plan would let a turn wait for an answer that is already there.
    #[error("A question of this reply was answered in the meantime.")]
    Answered,
    /// The plan would give an errand that cannot be given any more: its call comes to nothing, and no other one with it.
    #[error("an errand was not given: {refusal}")]
    Errand { call: CallId, refusal: ErrandRefusal },
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl CommitRefusal {
    /// Of the errand that `call` wants to give.
    pub(crate) fn of_errand(call: CallId, refusal: ErrandRefusal) -> Self {
        match refusal {
            ErrandRefusal::Store(error) => Self::Store(error),
            refusal => Self::Errand { call, refusal },
        }
    }

    /// May it have been refused because of the turn that would start with the end of this one? What is wrong with the one must
    /// not keep the other from ending.
    pub(crate) const fn may_be_of_next(&self) -> bool {
        use store::Error::{Fenced, Uncertain};
        match self {
            Self::Steering | Self::Stopping | Self::Answered | Self::Errand { .. } => false,
            Self::Store(error) => !matches!(error, Fenced | Uncertain(_)),
        }
    }
}

impl From<CommitRefusal> for Error {
    fn from(refusal: CommitRefusal) -> Self {
        match refusal {
            CommitRefusal::Store(error) => Self::Store(error),
            other => {
                tracing::warn!(refusal = %other, "a step was not stored; its turn is taken up again");
                Self::Internal
            }
        }
    }
}
