//! A request as it came.

use serde_json::Value;

/// A chat request that the program under test sent.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub path: String,
    /// Names in lower case, in the order in which they came.
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// The body byte for byte.
    pub raw: String,
}

impl Recorded {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn messages(&self) -> &[Value] {
        self.body.get("messages").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The names of the tools that were offered, in order.
    pub fn tool_names(&self) -> Vec<&str> {
        let tools = self.body.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let names = tools.iter().map(|tool| tool.pointer("/function/name").or_else(|| tool.get("name")));
        names.filter_map(|name| name?.as_str()).collect()
    }

    /// What the last user message says. Tool results that stand in it do not count.
    pub fn last_user(&self) -> String {
        let last = self.messages().iter().rev().find(|message| is_spoken(message));
        last.map(text).unwrap_or_default()
    }

    /// What the first user message says.
    pub fn first_user(&self) -> String {
        self.messages().iter().find(|message| is_spoken(message)).map(text).unwrap_or_default()
    }

    /// The tool results that follow the last user message, in order.
    pub fn results_since_user(&self) -> Vec<String> {
        let messages = self.messages();
        let start = messages.iter().rposition(is_spoken).unwrap_or(0);
        messages.iter().skip(start).flat_map(results).collect()
    }
}

/// Does a person speak in it?
fn is_spoken(message: &Value) -> bool {
    role(message) == "user" && !text(message).is_empty()
}

fn results(message: &Value) -> Vec<String> {
    if role(message) == "tool" {
        return vec![text(message)];
    }
    let blocks = message.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of_tools = blocks.iter().filter(|block| block.get("tool_use_id").is_some());
    of_tools.filter_map(|block| block.get("content")?.as_str().map(str::to_owned)).collect()
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
