//! One content block, put together from its pieces.

use crate::{ProposedCall, ReplyPart, arguments::arguments};
use serde_json::{Map, Value, json};

/// What a piece added that people can watch.
pub(crate) enum News {
    Text(String),
    Thinking(String),
    Nothing,
}

/// The block as it began, and what its pieces added. Text grows apart from the JSON, so that the cost of a piece does
/// not depend on how much there is already.
#[derive(Debug)]
pub(crate) struct Block {
    kind: String,
    json: Map<String, Value>,
    /// `text` or `thinking`.
    words: String,
    /// The JSON of `input`, as text.
    input: String,
    /// A piece could not be understood: what there is, is not what the model made.
    damaged: bool,
}

impl Block {
    pub(crate) fn begin(mut json: Map<String, Value>) -> Self {
        let kind = text(&json, "type").to_owned();
        let words = match words_field(&kind) {
            Some(field) => json.remove(field).and_then(into_text).unwrap_or_default(),
            None => String::new(),
        };
        Self { kind, json, words, input: String::new(), damaged: false }
    }

    /// What was there from the start.
    pub(crate) fn first_words(&self) -> News {
        self.news(self.words.clone())
    }

    pub(crate) const fn is_text(&self) -> bool {
        matches!(self.kind.as_bytes(), b"text")
    }

    /// Adds a piece and says how many bytes it brought.
    pub(crate) fn push(&mut self, mut delta: Map<String, Value>) -> (News, usize) {
        let kind = delta.remove("type").and_then(into_text).unwrap_or_default();
        match (kind.as_str(), words_field(&self.kind)) {
            ("text_delta" | "thinking_delta", Some(field)) => {
                let Some(words) = delta.remove(field).and_then(into_text) else { return self.odd() };
                self.words.push_str(&words);
                let size = words.len();
                (self.news(words), size)
            }
            ("input_json_delta", _) => {
                let Some(piece) = delta.remove("partial_json").and_then(into_text) else {
                    return self.odd();
                };
                self.input.push_str(&piece);
                (News::Nothing, piece.len())
            }
            ("citations_delta", _) => {
                let Some(citation) = delta.remove("citation") else { return self.odd() };
                let size = citation.to_string().len();
                if !self.json.get("citations").is_some_and(Value::is_array) {
                    self.json.insert("citations".to_owned(), json!([]));
                }
                if let Some(Value::Array(citations)) = self.json.get_mut("citations") {
                    citations.push(citation);
                }
                (News::Nothing, size)
            }
            _ => self.append(delta),
        }
    }

    /// A piece of a kind we do not know, or a signature: each of its texts goes on with the field of the same name.
    fn append(&mut self, delta: Map<String, Value>) -> (News, usize) {
        let mut size = 0_usize;
        for (field, piece) in delta {
            let Value::String(piece) = piece else { return self.odd() };
            size = size.saturating_add(piece.len());
            match self.json.get_mut(&field) {
                Some(Value::String(known)) => known.push_str(&piece),
                None | Some(Value::Null) => {
                    self.json.insert(field, Value::String(piece));
                }
                Some(_) => return self.odd(),
            }
        }
        (News::Nothing, size)
    }

    fn odd(&mut self) -> (News, usize) {
        self.damaged = true;
        (News::Nothing, 0)
    }

    fn news(&self, words: String) -> News {
        match self.kind.as_str() {
            _ if words.is_empty() => News::Nothing,
            "text" => News::Text(words),
            "thinking" => News::Thinking(words),
            _ => News::Nothing,
        }
    }

    pub(crate) fn is_call(&self) -> bool {
        self.kind == "tool_use"
    }

    /// The call this block is, and where it stands among the calls.
    pub(crate) fn call(&self, cut: bool) -> ProposedCall {
        // Some servers send the whole input with the start of the block; others an empty one, which says nothing.
        let whole = || match self.json.get("input") {
            Some(Value::Object(input)) if input.is_empty() => String::new(),
            Some(input) => input.to_string(),
            None => String::new(),
        };
        let input = if self.input.trim().is_empty() { whole() } else { self.input.clone() };
        ProposedCall { name: text(&self.json, "name").to_owned(), arguments: arguments(input, cut) }
    }

    /// The block as the vendor wants to see it again; `None` when that is not known.
    pub(crate) fn native(&self) -> Option<Value> {
        if self.damaged || self.kind.is_empty() {
            return None;
        }
        let mut json = self.json.clone();
        if let Some(field) = words_field(&self.kind) {
            json.insert(field.to_owned(), Value::String(self.words.clone()));
        }
        if !self.input.trim().is_empty() {
            json.insert("input".to_owned(), serde_json::from_str(&self.input).ok()?);
        }
        Some(Value::Object(json))
    }

    /// What is kept of it, in order. Words that another wire can use stand beside the block that holds them.
    pub(crate) fn parts(&self) -> Vec<ReplyPart> {
        let words = || Some(self.words.clone()).filter(|words| !words.is_empty());
        let (shown, is_plain) = match self.kind.as_str() {
            "text" => {
                (words().map(ReplyPart::Text), !self.json.contains_key("citations") || self.words.is_empty())
            }
            // Reasoning without a signature is accepted by no server.
            "thinking" => (words().map(ReplyPart::Thinking), text(&self.json, "signature").is_empty()),
            _ => (None, false),
        };
        let replaces = u32::from(shown.is_some());
        let native = if is_plain { None } else { self.native() };
        let native = native.map(|json| ReplyPart::Native { json, replaces });
        shown.into_iter().chain(native).collect()
    }
}

fn words_field(kind: &str) -> Option<&'static str> {
    match kind {
        "text" => Some("text"),
        "thinking" => Some("thinking"),
        _ => None,
    }
}

fn text<'a>(json: &'a Map<String, Value>, field: &str) -> &'a str {
    json.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
