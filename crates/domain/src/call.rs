//! The agent's request to run a tool, in whichever syntax it was made.

use crate::{CallId, MessageId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The syntax a call was made in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Native,
    Element,
    Interaction,
    Assertion,
    Pattern,
}

/// What may be done again after a crash. The default is the careful one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Only looks: runs again.
    Read,
    /// Changes our own database, together with its result: runs again, because nothing was committed.
    Txn,
    /// The target honours a key: runs again with the same key.
    Idem,
    /// Changes the world: never runs again; its outcome becomes unknown, which is shown to the person.
    #[default]
    Effect,
}

impl EffectClass {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Txn => "txn",
            Self::Idem => "idem",
            Self::Effect => "effect",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Read, Self::Txn, Self::Idem, Self::Effect].into_iter().find(|class| class.as_str() == text)
    }

    /// May a call that had started be started again after a crash?
    pub const fn runs_again(self) -> bool {
        !matches!(self, Self::Effect)
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultStatus {
    Ok,
    Error,
    Denied,
    /// Interrupted after it had started; whether it had its effect is not known.
    Unknown,
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Its intent is stored, it has not begun.
    Pending,
    /// It waits for a person.
    Waiting,
    /// It has begun.
    Running,
    Ok,
    Error,
    Denied,
    Unknown,
}

impl CallStatus {
    const ALL: [Self; 7] =
        [Self::Pending, Self::Waiting, Self::Running, Self::Ok, Self::Error, Self::Denied, Self::Unknown];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Unknown => "unknown",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl From<ResultStatus> for CallStatus {
    fn from(status: ResultStatus) -> Self {
        match status {
            ResultStatus::Ok => Self::Ok,
            ResultStatus::Error => Self::Error,
            ResultStatus::Denied => Self::Denied,
            ResultStatus::Unknown => Self::Unknown,
        }
    }
}

/// A call as the API shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    pub call_id: CallId,
    pub message_id: MessageId,
    pub name: String,
    pub origin: Origin,
    pub arguments: Value,
    pub status: CallStatus,
    pub content: Option<String>,
    pub duration_ms: Option<u64>,
}
