//! One entry of a session's transcript, and the pieces it is made of.

use crate::{
    Asker, AttachedFile, CallId, Label, MarkupSettings, MessageId, Origin, ResultStatus, Timestamp, TurnId,
    UploadId, Usage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Assistant,
    Tool,
    System,
}

impl Role {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::User, Self::Assistant, Self::Tool, Self::System].into_iter().find(|role| role.as_str() == text)
    }
}

/// Why the model stopped writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    Completed,
    ToolUse,
    Length,
    Interrupted,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    Text {
        /// Absent where it is the whole content of the message.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
    },
    /// A picture that a person sent along.
    Image { upload_id: UploadId },
    /// A file that a person sent along, and what the agent was told of it.
    File {
        #[serde(flatten)]
        file: AttachedFile,
    },
    /// The model's reasoning, where the provider shows it.
    Thinking { text: String },
    Call {
        call_id: CallId,
        name: String,
        arguments: Value,
        origin: Origin,
        /// The element of the text that it was made by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        element_id: Option<String>,
        /// To whom it is addressed, if it stands in the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// What the agent calls it, if it stands in the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reference: Option<String>,
    },
    Result {
        call_id: CallId,
        name: String,
        status: ResultStatus,
        /// Absent where it is the whole content of the message.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        content: String,
    },
    /// A block in the form of the model's own wire, to be given back to that model unchanged: a signed piece of
    /// reasoning, an encrypted search result. Other models never get it.
    Native {
        /// `provider/model`: signatures are good for the model that made them.
        model: String,
        json: Value,
        /// How many parts directly before this one it stands for, when it is given back.
        #[serde(default)]
        replaces: u32,
    },
}

/// A message that the model is not told, or not in its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// The provider failed; the content says what to do.
    Error,
    /// The turn reached a limit; the content says which.
    Limit,
    /// A person's answer to a question; the agent has it as the result of that call.
    Answer,
    /// A reminder that was shown. The agent is told so.
    Reminder,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Meta {
    /// In how many further model calls this message takes part; absent = all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    /// Of a reminder: the number of its schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// What people are shown in the place of its words, where its agent says so (`prompt_tree.response`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<Box<str>>,
    /// `provider/model`: the model that wrote it; absent for messages of people and tools, and for replies that an older version
    /// of the program stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<str>>,
    /// Of the result of a program: how many characters it said on stdout, then on stderr, then on stdout again, and so on, in the
    /// order in which they came. What is left of the two texts comes after that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<u32>,
}

/// Who said a message that a bridge delivered, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sender {
    /// For instance `signal`.
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    pub id: MessageId,
    /// The `seq` of the event that stored it.
    pub seq: u64,
    pub turn_id: TurnId,
    pub role: Role,
    /// The agent that said it, where it was neither a person nor the session's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<Asker>,
    /// The raw text, exactly as it was written.
    pub content: String,
    pub parts: Vec<Part>,
    /// Typed elements, derived from the content when it is read; never stored.
    #[serde(default)]
    pub elements: Vec<Value>,
    /// What people answered to the prompts in it; shown in the content and the elements.
    #[serde(skip)]
    pub answers: BTreeMap<String, String>,
    /// How an agent's text was read when it was written; `None` = as plain words.
    #[serde(skip)]
    pub markup: Option<MarkupSettings>,
    /// Of a result that came while its message was still being written: how far that was, as cursors count.
    #[serde(skip)]
    pub offset: Option<u64>,
    pub label: Label,
    pub meta: Meta,
    /// Absent where the person of the session said it themself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender: Option<Sender>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub created_at: Timestamp,
}

impl Message {
    /// One without words: what it says, and whatever else is known of it, is filled in by its maker.
    pub fn new(id: MessageId, turn_id: TurnId, role: Role, created_at: Timestamp) -> Self {
        Self {
            id,
            seq: 0,
            turn_id,
            role,
            asker: None,
            content: String::new(),
            parts: Vec::new(),
            elements: Vec::new(),
            answers: BTreeMap::new(),
            markup: None,
            offset: None,
            label: Label::TRUSTED_PUBLIC,
            meta: Meta::default(),
            sender: None,
            stop_reason: None,
            usage: None,
            created_at,
        }
    }

    /// Whether the server says in it why there is no reply, or no more of it.
    pub fn is_told(&self) -> bool {
        matches!(self.meta.kind, Some(MessageKind::Error | MessageKind::Limit))
    }

    /// How the agent is told of a reminder that was shown, where it is one.
    pub fn told_reminder(&self) -> Option<String> {
        let number = self.meta.number.filter(|_| self.meta.kind == Some(MessageKind::Reminder))?;
        Some(format!("[Reminder {number} was shown] {}", self.content))
    }

    /// Who said it, where the person of the session did not say it themself: an agent, or a peer of a bridge.
    pub fn author(&self) -> Option<String> {
        let sender = || {
            self.sender.as_ref().map(|sender| sender.name.clone().unwrap_or_else(|| sender.source.clone()))
        };
        self.asker.as_ref().map(|asker| asker.name.clone()).or_else(sender)
    }

    /// The calls this message made, in order.
    pub fn calls(&self) -> impl Iterator<Item = (&CallId, &str, &Value)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call { call_id, name, arguments, .. } => Some((call_id, name.as_str(), arguments)),
            _ => None,
        })
    }

    /// The pictures of this message, in order.
    pub fn images(&self) -> impl Iterator<Item = UploadId> {
        self.parts.iter().filter_map(|part| match part {
            Part::Image { upload_id } => Some(*upload_id),
            _ => None,
        })
    }

    /// The files of this message, in order.
    pub fn files(&self) -> impl Iterator<Item = &AttachedFile> {
        self.parts.iter().filter_map(|part| match part {
            Part::File { file } => Some(file),
            _ => None,
        })
    }

    /// Everything that was sent along, in order.
    pub fn uploads(&self) -> impl Iterator<Item = UploadId> {
        self.parts.iter().filter_map(|part| match part {
            Part::Image { upload_id } => Some(*upload_id),
            Part::File { file } => Some(file.upload_id),
            _ => None,
        })
    }

    /// The results this message carries.
    pub fn results(&self) -> impl Iterator<Item = (&CallId, &str)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Result { call_id, content, .. } => Some((call_id, content.as_str())),
            _ => None,
        })
    }
}
