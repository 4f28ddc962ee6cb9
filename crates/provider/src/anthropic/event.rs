//! The shapes of a stream, read leniently: a field of an unexpected type is taken as absent, an event of an unknown type
//! is passed over.

use crate::{Stop, Tokens};
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

type Raw<'a> = Option<&'a RawValue>;

/// One event, as it is framed.
#[derive(Deserialize)]
pub(crate) struct Frame<'a> {
    #[serde(borrow, default)]
    r#type: Raw<'a>,
    #[serde(borrow, default)]
    index: Raw<'a>,
    #[serde(borrow, default)]
    pub(crate) message: Raw<'a>,
    #[serde(borrow, default)]
    content_block: Raw<'a>,
    #[serde(borrow, default)]
    delta: Raw<'a>,
    #[serde(borrow, default)]
    pub(crate) usage: Raw<'a>,
    #[serde(borrow, default)]
    pub(crate) error: Raw<'a>,
}

impl<'a> Frame<'a> {
    pub(crate) fn kind(&self) -> String {
        read(self.r#type).unwrap_or_default()
    }

    pub(crate) fn index(&self) -> Option<usize> {
        read(self.index)
    }

    pub(crate) fn content_block(&self) -> Option<Map<String, Value>> {
        read(self.content_block)
    }

    pub(crate) fn delta(&self) -> Option<Map<String, Value>> {
        read(self.delta)
    }
}

/// A message that came in one piece, from a server that does not stream.
#[derive(Default, Deserialize)]
pub(crate) struct WholeMessage {
    #[serde(default)]
    pub(crate) content: Vec<Map<String, Value>>,
    #[serde(default)]
    pub(crate) stop_reason: Option<String>,
}

pub(crate) fn whole(body: &str) -> Option<WholeMessage> {
    serde_json::from_str(body).ok()
}

/// The counts of a usage object; later ones replace earlier ones, field by field.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    stored: Option<u64>,
}

impl Counts {
    pub(crate) fn update(&mut self, usage: &Value) {
        let count = |name: &str| usage.get(name).and_then(Value::as_u64);
        self.input = count("input_tokens").or(self.input);
        self.output = count("output_tokens").or(self.output);
        self.cached = count("cache_read_input_tokens").or(self.cached);
        self.stored = count("cache_creation_input_tokens").or(self.stored);
    }

    /// On this wire the three kinds of input are counted apart; everywhere else they are one.
    pub(crate) fn tokens(self) -> Option<Tokens> {
        if self.input.is_none() && self.output.is_none() {
            return None;
        }
        let [input, cached, stored] = [self.input, self.cached, self.stored].map(Option::unwrap_or_default);
        Some(Tokens {
            input: input.saturating_add(cached).saturating_add(stored),
            output: self.output.unwrap_or(0),
            cached,
            stored,
        })
    }
}

pub(crate) fn usage_of(raw: Raw<'_>) -> Option<Value> {
    read(raw)
}

/// Why the model stopped; `None` when it only pauses and wants to be asked to go on.
pub(crate) fn stop(reason: &str) -> Option<Stop> {
    match reason {
        "pause_turn" => None,
        "end_turn" | "stop_sequence" | "stop" => Some(Stop::Completed),
        "tool_use" => Some(Stop::ToolUse),
        "max_tokens" | "model_context_window_exceeded" => Some(Stop::Length),
        "refusal" => Some(Stop::Filtered),
        _ => Some(Stop::Other),
    }
}

fn read<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}
