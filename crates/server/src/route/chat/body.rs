//! What such a client sends.

use crate::problem::Problem;
use axum::http::StatusCode;
use domain::Answers;
use engine::Peer;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The words that stop instead of being said.
const STOP: &str = "/stop";
/// What may come instead of words, in both spellings.
const UNHEARD: [&str; 3] = ["attachments", "files", "audio"];

/// The body as it comes. What it should look like is its schema; what is read of it is up to [`Chat::read`].
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct ChatBody(Map<String, Value>);

impl JsonSchema for ChatBody {
    fn schema_name() -> Cow<'static, str> {
        "ChatBody".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "required": ["message"],
            "properties": {
                "message": {
                    "type": "string",
                    "description": "The message. `/stop` stops the running reply; other slash commands run only for the key's own person; `//` begins a message with a slash."
                },
                "source": {
                    "type": "string",
                    "default": "cli",
                    "description": "Where the message was written; anything but `cli` needs a key of the scope `bridge`."
                },
                "sender": { "type": "string", "description": "Who wrote it there." },
                "answers": {
                    "type": "object",
                    "description": "What the message answers, as `waiting` of a 202 names it: `{\"question_id\": …}`, or `{\"approval_id\": …}` to deny it. Without it the message waits in the queue."
                }
            },
            "additionalProperties": true
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chat {
    pub(super) message: String,
    pub(super) peer: Peer,
    pub(super) answers: Option<Answers>,
    is_command: bool,
}

impl Chat {
    /// A field of the wrong type counts as absent, and fields we do not know are passed over: so it was promised to the
    /// clients.
    pub(super) fn read(ChatBody(mut fields): ChatBody) -> Result<Self, Problem> {
        let mut text = |name: &str| match fields.remove(name) {
            Some(Value::String(text)) if !text.is_empty() => Some(text),
            _ => None,
        };
        let (message, source, sender) = (text("message"), text("source"), text("sender"));
        // Not passed over: an answer that is not understood would become a message.
        let answers = match fields.remove("answers") {
            None | Some(Value::Null) => None,
            Some(written) => Some(serde_json::from_value(written).map_err(|_| bad_answers())?),
        };
        if UNHEARD.iter().any(|name| fields.get(*name).is_some_and(is_something)) {
            let detail =
                "Attachments, files and audio are not accepted here yet. Send text only, as message.";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "attachments_unsupported", detail));
        }
        let Some(message) = message else {
            let detail = "At least one of 'message', 'audio', 'attachments', or 'files' must be present";
            return Err(Problem::bad_request("empty_message", detail));
        };
        let peer = Peer::new(source, sender)?;
        // Two slashes are one that is meant.
        let doubled = message.trim_start().strip_prefix("//").filter(|_| peer.may_command());
        if let Some(rest) = doubled {
            let message = format!("/{rest}");
            return Ok(Self { message, peer, answers, is_command: false });
        }
        let is_command = peer.may_command() && message.trim_start().starts_with('/');
        Ok(Self { message, peer, answers, is_command })
    }

    /// What was typed with a slash before it.
    ///
    /// THREAT[chat-03] Only the key's own person commands: what a bridge delivers are words of others, whatever they
    /// begin with.
    pub(super) fn command(&self) -> Option<&str> {
        self.is_command.then_some(self.message.as_str())
    }

    pub(super) fn is_stop(&self) -> bool {
        // Whose words a bridge delivers may stop, too; one's own `//stop` is a message.
        (self.is_command || self.peer.is_bridged()) && self.message.trim().eq_ignore_ascii_case(STOP)
    }
}

fn bad_answers() -> Problem {
    let detail = "answers: Name one open question or approval, as {\"question_id\": \"…\"} or {\"approval_id\": \"…\"}.";
    Problem::bad_request("bad_field", detail)
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
