//! What streams and replays carry: a durable event, or a live piece of the open message, with the cursor behind it.

use crate::{CallId, Cursor, EventBody, MessageId, SessionId, Timestamp, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    Text {
        message_id: MessageId,
        text: String,
    },
    Thinking {
        message_id: MessageId,
        text: String,
    },
    ElementStart {
        message_id: MessageId,
        id: String,
        parent_id: Option<String>,
        #[serde(rename = "type")]
        kind: String,
        attributes: Value,
        executable: bool,
    },
    ElementUpdate {
        message_id: MessageId,
        id: String,
        delta: String,
    },
    ElementComplete {
        message_id: MessageId,
        id: String,
        #[serde(rename = "type")]
        kind: String,
        /// Of an element whose content adds to those of its start: a prompt and its options.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attributes: Option<Value>,
        content: String,
        executable: bool,
        duration_ms: u64,
    },
    /// What a running call says. It is no part of a message, and no cursor counts it; its result has the whole.
    ToolOutput {
        call_id: CallId,
        /// Bytes of what it said before.
        offset: u64,
        delta: String,
    },
    /// The text of an element is not as it should be.
    ElementError {
        message_id: MessageId,
        id: Option<String>,
        #[serde(rename = "type")]
        kind: String,
        error: String,
    },
}

impl LiveBody {
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Text { .. } => LiveKind::Text.type_name(),
            Self::Thinking { .. } => LiveKind::Thinking.type_name(),
            Self::ElementStart { .. } => "element_start",
            Self::ElementUpdate { .. } => "element_update",
            Self::ElementComplete { .. } => "element_complete",
            Self::ElementError { .. } => "element_error",
            Self::ToolOutput { .. } => "tool_output",
        }
    }
}

impl Envelope {
    pub fn type_name(&self) -> &'static str {
        match &self.body {
            EnvelopeBody::Durable(body) => body.type_name(),
            EnvelopeBody::Live(body) => body.type_name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AgentState;

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
