//! One fact in a session's log, the envelope it travels in, and the cursor by which a reader resumes.

use crate::{
    AgentId, AnsweredBy, Approval, ApprovalId, ApprovalStatus, CallId, ErrandOutcome, Injected, InputId,
    InputMode, MarkupSettings, Message, MessageId, Origin, Part, Question, QuestionId, ResultStatus, Role,
    RuleScope, SessionId, SessionKind, Source, StopReason, Timestamp, TurnError, TurnId, TurnOutcome, Usage,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap, fmt, str::FromStr};

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

/// The model has failed and is asked again after a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retrying {
    /// How often it is asked in all before the turn is given up.
    pub of: u32,
    pub wait_ms: u64,
    /// Why it failed.
    pub error: TurnError,
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
        /// Where the model has failed and is asked again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry: Option<Box<Retrying>>,
    },
    MessageComplete {
        message_id: MessageId,
        content: String,
        elements: Vec<Value>,
        stop_reason: StopReason,
        /// How many calls its elements made.
        executed_elements: u32,
        /// What the elements are made from when they are shown.
        #[serde(skip)]
        derived_from: DerivedFrom,
    },
    ElementExecuting {
        message_id: MessageId,
        id: String,
        #[serde(rename = "type")]
        kind: String,
        call_id: CallId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    ElementResult {
        message_id: MessageId,
        id: String,
        #[serde(rename = "type")]
        kind: String,
        call_id: CallId,
        result: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    /// The call of an element did not succeed. A fault of the text itself is a live event of the same name.
    ElementError {
        message_id: MessageId,
        id: String,
        #[serde(rename = "type")]
        kind: String,
        error: String,
        call_id: CallId,
        status: ResultStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    ToolUseStart {
        message_id: MessageId,
        call_id: CallId,
        name: String,
        origin: Origin,
        element_id: Option<String>,
        arguments: Value,
        /// Where in the open message it was made, as cursors count; absent when the message was complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    ToolResult {
        call_id: CallId,
        name: String,
        status: ResultStatus,
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    QuestionPrompt {
        #[serde(flatten)]
        question: Box<Question>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    QuestionAnswered {
        question_id: QuestionId,
        answer: String,
        by: AnsweredBy,
    },
    ApprovalRequest {
        #[serde(flatten)]
        approval: Box<Approval>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        offset: Option<u64>,
    },
    ApprovalResult {
        approval_id: ApprovalId,
        decision: ApprovalStatus,
        by: AnsweredBy,
        /// For how long a yes holds.
        scope: Option<RuleScope>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A person answered a prompt in a message.
    PromptUpdated {
        message_id: MessageId,
        prompt_id: String,
        answer: String,
    },
    /// What the model was told in addition, because a condition held.
    AbilityInjected {
        message_id: MessageId,
        abilities: Vec<Injected>,
        /// The names of those that held, too, and for which there was no room.
        left_out: Vec<String>,
    },
    /// A call gave work to another agent, and waits for it.
    ErrandStarted {
        call_id: CallId,
        /// Where the other agent works on it.
        session_id: SessionId,
        agent_id: AgentId,
        agent_name: String,
        kind: SessionKind,
    },
    /// It waits no longer: this came of it.
    ErrandEnded {
        call_id: CallId,
        session_id: SessionId,
        outcome: ErrandOutcome,
    },
    Usage(Usage),
    /// The earlier part of the conversation is told as a summary from now on.
    CompactionComplete {
        /// The last message that the summary stands for.
        up_to_seq: u64,
        summary_tokens: u64,
        /// Counts up; a summary holds what the ones before it held.
        generation: u64,
        /// How it was made: 1 = a summary in sections, 2 = bullets, 3 = cut without a model.
        level: u32,
    },
    /// The new values of what changed.
    SessionUpdated(Value),
    Error(TurnError),
}

impl EventBody {
    pub const TYPES: [&'static str; 25] = [
        "input_accepted",
        "turn_started",
        "turn_ended",
        "agent_status",
        "user_message",
        "message_start",
        "message_restarted",
        "message_complete",
        "element_executing",
        "element_result",
        "element_error",
        "tool_use_start",
        "tool_result",
        "question_prompt",
        "question_answered",
        "approval_request",
        "approval_result",
        "prompt_updated",
        "ability_injected",
        "errand_started",
        "errand_ended",
        "usage",
        "compaction_complete",
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
            Self::ElementExecuting { .. } => "element_executing",
            Self::ElementResult { .. } => "element_result",
            Self::ElementError { .. } => "element_error",
            Self::ToolUseStart { .. } => "tool_use_start",
            Self::ToolResult { .. } => "tool_result",
            Self::QuestionPrompt { .. } => "question_prompt",
            Self::QuestionAnswered { .. } => "question_answered",
            Self::ApprovalRequest { .. } => "approval_request",
            Self::ApprovalResult { .. } => "approval_result",
            Self::PromptUpdated { .. } => "prompt_updated",
            Self::AbilityInjected { .. } => "ability_injected",
            Self::ErrandStarted { .. } => "errand_started",
            Self::ErrandEnded { .. } => "errand_ended",
            Self::Usage(_) => "usage",
            Self::CompactionComplete { .. } => "compaction_complete",
            Self::SessionUpdated(_) => "session_updated",
            Self::Error(_) => "error",
        }
    }

    /// How far the open message was when this happened to it, as cursors count.
    pub const fn offset(&self) -> Option<u64> {
        match self {
            Self::ElementExecuting { offset, .. }
            | Self::ElementResult { offset, .. }
            | Self::ElementError { offset, .. }
            | Self::ToolUseStart { offset, .. }
            | Self::ToolResult { offset, .. }
            | Self::QuestionPrompt { offset, .. }
            | Self::ApprovalRequest { offset, .. } => *offset,
            _ => None,
        }
    }

    /// How many bytes of words it has, about; what has few has none.
    pub fn weight(&self) -> usize {
        match self {
            Self::UserMessage { message } => {
                let words = |part: &Part| match part {
                    Part::Text { text } | Part::Thinking { text } => text.len(),
                    Part::Result { content, .. } => content.len(),
                    Part::Image { .. } | Part::Call { .. } | Part::Native { .. } => 0,
                };
                message.parts.iter().map(words).fold(message.content.len(), usize::saturating_add)
            }
            // Its elements hold most of the content once more.
            Self::MessageComplete { content, elements, .. } => {
                content.len().saturating_mul(if elements.is_empty() { 1 } else { 3 })
            }
            Self::ElementResult { result: text, .. }
            | Self::ElementError { error: text, .. }
            | Self::ToolResult { content: text, .. }
            | Self::QuestionAnswered { answer: text, .. }
            | Self::PromptUpdated { answer: text, .. } => text.len(),
            Self::ToolUseStart { arguments, .. } => weight_of(arguments),
            Self::ApprovalRequest { approval, .. } => weight_of(&approval.arguments),
            _ => 0,
        }
    }

    /// The event that a stored message is: one copy of the words serves the transcript and the log.
    pub fn of_message(message: Message) -> Self {
        match message.role {
            Role::User | Role::System => Self::UserMessage { message: Box::new(message) },
            Role::Assistant => {
                let derived_from = DerivedFrom::of(&message);
                Self::MessageComplete {
                    message_id: message.id,
                    elements: message.elements,
                    stop_reason: message.stop_reason.unwrap_or(StopReason::Completed),
                    executed_elements: u32::try_from(derived_from.calls.len()).unwrap_or(u32::MAX),
                    content: message.meta.shown.map_or(message.content, String::from),
                    derived_from,
                }
            }
            Role::Tool => {
                let (message_id, offset) = (message.id, message.offset);
                let result = message.parts.into_iter().find_map(|part| match part {
                    Part::Result { call_id, name, status, content } => {
                        Some(Self::ToolResult { call_id, name, status, content, offset })
                    }
                    _ => None,
                });
                result.unwrap_or(Self::ToolResult {
                    call_id: CallId::from_uuid(*message_id.as_uuid()),
                    name: String::new(),
                    status: ResultStatus::Unknown,
                    content: message.content,
                    offset,
                })
            }
        }
    }
}

fn weight_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight_of).fold(0, usize::saturating_add),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| name.len().saturating_add(weight_of(value));
            fields.iter().map(field).fold(0, usize::saturating_add)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// What the elements of a message are made from besides its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DerivedFrom {
    /// How the text was read; `None` when it is plain words.
    pub markup: Option<MarkupSettings>,
    /// The call of each element that made one.
    pub calls: BTreeMap<String, CallId>,
}

impl DerivedFrom {
    pub fn of(message: &Message) -> Self {
        let made = message.parts.iter().filter_map(|part| match part {
            Part::Call { call_id, element_id: Some(element), .. } => Some((element.clone(), *call_id)),
            _ => None,
        });
        Self { markup: message.markup, calls: made.collect() }
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

/// Where a reader is: the highest durable `seq` it has, and how many live bytes of the open message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub seq: u64,
    pub offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("A cursor must be a number, or two numbers joined by a dot, for instance 41 or 41.1380.")]
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
