//! One durable conversation with an agent.

pub mod folder;

use crate::{AgentId, Keeping, Label, Narrowing, Role, SessionId, Timestamp, Usage, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Idle,
    Working,
    InputRequired,
    Failed,
}

impl SessionStatus {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Idle, Self::Working, Self::InputRequired, Self::Failed]
            .into_iter()
            .find(|s| s.as_str() == text)
    }
}

/// Whose conversation with the agent it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionKind {
    /// A person's.
    #[default]
    Own,
    /// That of another agent, which works in the session `parent_id`.
    Colleague,
    /// The same, with an agent that the other one made for it.
    Subagent,
}

impl SessionKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Colleague => "colleague",
            Self::Subagent => "subagent",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Own, Self::Colleague, Self::Subagent].into_iter().find(|kind| kind.as_str() == text)
    }
}

impl FromStr for SessionKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::parse(text).ok_or(())
    }
}

/// The newest message of a session, shortened for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastMessage {
    /// Beyond the session's `read_seq` it is unread.
    pub seq: u64,
    pub role: Role,
    pub content: String,
    pub created_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Session {
    pub id: SessionId,
    /// Whose session it is; not part of the public object.
    #[serde(skip_serializing)]
    pub user_id: UserId,
    pub name: Option<String>,
    pub agent_id: AgentId,
    /// The handler that runs its turns, where it is another than the agent's.
    pub handler: Option<String>,
    /// `provider/model` that its person chose; none = the agent's.
    #[serde(default)]
    pub model: Option<String>,
    pub status: SessionStatus,
    pub archived: bool,
    #[serde(default)]
    pub kind: SessionKind,
    /// The session it was forked from, or whose agent made it.
    pub parent_id: Option<SessionId>,
    /// What its agent is narrowed to; not part of the public object.
    #[serde(skip)]
    pub narrowing: Option<Box<Narrowing>>,
    pub message_count: u64,
    /// The newest event's `seq`.
    pub last_seq: u64,
    /// How far its user has read.
    pub read_seq: u64,
    pub last_message: Option<LastMessage>,
    pub usage: Usage,
    /// The worst label in it.
    pub label: Label,
    /// Up to which event its person has declared what it holds trusted; 0 = nothing was declared.
    pub trusted_seq: u64,
    /// Up to which event labels were made by older rules, which trusted more: nothing of that counts as trusted unless
    /// its person has declared it so. Not part of the public object.
    #[serde(skip)]
    pub doubted_seq: u64,
    /// Its person says that they wrote the files, pictures and long texts which they add. Otherwise those count as
    /// written by others.
    #[serde(default)]
    pub own_files: bool,
    /// Its agent is told what is known of its person, and may write down more.
    #[serde(default = "yes")]
    pub memory: bool,
    #[serde(flatten)]
    pub keeping: Keeping,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

const fn yes() -> bool {
    true
}
