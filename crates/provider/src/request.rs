//! What a model is asked, before it takes the form of a wire.

use domain::{Parameters, ToolSpec};
use serde_json::Value;

/// One request to a model: the whole conversation, the tools it may call, and how to answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    pub messages: Vec<PromptMessage>,
    pub tools: Vec<ToolSpec>,
    pub parameters: Parameters,
}

/// One message of the prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptMessage {
    System {
        text: String,
    },
    User {
        parts: Vec<UserPart>,
    },
    Assistant {
        text: String,
        calls: Vec<PromptCall>,
    },
    /// The result of one call of the assistant message before it.
    Tool {
        call_id: String,
        content: String,
    },
}

impl PromptMessage {
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::User { parts: vec![UserPart::Text(text.into())] }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new() }
    }

    pub fn tool(call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self::Tool { call_id: call_id.into(), content: content.into() }
    }
}

/// A piece of what a person sent.
#[derive(Clone, PartialEq)]
pub enum UserPart {
    Text(String),
    Image { mime_type: String, data: Vec<u8> },
}

/// An image shows its size: its bytes would drown a log.
impl std::fmt::Debug for UserPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Image { mime_type, data } => {
                f.debug_struct("Image").field("mime_type", mime_type).field("bytes", &data.len()).finish()
            }
        }
    }
}

/// A call the assistant made earlier in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptCall {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}
