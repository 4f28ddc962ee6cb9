//! Other agents: the port through which a call writes to them, and what a call that waits for one asks.

use crate::ToolError;
use async_trait::async_trait;
use domain::{AgentId, SessionId};
use serde::{Deserialize, Serialize};

/// Another agent, by how the model named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colleague {
    /// Its name, or its id.
    pub agent: String,
    /// Only one of these may be meant; none = whichever the person may talk to.
    pub among: Option<Vec<String>>,
}

/// Who is to do the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Helper {
    /// An agent that a person set up, with the rights it was given there.
    Colleague(Colleague),
    /// The one that worked in this session before, for the same agent.
    Again(SessionId),
    /// One that is made for it, with some of the rights of the agent that makes it.
    Subagent(NewSubagent),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSubagent {
    pub name: Option<String>,
    pub instructions: String,
    pub tools: Vec<String>,
    pub model: Option<String>,
}

/// Work for another agent. The call that gives it waits for the answer, and nothing of it is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errand {
    pub to: Helper,
    pub task: String,
    /// How long the call waits.
    pub seconds: u64,
}

/// An agent that can be written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAgent {
    pub agent_id: AgentId,
    pub name: String,
}

/// A message that is on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentMessage {
    pub agent: KnownAgent,
    /// Where the other agent reads it.
    pub session_id: SessionId,
}

/// To whom a message goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addressee {
    Colleague(Colleague),
    /// The agent itself: it reads the message as the next turn of its own session.
    Oneself,
}

/// Whose colleagues, and on behalf of which call, is fixed when the port is made.
#[async_trait]
pub trait Colleagues: Send + Sync {
    /// The agents that the person may talk to, without the one that asks.
    async fn list(&self) -> Result<Vec<KnownAgent>, ToolError>;

    /// Puts a message into the other agent's queue, once however often the call runs.
    async fn send(&self, to: Addressee, message: String) -> Result<SentMessage, ToolError>;
}
