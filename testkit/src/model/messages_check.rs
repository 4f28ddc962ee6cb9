//! What the vendor of the Messages wire would say to a request.

use serde_json::Value;
use std::collections::HashSet;

const KNOWN_FIELDS: [&str; 13] = [
    "model",
    "messages",
    "max_tokens",
    "system",
    "tools",
    "tool_choice",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "thinking",
    "output_config",
    "stop_sequences",
];
const MOST_MARKS: usize = 4;

/// What the server has said before, and will only accept unchanged.
pub(super) struct Memory {
    pub(super) issued: Vec<Value>,
    /// The last answer asked to be asked again.
    pub(super) paused: bool,
}

/// Everything that is wrong with a request; empty when it is in order.
pub(super) fn problems(headers: &[(String, String)], body: &Value, memory: &Memory) -> Vec<String> {
    let mut problems = Vec::new();
    check_headers(headers, &mut problems);
    let Some(fields) = body.as_object() else {
        problems.push("the body is not a JSON object".to_owned());
        return problems;
    };
    let unknown = fields.keys().filter(|name| !KNOWN_FIELDS.contains(&name.as_str()));
    problems.extend(unknown.map(|name| format!("{name}: Extra inputs are not permitted")));
    check_parameters(body, &mut problems);
    check_tools(body, &mut problems);
    check_system(body, &mut problems);
    check_marks(body, &mut problems);
    match body.get("messages").and_then(Value::as_array) {
        Some(messages) if !messages.is_empty() => {
            let thinking = body.pointer("/thinking/type").and_then(Value::as_str) == Some("enabled");
            Transcript { memory, seen: HashSet::new(), open: Vec::new() }.check(
                messages,
                thinking,
                &mut problems,
            );
        }
        _ => problems.push("messages must be a list that is not empty".to_owned()),
    }
    problems
}

fn check_headers(headers: &[(String, String)], problems: &mut Vec<String>) {
    let header =
        |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    if header("anthropic-version") != Some("2023-06-01") {
        problems.push("anthropic-version: header is required".to_owned());
    }
    if header("x-api-key").is_none_or(str::is_empty) || header("authorization").is_some() {
        problems.push("x-api-key header is required".to_owned());
    }
    if !header("content-type").is_some_and(|value| value.starts_with("application/json")) {
        problems.push("the content type is not application/json".to_owned());
    }
}

fn check_parameters(body: &Value, problems: &mut Vec<String>) {
    if body.get("model").and_then(Value::as_str).is_none_or(str::is_empty) {
        problems.push("model must be a name".to_owned());
    }
    if body.get("stream") != Some(&Value::Bool(true)) {
        problems.push("stream must be true".to_owned());
    }
    let limit = body.get("max_tokens").and_then(Value::as_u64).unwrap_or(0);
    if limit == 0 {
        problems.push("max_tokens: Field required".to_owned());
    }
    for name in ["temperature", "top_p"] {
        let fits = |value: &Value| value.as_f64().is_some_and(|number| (0.0..=1.0).contains(&number));
        if body.get(name).is_some_and(|value| !fits(value)) {
            problems.push(format!("{name} must be 0 to 1"));
        }
    }
    let sampled = body.get("temperature").is_some() || body.get("top_p").is_some();
    if body.get("temperature").is_some() && body.get("top_p").is_some() {
        problems.push("temperature and top_p cannot both be specified".to_owned());
    }
    let Some(thinking) = body.get("thinking") else { return };
    let budget = thinking.get("budget_tokens").and_then(Value::as_u64);
    match thinking.get("type").and_then(Value::as_str) {
        Some("enabled") if !budget.is_some_and(|budget| (1_024..limit).contains(&budget)) => {
            problems.push("thinking.budget_tokens must be at least 1024 and less than max_tokens".to_owned());
        }
        Some("enabled" | "adaptive") if sampled => {
            problems.push("temperature and top_p are not accepted when thinking is on".to_owned());
        }
        Some("enabled") => {}
        Some("adaptive" | "disabled") if budget.is_none() => {}
        _ => problems.push("thinking is of no known form".to_owned()),
    }
}

fn check_tools(body: &Value, problems: &mut Vec<String>) {
    let Some(tools) = body.get("tools") else { return };
    let mut names = HashSet::new();
    for tool in tools.as_array().map_or(&[][..], Vec::as_slice) {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        if !is_name(name) || !names.insert(name) {
            problems.push(format!("tools: {name:?} is no name, or there twice"));
        }
        if tool.pointer("/input_schema/type").and_then(Value::as_str) != Some("object") {
            problems.push(format!("tools: the input_schema of {name} is not that of an object"));
        }
    }
    if names.is_empty() {
        problems.push("tools must be absent or a list that is not empty".to_owned());
    }
}

fn check_system(body: &Value, problems: &mut Vec<String>) {
    let Some(system) = body.get("system") else { return };
    let blocks = system.as_array().map_or(&[][..], Vec::as_slice);
    if blocks.is_empty() || !blocks.iter().all(is_text) {
        problems.push("system: text content blocks must be non-empty".to_owned());
    }
}

fn check_marks(body: &Value, problems: &mut Vec<String>) {
    fn marks(value: &Value) -> usize {
        match value {
            Value::Object(fields) => {
                usize::from(fields.contains_key("cache_control")) + fields.values().map(marks).sum::<usize>()
            }
            Value::Array(items) => items.iter().map(marks).sum(),
            _ => 0,
        }
    }
    let found = marks(body);
    if found > MOST_MARKS {
        problems.push(format!(
            "a maximum of {MOST_MARKS} blocks with cache_control may be provided. Found {found}"
        ));
    }
}

/// Reads the messages in order, as the vendor does.
struct Transcript<'a> {
    memory: &'a Memory,
    seen: HashSet<String>,
    /// Calls of the last assistant message that have no result yet.
    open: Vec<String>,
}

impl Transcript<'_> {
    fn check(mut self, messages: &[Value], thinking: bool, problems: &mut Vec<String>) {
        let mut before = "assistant";
        for (number, message) in messages.iter().enumerate() {
            let mut wrong = Vec::new();
            // Messages of people may follow each other: the vendor reads them as one.
            let fits = role(message) == "user" || role(message) == "assistant" && before == "user";
            if !fits {
                wrong.push("roles must alternate between user and assistant".to_owned());
            }
            before = role(message);
            self.message(message, &mut wrong);
            problems.extend(wrong.into_iter().map(|problem| format!("messages.{number}: {problem}")));
        }
        if !self.open.is_empty() {
            problems.push(format!("tool_use ids without tool_result blocks: {}", self.open.join(", ")));
        }
        let last = messages.last().map(role).unwrap_or_default();
        if last == "assistant" && !self.memory.paused {
            problems.push("the last message is the assistant's: there is nothing to answer".to_owned());
        }
        let asked = messages.iter().rev().take_while(|message| role(message) == "user");
        let waits = asked.flat_map(blocks).any(|block| kind(block) == "tool_result");
        let before = messages.iter().rev().find(|message| role(message) == "assistant");
        let first = before.and_then(|message| blocks(message).first()).map(kind).unwrap_or_default();
        if thinking && waits && !matches!(first, "thinking" | "redacted_thinking") {
            problems.push(format!("Expected `thinking` or `redacted_thinking`, but found `{first}`"));
        }
    }

    fn message(&mut self, message: &Value, wrong: &mut Vec<String>) {
        let blocks = blocks(message);
        if blocks.is_empty() {
            wrong.push("all messages must have non-empty content".to_owned());
        }
        let mut ids = std::mem::take(&mut self.open);
        for block in blocks {
            match (role(message), kind(block)) {
                ("user", "tool_result") => result(block, &mut ids, wrong),
                ("user", other) => {
                    if !ids.is_empty() {
                        wrong
                            .push(format!("tool_result blocks must come first; missing: {}", ids.join(", ")));
                        ids.clear();
                    }
                    user_block(other, block, wrong);
                }
                (_, _) => self.assistant_block(block, wrong),
            }
        }
        if role(message) == "user" && !ids.is_empty() {
            wrong.push(format!("`tool_use` ids were found without `tool_result` blocks: {}", ids.join(", ")));
        }
    }

    fn assistant_block(&mut self, block: &Value, wrong: &mut Vec<String>) {
        match kind(block) {
            "text" if block.get("citations").is_none() => check_text(block, wrong),
            "tool_use" => {
                let id = text(block, "id");
                if !is_name(id) || !self.seen.insert(id.to_owned()) {
                    wrong.push(format!("tool_use ids must be unique and plain: {id:?}"));
                }
                if !is_name(text(block, "name")) || !block.get("input").is_some_and(Value::is_object) {
                    wrong.push(format!("tool_use {id} has no name or no input"));
                }
                self.open.push(id.to_owned());
            }
            other if !self.memory.issued.contains(block) => {
                wrong.push(format!("a {other} block cannot be modified, and this one is not one of ours"));
            }
            _ => {}
        }
    }
}

fn result(block: &Value, ids: &mut Vec<String>, wrong: &mut Vec<String>) {
    let id = text(block, "tool_use_id");
    match ids.iter().position(|open| open == id) {
        Some(at) => {
            ids.remove(at);
        }
        None => wrong.push(format!("unexpected `tool_use_id` found in `tool_result` blocks: {id}")),
    }
    if !block.get("content").is_some_and(Value::is_string) {
        wrong.push("the content of a tool_result must be text".to_owned());
    }
}

fn user_block(kind: &str, block: &Value, wrong: &mut Vec<String>) {
    match kind {
        "text" => check_text(block, wrong),
        "image" => {
            let field = |name: &str| block.pointer(&format!("/source/{name}")).and_then(Value::as_str);
            let known = ["image/png", "image/jpeg", "image/gif", "image/webp"];
            let in_order = field("type") == Some("base64")
                && field("media_type").is_some_and(|media| known.contains(&media))
                && field("data").is_some_and(|data| !data.is_empty());
            if !in_order {
                wrong.push("an image must have a source that can be read".to_owned());
            }
        }
        other => wrong.push(format!("a user message cannot hold {other:?}")),
    }
}

fn check_text(block: &Value, wrong: &mut Vec<String>) {
    if !is_text(block) {
        wrong.push("text content blocks must contain non-whitespace text".to_owned());
    }
}

fn is_text(block: &Value) -> bool {
    kind(block) == "text" && !text(block, "text").trim().is_empty()
}

fn role(message: &Value) -> &str {
    text(message, "role")
}

fn kind(block: &Value) -> &str {
    text(block, "type")
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn blocks(message: &Value) -> &[Value] {
    message.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn is_name(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&name.len()) && name.bytes().all(letter)
}

#[cfg(test)]
#[path = "messages_check_tests.rs"]
mod tests;
