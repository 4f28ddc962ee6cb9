//! All the work that one input causes.

pub mod source;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    Queued,
    Running,
    /// Everything it still has to do waits for a person; no worker has it.
    Parked,
    Ended,
}

impl TurnStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Parked => "parked",
            Self::Ended => "ended",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Parked, Self::Ended]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    Completed,
    Failed,
    Cancelled,
    Limit,
}

impl TurnOutcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Limit => "limit",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Completed, Self::Failed, Self::Cancelled, Self::Limit].into_iter().find(|o| o.as_str() == text)
    }
}

/// Why a turn did not complete, for people and programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnError {
    pub code: String,
    pub message: String,
    pub retryable: bool,
}

/// How an input joins its session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputMode {
    /// A turn of its own, after those before it.
    #[default]
    Queue,
    /// Joins the running turn at its next step.
    Steer,
    /// What the waiting turn is told. Not asked for: a message becomes one when the turn waits for its person.
    Answer,
}

impl InputMode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Steer => "steer",
            Self::Answer => "answer",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Queue, Self::Steer, Self::Answer].into_iter().find(|mode| mode.as_str() == text)
    }
}
