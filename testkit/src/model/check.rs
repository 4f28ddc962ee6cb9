//! What a real provider would say to a request.

use serde_json::Value;
use std::collections::HashSet;

const KNOWN_FIELDS: [&str; 13] = [
    "model",
    "messages",
    "tools",
    "tool_choice",
    "stream",
    "stream_options",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "reasoning_effort",
    "stop",
];

/// Everything that is wrong with a request; empty when it is in order.
pub(super) fn problems(method: &str, path: &str, headers: &[(String, String)], body: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    if method != "POST" || path != "/v1/chat/completions" {
        problems.push(format!("there is no {method} {path}"));
    }
    let json =
        |(name, value): &(String, String)| name == "content-type" && value.starts_with("application/json");
    if !headers.iter().any(json) {
        problems.push("the content type is not application/json".to_owned());
    }
    let Some(fields) = body.as_object() else {
        problems.push("the body is not a JSON object".to_owned());
        return problems;
    };
    let unknown = fields.keys().filter(|name| !KNOWN_FIELDS.contains(&name.as_str()));
    problems.extend(unknown.map(|name| format!("unknown field {name}")));
    check_parameters(body, &mut problems);
    check_tools(body, &mut problems);
    match body.get("messages").and_then(Value::as_array) {
        Some(messages) if !messages.is_empty() => Transcript::default().check(messages, &mut problems),
        _ => problems.push("messages must be a list that is not empty".to_owned()),
    }
    problems
}

fn check_parameters(body: &Value, problems: &mut Vec<String>) {
    if body.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        problems.push("model must be a name".to_owned());
    }
    if body.get("stream") != Some(&Value::Bool(true)) {
        problems.push("stream must be true".to_owned());
    }
    for (name, low, high) in [
        ("temperature", 0.0, 2.0),
        ("top_p", 0.0, 1.0),
        ("max_tokens", 1.0, 1e9),
        ("max_completion_tokens", 1.0, 1e9),
    ] {
        let fits = |value: &Value| value.as_f64().is_some_and(|number| (low..=high).contains(&number));
        if body.get(name).is_some_and(|value| !fits(value)) {
            problems.push(format!("{name} must be {low} to {high}"));
        }
    }
}

fn check_tools(body: &Value, problems: &mut Vec<String>) {
    let Some(tools) = body.get("tools") else { return };
    let Some(tools) = tools.as_array().filter(|tools| !tools.is_empty()) else {
        problems.push("tools must be absent or a list that is not empty".to_owned());
        return;
    };
    let mut names = HashSet::new();
    for tool in tools {
        let name = tool.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
        if !is_tool_name(name) || tool.get("type").and_then(Value::as_str) != Some("function") {
            problems.push(format!("{name:?} is no function tool"));
        }
        if !names.insert(name) {
            problems.push(format!("two tools are called {name}"));
        }
        let schema = tool.pointer("/function/parameters");
        let of_object =
            schema.and_then(|schema| schema.get("type")).and_then(Value::as_str) == Some("object");
        let properties = schema.and_then(|schema| schema.get("properties"));
        if !of_object || properties.is_some_and(|properties| !properties.is_object()) {
            problems.push(format!("the parameters of tool {name} are not the schema of an object"));
        }
    }
}

fn is_tool_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(letter)
}

/// Reads the messages in order, as a provider does.
#[derive(Default)]
struct Transcript {
    /// Calls of the last assistant message that have no result yet.
    open: Vec<String>,
    seen_ids: HashSet<String>,
    /// The role of the message before.
    last: String,
    spoken: bool,
}

impl Transcript {
    fn check(mut self, messages: &[Value], problems: &mut Vec<String>) {
        for (number, message) in messages.iter().enumerate() {
            let mut wrong = Vec::new();
            self.message(message, &mut wrong);
            problems.extend(wrong.into_iter().map(|problem| format!("messages[{number}]: {problem}")));
        }
        if !self.open.is_empty() {
            problems.push(format!("calls without a result: {}", self.open.join(", ")));
        }
        if !self.spoken {
            problems.push("there is no user message".to_owned());
        } else if self.last == "assistant" && self.open.is_empty() {
            problems.push("the last message is the assistant's: there is nothing to answer".to_owned());
        }
    }

    fn message(&mut self, message: &Value, wrong: &mut Vec<String>) {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role != "tool" && !self.open.is_empty() {
            wrong.push(format!("calls without a result before this: {}", self.open.join(", ")));
            self.open.clear();
        }
        match role {
            "system" | "developer" => self.system(message, wrong),
            "user" => {
                self.spoken = true;
                check_user_content(message.get("content"), wrong);
            }
            "assistant" => self.assistant(message, wrong),
            "tool" => self.tool(message, wrong),
            other => wrong.push(format!("unknown role {other:?}")),
        }
        role.clone_into(&mut self.last);
    }

    fn system(&self, message: &Value, wrong: &mut Vec<String>) {
        if !matches!(self.last.as_str(), "" | "system" | "developer") {
            wrong.push("a system message must stand at the beginning".to_owned());
        }
        if message.get("content").and_then(Value::as_str).is_none_or(str::is_empty) {
            wrong.push("a system message must have text".to_owned());
        }
    }

    fn assistant(&mut self, message: &Value, wrong: &mut Vec<String>) {
        if !self.spoken {
            wrong.push("the first message after the system's must be the user's".to_owned());
        }
        if self.last == "assistant" {
            wrong.push("two assistant messages follow each other".to_owned());
        }
        let content = message.get("content").unwrap_or(&Value::Null);
        if !content.is_null() && content.as_str().is_none_or(str::is_empty) {
            wrong.push("the content must be null or text".to_owned());
        }
        let Some(calls) = message.get("tool_calls") else {
            if content.is_null() {
                wrong.push("an assistant message needs content or calls".to_owned());
            }
            return;
        };
        match calls.as_array() {
            Some(calls) if !calls.is_empty() => calls.iter().for_each(|call| self.call(call, wrong)),
            _ => wrong.push("tool_calls must be absent or a list that is not empty".to_owned()),
        }
    }

    fn call(&mut self, call: &Value, wrong: &mut Vec<String>) {
        let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let id = text("/id");
        if id.is_empty() || id.len() > 64 || !self.seen_ids.insert(id.to_owned()) {
            wrong.push(format!("the call id {id:?} is empty, too long or used before"));
        }
        if text("/type") != "function" || !is_tool_name(text("/function/name")) {
            wrong.push(format!("call {id} names no function"));
        }
        if !matches!(serde_json::from_str(text("/function/arguments")), Ok(Value::Object(_))) {
            wrong.push(format!("the arguments of call {id} are not a JSON object in a string"));
        }
        self.open.push(id.to_owned());
    }

    fn tool(&mut self, message: &Value, wrong: &mut Vec<String>) {
        let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
        match self.open.iter().position(|open| open == id) {
            Some(at) => {
                self.open.remove(at);
            }
            None if self.seen_ids.contains(id) => {
                wrong.push(format!("a second result for call {id}, or a late one"))
            }
            None => wrong.push(format!("a result for {id:?}, which nobody called")),
        }
        if !message.get("content").is_some_and(Value::is_string) {
            wrong.push("the content of a result must be text".to_owned());
        }
    }
}

fn check_user_content(content: Option<&Value>, wrong: &mut Vec<String>) {
    let in_order = match content {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Array(parts)) => !parts.is_empty() && parts.iter().all(is_user_part),
        _ => false,
    };
    if !in_order {
        wrong.push("the content of a user message must be text, or parts of text and images".to_owned());
    }
}

fn is_user_part(part: &Value) -> bool {
    let text = |pointer: &str| part.pointer(pointer).and_then(Value::as_str);
    match text("/type") {
        Some("text") => text("/text").is_some_and(|text| !text.is_empty()),
        Some("image_url") => text("/image_url/url").is_some_and(|url| url.starts_with("data:image/")),
        _ => false,
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
