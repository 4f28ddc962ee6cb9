//! One fact in a session's log.

pub mod cursor;
pub mod envelope;
pub mod kind;
pub mod stored_type;

use crate::{
    AgentId, AnsweredBy, Approval, ApprovalId, ApprovalStatus, CallId, ErrandOutcome, Injected, InputId,
    InputMode, MarkupSettings, Message, MessageId, Origin, Part, Question, QuestionId, ResultStatus, Role,
    RuleScope, SessionId, SessionKind, Source, StopReason, Timestamp, TurnError, TurnId, TurnOutcome, Usage,
};
use kind::EventKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

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
        /// `provider/model`: the model that wrote it; absent where a version wrote it that did not note that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<Box<str>>,
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
        /// Of the result of a program: how many characters it said on stdout, then on stderr, then on stdout again, and so on.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        order: Vec<u32>,
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
        /// For how long an approval holds.
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
    pub const TYPES: &'static [&'static str] = EventKind::NAMES;

    pub const fn type_name(&self) -> &'static str {
        self.kind().name()
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
                    Part::Image { .. } | Part::File { .. } | Part::Call { .. } | Part::Native { .. } => 0,
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
                    model: message.meta.model,
                    content: message.meta.shown.map_or(message.content, String::from),
                    derived_from,
                }
            }
            Role::Tool => {
                let (message_id, offset, order) = (message.id, message.offset, message.meta.order);
                let result = message.parts.into_iter().find_map(|part| match part {
                    Part::Result { call_id, name, status, content } => Some((call_id, name, status, content)),
                    _ => None,
                });
                if let Some((call_id, name, status, content)) = result {
                    return Self::ToolResult { call_id, name, status, content, order, offset };
                }
                Self::ToolResult {
                    call_id: CallId::from_uuid(*message_id.as_uuid()),
                    name: String::new(),
                    status: ResultStatus::Unknown,
                    content: message.content,
                    order,
                    offset,
                }
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
