//! A question to a person, for whose answer a call waits.

use crate::{ApprovalId, CallId, QuestionId, SessionId, Timestamp, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How long a question waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionMode {
    /// Until the person answers, however long that takes.
    Demand,
    /// Until its time is over; then the default is the answer.
    Timeout,
}

impl QuestionMode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Demand => "demand",
            Self::Timeout => "timeout",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Demand, Self::Timeout].into_iter().find(|mode| mode.as_str() == text)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionStatus {
    Pending,
    Answered,
    /// Its time was over before it was answered.
    Expired,
    /// Its turn ended before it was answered.
    Withdrawn,
}

impl QuestionStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Answered => "answered",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Pending, Self::Answered, Self::Expired, Self::Withdrawn]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// A question as its person sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub id: QuestionId,
    pub session_id: SessionId,
    pub turn_id: TurnId,
    /// The call that waits for the answer.
    pub call_id: CallId,
    pub question: String,
    pub mode: QuestionMode,
    /// How long it waits, in the mode `timeout`.
    pub timeout_ms: Option<u64>,
    /// What the agent offers to choose from; other words are an answer too.
    pub options: Vec<String>,
    /// The answer when the person gives none in time.
    pub default: Option<String>,
    pub status: QuestionStatus,
    /// Absent while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub created_at: Timestamp,
}

/// Who answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    User,
    /// No person did in time: it is the default.
    Timeout,
}

/// What a message answers: something that its author was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answers {
    /// The words are the answer.
    QuestionId(QuestionId),
    /// The words are why it is denied.
    ApprovalId(ApprovalId),
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QuestionId(id) => id.fmt(f),
            Self::ApprovalId(id) => id.fmt(f),
        }
    }
}
