//! A scripted answer as the Messages wire streams it.

use super::script::{Rendered, Script};
use serde_json::{Value, json};

impl Script {
    /// The events of the Messages wire. `number` makes ids and signatures unique.
    pub(super) fn render_messages(&self, number: usize) -> Rendered {
        let mut stream = Stream { script: self, rendered: Rendered::default(), index: 0, number };
        if let Some(events) = &self.events {
            events.iter().for_each(|event| stream.event(event));
            return stream.rendered;
        }
        stream.begin();
        stream.content();
        stream.end();
        stream.rendered
    }
}

struct Stream<'a> {
    script: &'a Script,
    rendered: Rendered,
    /// Of the next block.
    index: usize,
    number: usize,
}

impl Stream<'_> {
    fn event(&mut self, event: &Value) {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or("message");
        let frame = self.script.frame(Some(kind), &event.to_string());
        self.rendered.frames.push(frame);
    }

    fn begin(&mut self) {
        let usage = self.script.usage.unwrap_or_default();
        let fresh = usage.input.saturating_sub(usage.cached).saturating_sub(usage.stored);
        self.event(&json!({"type": "message_start", "message": {"id": format!("msg_{}", self.number),
            "type": "message", "role": "assistant", "content": [], "model": "scripted", "stop_reason": null,
            "usage": {"input_tokens": fresh, "cache_read_input_tokens": usage.cached,
                "cache_creation_input_tokens": usage.stored, "output_tokens": 1}}}));
        self.event(&json!({"type": "ping"}));
    }

    fn content(&mut self) {
        for text in self.script.thinking.clone() {
            let signature = format!("signed/{}/{}==", self.number, self.index);
            self.block(
                &json!({"type": "thinking", "thinking": "", "signature": ""}),
                &[
                    json!({"type": "thinking_delta", "thinking": text}),
                    json!({"type": "signature_delta", "signature": signature}),
                ],
            );
            self.issue(json!({"type": "thinking", "thinking": text, "signature": signature}));
        }
        for block in self.script.blocks.clone() {
            self.whole_block(block);
        }
        if !self.script.texts.is_empty() {
            self.texts();
        }
        for (name, arguments) in self.script.calls.clone() {
            self.call(&name, &arguments);
        }
    }

    /// The vendor's own tools announce their input in pieces; everything else of theirs comes whole.
    fn whole_block(&mut self, block: Value) {
        let input = block.get("input").map(Value::to_string);
        match input {
            Some(input) => {
                let mut start = block.clone();
                if let Some(slot) = start.get_mut("input") {
                    *slot = json!({});
                }
                let deltas =
                    halves(&input).map(|half| json!({"type": "input_json_delta", "partial_json": half}));
                self.block(&start, &deltas);
            }
            None => self.block(&block, &[]),
        }
        self.issue(block);
    }

    fn texts(&mut self) {
        let start = json!({"type": "content_block_start", "index": self.index,
            "content_block": {"type": "text", "text": ""}});
        self.event(&start);
        for text in &self.script.texts {
            self.event(&json!({"type": "content_block_delta", "index": self.index,
                "delta": {"type": "text_delta", "text": text}}));
            self.rendered.pieces.push(self.rendered.frames.len());
        }
        if !self.script.citations.is_empty() {
            for citation in &self.script.citations {
                self.event(&json!({"type": "content_block_delta", "index": self.index,
                    "delta": {"type": "citations_delta", "citation": citation}}));
            }
            self.issue(json!({"type": "text", "text": self.script.texts.concat(),
                "citations": self.script.citations}));
        }
        self.stop();
    }

    fn call(&mut self, name: &str, arguments: &str) {
        let id = format!("toolu_{}_{}", self.number, self.index);
        let deltas = halves(arguments).map(|half| json!({"type": "input_json_delta", "partial_json": half}));
        self.block(&json!({"type": "tool_use", "id": id, "name": name, "input": {}}), &deltas);
    }

    fn block(&mut self, start: &Value, deltas: &[Value]) {
        self.event(&json!({"type": "content_block_start", "index": self.index, "content_block": start}));
        for delta in deltas {
            self.event(&json!({"type": "content_block_delta", "index": self.index, "delta": delta}));
        }
        self.stop();
    }

    fn stop(&mut self) {
        self.event(&json!({"type": "content_block_stop", "index": self.index}));
        self.index += 1;
    }

    fn issue(&mut self, block: Value) {
        self.rendered.issued.push(block);
    }

    fn end(&mut self) {
        if !self.script.silent_finish {
            let usual = if self.script.calls.is_empty() { "stop" } else { "tool_calls" };
            let reason = match self.script.finish.as_deref().unwrap_or(usual) {
                "stop" => "end_turn",
                "tool_calls" => "tool_use",
                "length" => "max_tokens",
                "content_filter" => "refusal",
                other => other,
            };
            self.rendered.paused = reason == "pause_turn";
            let output = self.script.usage.unwrap_or_default().output;
            self.event(
                &json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
                "usage": {"output_tokens": output}}),
            );
        }
        if !self.script.silent_done {
            self.event(&json!({"type": "message_stop"}));
        }
    }
}

fn halves(text: &str) -> [String; 2] {
    let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (first, second) = text.split_at(middle);
    [first.to_owned(), second.to_owned()]
}
