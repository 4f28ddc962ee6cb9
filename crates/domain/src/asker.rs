//! The agent that said something to another one.

use crate::{AgentId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Set by the program, never taken from text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asker {
    pub agent_id: AgentId,
    pub name: String,
    /// The session it works in.
    pub session_id: SessionId,
    /// It waits for an answer, which is what the turn ends with.
    pub waits: bool,
}
