//! A capability as the API shows it.

use crate::CapabilityInfo;
use domain::{EffectClass, ToolSpec};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CapabilityView {
    #[serde(flatten)]
    pub info: CapabilityInfo,
    pub tools: Vec<ToolView>,
    pub settings_schema: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolView {
    #[serde(flatten)]
    pub spec: ToolSpec,
    pub class: EffectClass,
}

impl ToolView {
    /// Arguments that the tool takes: what it needs, made of what its schema says.
    pub fn example(&self) -> Value {
        sample(&self.spec.parameters)
    }
}

/// Schemas are ours or were checked when they were read, and are not deep; beyond this nothing is made up.
const DEEPEST: usize = 8;

fn sample(schema: &Value) -> Value {
    sample_within(schema, DEEPEST)
}

fn sample_within(schema: &Value, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    let first =
        |name: &str| schema.get(name).and_then(Value::as_array).and_then(|list| list.first()).cloned();
    if let Some(given) = first("examples").or_else(|| schema.get("const").cloned()).or_else(|| first("enum"))
    {
        return given;
    }
    if let Some(one) = first("oneOf").or_else(|| first("anyOf")) {
        return sample_within(&one, depth - 1);
    }
    let kind = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None => schema.get("properties").map(|_| "object"),
    };
    let least = |name: &str| schema.get(name).and_then(Value::as_i64);
    match kind {
        Some("object") => {
            let needed = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let of =
                |name: &str| schema.get("properties").and_then(|all| all.get(name)).unwrap_or(&Value::Null);
            let made = needed.filter_map(Value::as_str).map(|name| {
                let value = match sample_within(of(name), depth - 1) {
                    Value::String(text) if text == PLAIN => Value::from(words(name)),
                    other => other,
                };
                (name.to_owned(), value)
            });
            Value::Object(made.collect())
        }
        Some("array") => {
            let items = schema.get("items").map(|items| sample_within(items, depth - 1));
            Value::Array(items.into_iter().collect())
        }
        Some("integer" | "number") => Value::from(least("minimum").unwrap_or(1)),
        Some("boolean") => Value::from(true),
        Some("null") => Value::Null,
        _ => Value::from(PLAIN),
    }
}

const PLAIN: &str = "text";

/// What a person would write there.
fn words(name: &str) -> &'static str {
    match name {
        "url" => "https://example.com/",
        "path" => "/notes/today.md",
        "pattern" => "to do",
        "query" | "search" => "good boots",
        "command" => "ls -l",
        "code" => "print(6 * 7)",
        "city" | "location" => "Athens",
        "timezone" | "time_zone" => "Europe/Athens",
        _ => PLAIN,
    }
}
