//! What a capability does at the fixed moments of a turn.
//!
//! A hook has no state and no effects of its own: everything it knows is in what it is given, everything it does is in
//! what it gives back. It may run again for the same moment after a crash. One that fails, panics or takes too long is
//! left out, the session's log says so, and the turn goes on.

use async_trait::async_trait;
use domain::{
    AgentId, AgentState, CallId, Message, PromptNode, ResultStatus, SessionId, Source, Timestamp, TurnId,
    UserId,
};
use serde_json::{Map, Value};
use std::sync::Arc;

/// When a hook is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// A person's message is about to be told to the model for the first time.
    UserMessageReceived,
    AgentStatusChanged,
    /// The tree of the prompt is complete; each hook may change it, in the agent's order.
    ProcessPrompts,
    /// The same once more, when all of them have.
    FinalizePrompts,
    /// The model has written something.
    ResponseUpdate,
    /// The model has finished its message.
    ResponseComplete,
    /// A call has its result.
    ToolExecuted,
    /// After `ResponseComplete`: each hook may change what is shown of the reply.
    PostProcess,
}

impl Moment {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UserMessageReceived => "user_message_received",
            Self::AgentStatusChanged => "agent_status_changed",
            Self::ProcessPrompts => "process_prompts",
            Self::FinalizePrompts => "finalize_prompts",
            Self::ResponseUpdate => "response_update",
            Self::ResponseComplete => "response_complete",
            Self::ToolExecuted => "tool_executed",
            Self::PostProcess => "post_process",
        }
    }
}

/// Where a hook is run, and for whom.
#[derive(Clone, Debug)]
pub struct HookContext {
    pub user_id: UserId,
    /// None in a preview without a session.
    pub session_id: Option<SessionId>,
    pub turn_id: TurnId,
    pub agent_id: AgentId,
    /// Where the turn was begun.
    pub source: Source,
    /// The model call of the turn, from 1.
    pub step: u32,
    /// When this prompt is built; the only clock a hook has.
    pub at: Timestamp,
    /// The person's IANA time zone.
    pub time_zone: String,
    /// What the agent sets about this capability.
    pub settings: Map<String, Value>,
    /// The conversation as far as it is read, the current turn included, oldest first. Empty where the moment has nothing
    /// to do with the prompt.
    pub messages: Arc<Vec<Message>>,
}

/// What the model wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub text: String,
    /// The names of the tools it calls.
    pub calls: Vec<String>,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    pub call_id: CallId,
    pub name: String,
    pub arguments: Value,
    pub status: ResultStatus,
    pub content: String,
}

/// What a hook asks the turn for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Ask the model once more, within the limits of the turn.
    pub another_round: bool,
    /// How many further model calls the message, or the result, takes part in.
    pub duration: Option<u32>,
}

/// Why a hook gave up, in words for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);

pub type HookResult<T> = Result<T, HookError>;

#[async_trait]
pub trait Hook: Send + Sync {
    /// At which moments it is run; at others it costs nothing.
    fn moments(&self) -> &'static [Moment];

    async fn user_message_received(&self, _context: &HookContext, _message: &Message) -> HookResult<()> {
        Ok(())
    }

    async fn agent_status_changed(&self, _context: &HookContext, _state: AgentState) -> HookResult<()> {
        Ok(())
    }

    /// Gives back the tree as it should be. A node of the conversation can be moved, left out or switched off; its words
    /// stay what was said, and the current turn is always told.
    async fn process_prompts(
        &self,
        _context: &HookContext,
        tree: Vec<PromptNode>,
    ) -> HookResult<Vec<PromptNode>> {
        Ok(tree)
    }

    async fn finalize_prompts(
        &self,
        _context: &HookContext,
        tree: Vec<PromptNode>,
    ) -> HookResult<Vec<PromptNode>> {
        Ok(tree)
    }

    /// `new` is what has come since the last time.
    async fn response_update(&self, _context: &HookContext, _new: &str) -> HookResult<()> {
        Ok(())
    }

    async fn response_complete(&self, _context: &HookContext, _response: &Response) -> HookResult<Wish> {
        Ok(Wish::default())
    }

    async fn tool_executed(&self, _context: &HookContext, _execution: &Execution) -> HookResult<Wish> {
        Ok(Wish::default())
    }

    /// `parts` are the agent's response nodes.
    async fn post_process(
        &self,
        _context: &HookContext,
        _response: &Response,
        _parts: &[PromptNode],
    ) -> HookResult<Wish> {
        Ok(Wish::default())
    }
}

/// A hook of a capability that an agent has.
#[derive(Clone)]
pub struct ResolvedHook {
    pub capability: String,
    pub settings: Map<String, Value>,
    pub hook: Arc<dyn Hook>,
}

impl std::fmt::Debug for ResolvedHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "hook of {}", self.capability)
    }
}
