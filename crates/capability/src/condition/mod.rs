//! Words that an agent is told only while something holds.
//!
//! A capability has one by [`Capability::condition`](crate::Capability::condition). It is asked before every model call
//! of a turn, also when results are fed back; what it says stands behind everything else that the model is told.

mod evaluate;
mod lexer;
mod parse;

pub use parse::{ConditionProblem, Expression};

use crate::{CapabilitySource, Settings, Values};
use domain::{Message, MessageId, Source, Timestamp};
use serde_json::Value;
use std::sync::Arc;

/// What a condition may look at.
#[derive(Clone, Debug)]
pub struct ConditionContext {
    /// What the person said last in this turn; empty when the person did not speak.
    pub message: String,
    pub source: Source,
    /// The names of the tools that were called lately, the newest first.
    pub recent_tools: Vec<String>,
    /// The agent's own prompts that the person has not answered, the newest first.
    pub unanswered: Vec<OpenPrompt>,
    /// The model call of the turn, from 1.
    pub step: u32,
    pub at: Timestamp,
    /// The person's IANA time zone.
    pub time_zone: String,
    /// What the agent sets about the capability.
    pub settings: Settings,
    /// The conversation as far as it is read, oldest first.
    pub messages: Arc<Vec<Message>>,
    /// What placeholders stand for.
    pub values: Values,
}

/// A prompt in a message of the agent that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPrompt {
    pub message_id: MessageId,
    pub prompt_id: String,
    pub question: String,
}

/// What is to be told, because the condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionWords {
    pub message: String,
    /// Facts that go with it; null for none.
    pub details: Value,
}

/// Why a condition could not be asked, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConditionError(pub String);

/// Has no state and no effects; the same context gives the same answer.
pub trait Condition: Send + Sync {
    /// When it holds, in words: shown in the session's log.
    fn describe(&self) -> String;

    /// # Errors
    /// When it cannot say; it is then left out, and the log says so.
    fn holds(&self, context: &ConditionContext) -> Result<Option<ConditionWords>, ConditionError>;
}

/// A condition of a capability that an agent has.
#[derive(Clone)]
pub struct ResolvedCondition {
    pub capability: String,
    pub source: CapabilitySource,
    pub settings: Settings,
    pub condition: Arc<dyn Condition>,
}

impl std::fmt::Debug for ResolvedCondition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "condition of {}", self.capability)
    }
}

#[cfg(test)]
#[path = "condition_tests.rs"]
mod tests;
