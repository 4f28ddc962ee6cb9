//! Work that a call gives to another agent, and waits for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of an errand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrandOutcome {
    Completed,
    Failed,
    Cancelled,
    Limit,
    /// Its time was over before there was an answer.
    Expired,
}

/// Where an errand is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrandStatus {
    /// No agent waits for an answer: it was a message.
    Sent,
    Pending,
    /// There is an answer, of which the one who waits has not been told.
    Ended,
    Delivered,
    /// The one who waited waits no longer.
    Withdrawn,
    Expired,
}

impl ErrandStatus {
    const ALL: [Self; 6] =
        [Self::Sent, Self::Pending, Self::Ended, Self::Delivered, Self::Withdrawn, Self::Expired];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Pending => "pending",
            Self::Ended => "ended",
            Self::Delivered => "delivered",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}
