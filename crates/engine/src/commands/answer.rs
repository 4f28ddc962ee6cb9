//! What a command answers.

use domain::{Cursor, SessionId, TurnId};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// What became of a command.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct CommandAnswer {
    /// Its own name, also when another word for it was typed.
    pub command: &'static str,
    /// For people, in Markdown.
    pub text: String,
    /// The same for programs: what was listed, made or changed.
    pub data: Value,
    /// What a client does now, in this order.
    pub effects: Vec<CommandEffect>,
}

/// What a client does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CommandEffect {
    /// The conversation goes on in this session.
    OpenSession { session_id: SessionId },
    /// A turn has begun; its events come after the cursor.
    FollowTurn { session_id: SessionId, turn_id: TurnId, cursor: Cursor },
}

impl CommandAnswer {
    pub(crate) fn new(text: impl Into<String>, data: Value) -> Self {
        Self { command: "", text: text.into(), data, effects: Vec::new() }
    }

    pub(crate) fn opening(mut self, session_id: SessionId) -> Self {
        self.effects.push(CommandEffect::OpenSession { session_id });
        self
    }

    pub(crate) fn following(mut self, session_id: SessionId, turn_id: TurnId, after: u64) -> Self {
        let cursor = Cursor { seq: after, offset: 0 };
        self.effects.push(CommandEffect::FollowTurn { session_id, turn_id, cursor });
        self
    }
}

/// Words of people inside of ours.
///
/// THREAT[markup-11] A name may be somebody else's, who shares an agent, and may be written as a link or a picture; in a
/// span of code it stays what it is.
pub(crate) fn code_span(words: &str) -> String {
    format!("`{}`", words.replace('`', "'").replace(['\n', '\r'], " "))
}
