//! What a model is asked, before it takes the form of a wire.

use domain::{Parameters, ToolSpec};
use serde_json::Value;
use std::sync::Arc;

/// One request to a model: the whole conversation, the tools it may call, and how to answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    pub messages: Vec<PromptMessage>,
    /// Those of the agent's tools, which all requests of all of its conversations share.
    pub tools: Vec<Arc<ToolSpec>>,
    pub parameters: Parameters,
}

/// One message of the prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptMessage {
    System {
        text: Arc<str>,
    },
    User {
        parts: Vec<UserPart>,
    },
    Assistant {
        /// In the order in which the model made them.
        parts: Vec<AssistantPart>,
    },
    /// The result of one call of the assistant message before it.
    Tool {
        call_id: String,
        content: String,
    },
}

impl ModelRequest {
    /// Does the history hold blocks in the form of a wire?
    pub fn has_native(&self) -> bool {
        let native = |part: &AssistantPart| matches!(part, AssistantPart::Native(_));
        self.messages.iter().any(|message| match message {
            PromptMessage::Assistant { parts } => parts.iter().any(native),
            _ => false,
        })
    }
}

/// In the place of a picture that the model's server does not take.
const REFUSED_PICTURE: &str = "[A picture was sent along here. The server of this model refused it, so you cannot see it; say so if it matters.]";

impl ModelRequest {
    /// The same with fewer pictures, or `None` when it has none: first without those before the last message that
    /// shows any, then without any.
    pub(crate) fn with_fewer_pictures(&self) -> Option<Self> {
        let shows = |message: &PromptMessage| match message {
            PromptMessage::User { parts } => parts.iter().any(UserPart::is_image),
            _ => false,
        };
        let last = self.messages.iter().rposition(shows)?;
        let earlier = self.messages.iter().take(last).any(shows);
        let kept = if earlier { last } else { self.messages.len() };
        let mut fewer = self.clone();
        for (index, message) in fewer.messages.iter_mut().enumerate() {
            let PromptMessage::User { parts } = message else { continue };
            for part in parts.iter_mut().filter(|part| index != kept && part.is_image()) {
                *part = UserPart::Text(REFUSED_PICTURE.to_owned());
            }
        }
        Some(fewer)
    }
}

impl PromptMessage {
    pub fn system(text: impl Into<Arc<str>>) -> Self {
        Self::System { text: text.into() }
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::User { parts: vec![UserPart::Text(text.into())] }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { parts: vec![AssistantPart::Text(text.into())] }
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

impl UserPart {
    fn is_image(&self) -> bool {
        matches!(self, Self::Image { .. })
    }
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

/// A piece of what the model said earlier.
#[derive(Clone, Debug, PartialEq)]
pub enum AssistantPart {
    Text(String),
    Call(PromptCall),
    /// A block of the wire of the very model that is asked; see [`crate::ReplyPart::Native`]. Others leave it out.
    Native(Value),
}

impl AssistantPart {
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub const fn call(&self) -> Option<&PromptCall> {
        match self {
            Self::Call(call) => Some(call),
            _ => None,
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
