//! Why an errand was not given.

use crate::{claim::input_refusal::InputRefusal, permission::spend_rules::SpendRefusal};

/// What undoes the transaction that would have stored an errand.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ErrandRefusal {
    /// The rule that permitted it once permitted another call.
    #[error("the rule that permitted this errand once has been used")]
    Spent,
    /// Other turns of the same work gave the last ones in the meantime.
    #[error("one message has led to too many errands")]
    TooMany,
    /// The session of the other agent does not take it.
    #[error(transparent)]
    Input(InputRefusal),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl ErrandRefusal {
    /// For the model that wanted to give it.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Spent => "the approval for one call was used by another call; ask again",
            Self::TooMany => "one message has already led to as many tasks for other agents as it may",
            Self::Input(InputRefusal::QueueFull) => {
                "too many messages are queued for this agent; try again later"
            }
            Self::Input(InputRefusal::Closed) => {
                "the conversation with the other agent was archived or deleted meanwhile; ask the agent again, without a session"
            }
            Self::Input(_) | Self::Store(_) => "an internal error occurred; the other agent was not asked",
        }
    }
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
