//! Why an errand was not given.

use crate::{claim::input_refusal::InputRefusal, permission::spend_rules::SpendRefusal};

/// What undoes the transaction that would have stored an errand.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ErrandRefusal {
    /// The rule that permitted it once permitted another call.
    #[error("the rule that permitted this errand once has been used")]
    Spent,
    /// Other turns of the same work gave the last ones in the meantime.
    #[error("one message has already led to as many tasks for other agents as it may")]
    TooMany,
    /// The session of the other agent does not take it.
    #[error(transparent)]
    Input(InputRefusal),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<InputRefusal> for ErrandRefusal {
    fn from(refusal: InputRefusal) -> Self {
        match refusal {
            InputRefusal::Store(error) => Self::Store(error),
            other => Self::Input(other),
        }
    }
}

impl From<SpendRefusal> for ErrandRefusal {
    fn from(refusal: SpendRefusal) -> Self {
        match refusal {
            SpendRefusal::Spent => Self::Spent,
            SpendRefusal::Store(error) => Self::Store(error),
        }
    }
}
