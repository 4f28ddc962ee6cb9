//! What a scripted answer says, as the events of a stream.

use serde_json::{Value, json};

/// Token counts; `input` holds the other two.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cached: u64,
    pub(super) stored: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self { input: 100, output: 10, cached: 0, stored: 0 }
    }
}

/// An answer, ready to be written.
#[derive(Default)]
pub(super) struct Rendered {
    /// The events as bytes.
    pub(super) frames: Vec<Vec<u8>>,
    /// After which of them the n-th piece of text is complete.
    pub(super) pieces: Vec<usize>,
    /// Blocks that the server wants to see again unchanged.
    pub(super) issued: Vec<Value>,
    /// The answer asks to be asked again.
    pub(super) paused: bool,
}

#[derive(Clone, Default)]
pub(super) struct Script {
    pub(super) thinking: Vec<String>,
    pub(super) texts: Vec<String>,
    /// Blocks that only the Messages wire has; they come before the text.
    pub(super) blocks: Vec<Value>,
    /// Of the text, on the Messages wire.
    pub(super) citations: Vec<Value>,
    pub(super) calls: Vec<(String, String)>,
    pub(super) usage: Option<Counts>,
    pub(super) finish: Option<String>,
    pub(super) silent_finish: bool,
    pub(super) silent_done: bool,
    /// Between the events, verbatim.
    pub(super) comment: Option<String>,
    pub(super) line_end: Option<&'static str>,
    /// Events that stand instead of all the above.
    pub(super) events: Option<Vec<Value>>,
}

impl Script {
    /// The events of Chat Completions.
    pub(super) fn render(&self, call_number: usize) -> Rendered {
        let mut rendered = Rendered::default();
        for (event, is_piece) in self.all_events(call_number) {
            rendered.frames.push(self.frame(None, &event.to_string()));
            if is_piece {
                rendered.pieces.push(rendered.frames.len());
            }
        }
        if !self.silent_done {
            rendered.frames.push(self.frame(None, "[DONE]"));
        }
        rendered
    }

    pub(super) fn frame(&self, event: Option<&str>, data: &str) -> Vec<u8> {
        let end = self.line_end.unwrap_or("\n");
        let comment = self.comment.as_deref().unwrap_or_default();
        let event = event.map(|event| format!("event: {event}{end}")).unwrap_or_default();
        format!("{comment}{event}data: {data}{end}{end}").into_bytes()
    }

    fn all_events(&self, call_number: usize) -> Vec<(Value, bool)> {
        if let Some(events) = &self.events {
            return events.iter().map(|event| (event.clone(), false)).collect();
        }
        let mut events = vec![(delta(&json!({"role": "assistant", "content": ""})), false)];
        events.extend(self.thinking.iter().map(|text| (delta(&json!({"reasoning_content": text})), false)));
        events.extend(self.texts.iter().map(|text| (delta(&json!({"content": text})), true)));
        for (index, (name, arguments)) in self.calls.iter().enumerate() {
            events.extend(call_events(index, call_number, name, arguments).map(|event| (event, false)));
        }
        if !self.silent_finish {
            let usual = if self.calls.is_empty() { "stop" } else { "tool_calls" };
            events.push((chunk(&json!({}), Some(self.finish.as_deref().unwrap_or(usual))), false));
        }
        let counts = self.usage.unwrap_or_default();
        let usage = json!({"prompt_tokens": counts.input, "completion_tokens": counts.output,
            "total_tokens": counts.input.saturating_add(counts.output),
            "prompt_tokens_details": {"cached_tokens": counts.cached}});
        events.push((json!({"object": "chat.completion.chunk", "choices": [], "usage": usage}), false));
        events
    }
}

/// Name and id first, then the arguments in two halves, as providers do it.
fn call_events(index: usize, call_number: usize, name: &str, arguments: &str) -> impl Iterator<Item = Value> {
    let id = format!("call_{call_number}_{index}");
    let middle = arguments.char_indices().nth(arguments.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = arguments.split_at(middle);
    let head =
        json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
    let pieces = [first, second].map(|piece| json!({"index": index, "function": {"arguments": piece}}));
    std::iter::once(head).chain(pieces).map(|call| delta(&json!({"tool_calls": [call]})))
}

fn delta(delta: &Value) -> Value {
    chunk(delta, None)
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}
