//! One fact in a session's log, the envelope it travels in, and the cursor by which a reader resumes.

use crate::{
    AgentId, CallId, InputId, InputMode, Message, MessageId, Origin, Part, ResultStatus, Role, SessionId,
    Source, StopReason, Timestamp, TurnError, TurnId, TurnOutcome, Usage,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{borrow::Cow, fmt, str::FromStr};

/// What an agent is doing, as its people see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

/// The durable events. In JSON: `{"type": "…", "data": {…}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum EventBody {
    InputAccepted {
        input_id: InputId,
        turn_id: TurnId,
        mode: InputMode,
        source: Source,
    },
    TurnStarted {
        source: Source,
        attempt: u32,
    },
    TurnEnded {
        outcome: TurnOutcome,
        error: Option<TurnError>,
        usage: Usage,
    },
    AgentStatus {
        state: AgentState,
    },
    UserMessage {
        message: Box<Message>,
    },
    MessageStart {
        message_id: MessageId,
        agent_id: AgentId,
        agent_name: String,
    },
    MessageRestarted {
        message_id: MessageId,
        attempt: u32,
    },
    MessageComplete {
        message_id: MessageId,
        content: String,
        elements: Vec<Value>,
        stop_reason: StopReason,
        executed_elements: u32,
    },
    ToolUseStart {
        message_id: MessageId,
        call_id: CallId,
        name: String,
        origin: Origin,
        element_id: Option<String>,
        arguments: Value,
    },
    ToolResult {
        call_id: CallId,
        name: String,
        status: ResultStatus,
        content: String,
    },
    Usage(Usage),
    /// The new values of what changed.
    SessionUpdated(Value),
    Error(TurnError),
}

impl EventBody {
    pub const TYPES: [&'static str; 13] = [
        "input_accepted",
        "turn_started",
        "turn_ended",
        "agent_status",
        "user_message",
        "message_start",
        "message_restarted",
        "message_complete",
        "tool_use_start",
        "tool_result",
        "usage",
        "session_updated",
        "error",
    ];

    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::InputAccepted { .. } => "input_accepted",
            Self::TurnStarted { .. } => "turn_started",
            Self::TurnEnded { .. } => "turn_ended",
            Self::AgentStatus { .. } => "agent_status",
            Self::UserMessage { .. } => "user_message",
            Self::MessageStart { .. } => "message_start",
            Self::MessageRestarted { .. } => "message_restarted",
            Self::MessageComplete { .. } => "message_complete",
            Self::ToolUseStart { .. } => "tool_use_start",
            Self::ToolResult { .. } => "tool_result",
            Self::Usage(_) => "usage",
            Self::SessionUpdated(_) => "session_updated",
            Self::Error(_) => "error",
        }
    }

    /// The event that a stored message is: one copy of the words serves the transcript and the log.
    pub fn of_message(message: Message) -> Self {
        match message.role {
            Role::User | Role::System => Self::UserMessage { message: Box::new(message) },
            Role::Assistant => Self::MessageComplete {
                message_id: message.id,
                elements: Vec::new(),
                stop_reason: message.stop_reason.unwrap_or(StopReason::Completed),
                executed_elements: 0,
                content: message.content,
            },
            Role::Tool => {
                let message_id = message.id;
                let result = message.parts.into_iter().find_map(|part| match part {
                    Part::Result { call_id, name, status, content } => {
                        Some(Self::ToolResult { call_id, name, status, content })
                    }
                    _ => None,
                });
                result.unwrap_or(Self::ToolResult {
                    call_id: CallId::from_uuid(*message_id.as_uuid()),
                    name: String::new(),
                    status: ResultStatus::Unknown,
                    content: message.content,
                })
            }
        }
    }
}

/// A durable event as it is kept and handed around.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub seq: u64,
    pub at: Timestamp,
    pub session_id: SessionId,
    pub turn_id: Option<TurnId>,
    pub body: EventBody,
}

/// The live pieces of an open message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveKind {
    Text,
    Thinking,
}

impl LiveKind {
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Thinking => "thinking",
        }
    }
}

/// What every stream and replay carries. `data` depends on `type`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Envelope {
    pub seq: u64,
    pub cursor: Cursor,
    pub at: Timestamp,
    pub session_id: SessionId,
    pub turn_id: Option<TurnId>,
    #[serde(flatten)]
    pub body: EnvelopeBody,
}

/// A durable event, or a live piece of the open message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EnvelopeBody {
    Durable(EventBody),
    Live(LiveBody),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum LiveBody {
    Text { message_id: MessageId, text: String },
    Thinking { message_id: MessageId, text: String },
}

impl Envelope {
    pub fn type_name(&self) -> &'static str {
        match &self.body {
            EnvelopeBody::Durable(body) => body.type_name(),
            EnvelopeBody::Live(LiveBody::Text { .. }) => LiveKind::Text.type_name(),
            EnvelopeBody::Live(LiveBody::Thinking { .. }) => LiveKind::Thinking.type_name(),
        }
    }
}

/// Where a reader is: the highest durable `seq` it has, and how many live bytes of the open message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub seq: u64,
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a cursor is a number, or two joined by a dot, for instance 41 or 41.1380")]
pub struct CursorError;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq, self.offset)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let number = |digits: &str| {
            // `u64::from_str` would take a leading plus.
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if plain { digits.parse().map_err(|_| CursorError) } else { Err(CursorError) }
        };
        match text.split_once('.') {
            Some((seq, offset)) => Ok(Self { seq: number(seq)?, offset: number(offset)? }),
            None => Ok(Self { seq: number(text)?, offset: 0 }),
        }
    }
}

impl Serialize for Cursor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Cursor {
    fn schema_name() -> Cow<'static, str> {
        "Cursor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": r"^[0-9]+(\.[0-9]+)?$",
            "description": "where a reader is: the `seq` of the newest event it has and, after a dot, how many bytes \
                            of the open message",
            "examples": ["41.1380"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_parse_strictly() {
        assert_eq!("41".parse::<Cursor>().unwrap(), Cursor { seq: 41, offset: 0 });
        assert_eq!("41.1380".parse::<Cursor>().unwrap(), Cursor { seq: 41, offset: 1380 });
        for bad in ["", ".", "1.", ".1", "-1", "+1", "1.2.3", "x", " 1", "99999999999999999999"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn an_envelope_has_type_and_data_beside_its_seq() {
        let envelope = Envelope {
            seq: 3,
            cursor: Cursor { seq: 3, offset: 0 },
            at: Timestamp::from_millis(0),
            session_id: SessionId::from_uuid(uuid::Uuid::nil()),
            turn_id: None,
            body: EnvelopeBody::Durable(EventBody::AgentStatus { state: AgentState::Working }),
        };
        let json = serde_json::to_value(&envelope).unwrap();
        assert_eq!(json["type"], "agent_status");
        assert_eq!(json["data"]["state"], "working");
        assert_eq!(json["cursor"], "3.0");
        assert_eq!(serde_json::from_value::<Envelope>(json).unwrap(), envelope);
    }
}
