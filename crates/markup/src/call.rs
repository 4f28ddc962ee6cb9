//! What the agent asked for in its text, in the form in which it takes the road of every call.

use crate::{ElementId, Span};
use domain::Origin;
use serde_json::Value;
use std::fmt;

/// Whom an interaction addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// A tool.
    System,
    /// The person: `notify`, `ask`.
    User,
    /// This or another agent's queue.
    Agent,
    /// No tool has this name; kept so that the agent can be told which one it was.
    Other(String),
}

impl Target {
    /// From the spelling with the at sign.
    pub fn parse(text: &str) -> Self {
        match text {
            "@system" => Self::System,
            "@user" => Self::User,
            "@agent" => Self::Agent,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System => "@system",
            Self::User => "@user",
            Self::Agent => "@agent",
            Self::Other(name) => name,
        })
    }
}

/// How a call stands to the others of its message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// After those before it.
    #[default]
    InTurn,
    /// Together with the others of the same `<parallel_tool_calls>`.
    Together { group: u32 },
    /// In turn within its pipeline; pipelines run beside each other.
    Pipeline { key: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct ProposedCall {
    pub origin: Origin,
    pub target: Target,
    /// The tool, or what the person or agent is asked to do.
    pub name: String,
    /// Whatever claims to say who asks has been removed.
    pub arguments: Value,
    /// What the agent calls it: its interaction id, the element's id, or one made up. Feedback quotes it.
    pub reference: String,
    pub element_id: Option<ElementId>,
    pub order: Order,
    /// Where it stands in the message's text. Up to `span.end` the text is what the agent had written when it asked.
    pub span: Span,
}
