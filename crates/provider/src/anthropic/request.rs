//! The body of a request, written from the prompt.

use super::{
    parameters,
    transcript::{Transcript, Turn, text},
};
use crate::{ModelRequest, accepts::Accepts};
use domain::ToolSpec;
use serde_json::{Map, Value, json};

/// How many of the last places where the model was asked are marked: with two, a long step does not lose what the one
/// before stored.
const MARKED_MESSAGES: usize = 2;

/// The vendor takes four marks in all.
const MARKED_SYSTEM: usize = 2;

/// What becomes of the blocks that the model itself made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Native {
    Kept,
    LeftOut,
}

/// A request that can be asked, and asked again with the beginning of its answer.
#[derive(Clone, Debug)]
pub(crate) struct AnthropicRequest(Map<String, Value>);

impl AnthropicRequest {
    pub(crate) fn new(model: &str, request: &ModelRequest, accepts: &Accepts, native: Native) -> Self {
        let transcript = Transcript::of(&request.messages, native);
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(model));
        body.insert("stream".to_owned(), json!(true));
        parameters::write(&mut body, &request.parameters, accepts, transcript.may_think());
        let mut tools: Vec<Value> = request.tools.iter().map(|spec| tool(spec)).collect();
        let mut system: Vec<Value> = transcript.system.iter().map(|words| text(words)).collect();
        // Tools come before the system text for the vendor, so a mark behind both keeps both. The last block may be what
        // has just changed; with a mark before it, everything before it is still kept.
        if system.is_empty() {
            mark(tools.last_mut());
        }
        system.iter_mut().rev().take(MARKED_SYSTEM).for_each(|block| mark(Some(block)));
        if !tools.is_empty() {
            body.insert("tools".to_owned(), Value::Array(tools));
        }
        if !system.is_empty() {
            body.insert("system".to_owned(), Value::Array(system));
        }
        body.insert("messages".to_owned(), messages(transcript.messages));
        Self(body)
    }

    /// The same request, with this beginning of an answer to go on from.
    pub(crate) fn begin_with(&mut self, content: Vec<Value>) {
        let Some(Value::Array(messages)) = self.0.get_mut("messages") else { return };
        if messages.last().is_some_and(|last| last["role"] == "assistant") {
            messages.pop();
        }
        messages.push(json!({"role": "assistant", "content": content}));
    }

    /// The beginning of the answer that it goes on from, as it is sent.
    pub(crate) fn beginning(&self) -> Option<String> {
        let last = self.0.get("messages")?.as_array()?.last()?;
        (last["role"] == "assistant").then(|| last["content"].to_string())
    }

    /// Lets the model write no more than this. `false` when that is less than it was told to think.
    pub(crate) fn bound(&mut self, most: u64) -> bool {
        let thinks = self.0.get("thinking").and_then(|thinking| thinking["budget_tokens"].as_u64());
        let most = self.0.get("max_tokens").and_then(Value::as_u64).unwrap_or(most).min(most);
        if most == 0 || thinks.is_some_and(|thinks| thinks >= most) {
            return false;
        }
        self.0.insert("max_tokens".to_owned(), json!(most));
        true
    }

    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&self.0)
    }
}

fn messages(mut turns: Vec<Turn>) -> Value {
    let mut behind = "assistant";
    // Of messages that follow each other, such as results and what people said meanwhile, only the last is marked.
    let ends = turns.iter_mut().rev().filter(|turn| std::mem::replace(&mut behind, turn.role) != turn.role);
    let people = ends.filter(|turn| turn.role == "user").take(MARKED_MESSAGES);
    people.for_each(|turn| mark(turn.blocks.last_mut()));
    turns.into_iter().map(|turn| json!({"role": turn.role, "content": turn.blocks})).collect()
}

/// Asks the vendor to keep everything up to here for a while.
fn mark(block: Option<&mut Value>) {
    if let Some(Value::Object(block)) = block {
        block.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
    }
}

fn tool(tool: &ToolSpec) -> Value {
    json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
}
