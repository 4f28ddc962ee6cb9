//! The conversation in the form of this wire: two roles, each message a list of blocks.

use super::request::Native;
use crate::{AssistantPart, PromptMessage, UserPart, tool_name::told_again};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

/// Said where the wire wants a person's words and there are none.
const NO_WORDS: &str = "[This message has no words.]";
const EARLIER: &str = "[The beginning of this conversation is missing.]";

#[derive(Default)]
pub(crate) struct Transcript {
    /// What stands before the conversation.
    pub(crate) system: Vec<String>,
    pub(crate) messages: Vec<Turn>,
}

pub(crate) struct Turn {
    pub(crate) role: &'static str,
    pub(crate) blocks: Vec<Value>,
}

impl Turn {
    fn has_results(&self) -> bool {
        self.blocks.iter().any(|block| kind(block) == "tool_result")
    }
}

impl Transcript {
    pub(crate) fn of(messages: &[PromptMessage], native: Native) -> Self {
        let mut transcript = Self::default();
        for message in messages {
            transcript.add(message, native);
        }
        if transcript.messages.first().is_some_and(|first| first.role == "assistant") {
            transcript.messages.insert(0, Turn { role: "user", blocks: vec![text(EARLIER)] });
        }
        if transcript.messages.last().is_none_or(|last| last.role == "assistant") {
            transcript.messages.push(Turn { role: "user", blocks: vec![text(NO_WORDS)] });
        }
        transcript
    }

    fn add(&mut self, message: &PromptMessage, native: Native) {
        match message {
            PromptMessage::System { text } if self.messages.is_empty() => {
                self.system.extend(Some(text.to_string()).filter(|text| !is_blank(text)));
            }
            // There is no third role: what the house says in the middle is said in the role of the people.
            PromptMessage::System { text: said } => self.say("user", spoken(said), |_| false),
            // What the house reports and what people say are never one message: neither can speak for the other.
            PromptMessage::User { parts } => {
                self.say("user", parts.iter().filter_map(user_part), |_| false);
            }
            PromptMessage::Assistant { parts } => {
                let blocks = parts.iter().filter_map(|part| assistant_part(part, native));
                self.say("assistant", blocks, |last| last.role == "assistant");
            }
            // The results of all calls of a message stand together in the one directly behind it.
            PromptMessage::Tool { call_id, content } => {
                let result = json!({"type": "tool_result", "tool_use_id": call_id, "content": content});
                self.say("user", [result], Turn::has_results);
            }
        }
    }

    /// Adds a message, or goes on with the last one where it `belongs` to that.
    fn say(
        &mut self,
        role: &'static str,
        blocks: impl IntoIterator<Item = Value>,
        belongs: impl Fn(&Turn) -> bool,
    ) {
        let mut blocks = blocks.into_iter().peekable();
        if blocks.peek().is_none() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if belongs(last) => last.blocks.extend(blocks),
            _ => self.messages.push(Turn { role, blocks: blocks.collect() }),
        }
    }

    /// May thinking be turned on with a budget? Not when the model waits for results of calls that it made without
    /// thinking: the wire refuses that.
    pub(crate) fn may_think(&self) -> bool {
        // The wire reads messages of one role that follow each other as one.
        let waits =
            self.messages.iter().rev().take_while(|message| message.role == "user").any(Turn::has_results);
        let thought =
            self.messages.iter().rev().find(|message| message.role == "assistant").is_some_and(|last| {
                let first = last.blocks.first().map(kind);
                matches!(first, Some("thinking" | "redacted_thinking"))
            });
        !waits || thought
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The wire refuses text without anything to read.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn spoken(words: &str) -> Option<Value> {
    (!is_blank(words)).then(|| text(words))
}

pub(crate) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn user_part(part: &UserPart) -> Option<Value> {
    match part {
        UserPart::Text(text) => spoken(text),
        UserPart::Image { mime_type, data } => Some(json!({"type": "image", "source":
            {"type": "base64", "media_type": mime_type, "data": STANDARD.encode(data)}})),
    }
}

fn assistant_part(part: &AssistantPart, native: Native) -> Option<Value> {
    match part {
        AssistantPart::Text(text) => spoken(text),
        AssistantPart::Call(call) => {
            Some(json!({"type": "tool_use", "id": call.id, "name": told_again(&call.name),
            "input": call.arguments}))
        }
        AssistantPart::Native(json) => (native == Native::Kept).then(|| json.clone()),
    }
}
