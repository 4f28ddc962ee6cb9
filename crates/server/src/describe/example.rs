//! An example for every schema: one of ours where it should tell something, otherwise one made from the schema.

use super::schemas::GIVEN;
use serde_json::{Map, Value, json};

/// Deeper than any schema goes that does not contain itself.
const DEPTH: usize = 16;

pub(super) fn of(schema: &Value, all: &Map<String, Value>) -> Value {
    made(schema, all, DEPTH)
}

fn made(schema: &Value, all: &Map<String, Value>, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    let deeper = |schema: &Value| made(schema, all, depth - 1);
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix(GIVEN)) {
        return told(name).or_else(|| all.get(name).map(deeper)).unwrap_or_default();
    }
    if let Some(example) = schema["examples"].get(0) {
        return example.clone();
    }
    if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    let choice = ["anyOf", "oneOf"].iter().find_map(|word| schema[*word].get(0));
    if schema["properties"].is_object() {
        let mut object = object(schema, &deeper);
        if let Some(Value::Object(chosen)) = choice.map(deeper) {
            object.extend(chosen);
        }
        return Value::Object(object);
    }
    choice.map_or_else(|| plain(schema, &deeper), deeper)
}

fn object(schema: &Value, deeper: &impl Fn(&Value) -> Value) -> Map<String, Value> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.map(|(name, field)| (name.clone(), deeper(field))).collect()
}

fn plain(schema: &Value, deeper: &impl Fn(&Value) -> Value) -> Value {
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str());
    match kind {
        Some("string") => json!("text"),
        Some("integer") => schema.get("default").cloned().unwrap_or_else(|| json!(1)),
        Some("number") => json!(0.5),
        Some("boolean") => json!(false),
        Some("array") => schema.get("items").map_or_else(|| json!([]), |items| json!([deeper(items)])),
        Some("object") => json!({}),
        _ => Value::Null,
    }
}

/// The examples that are worth reading.
fn told(name: &str) -> Option<Value> {
    Some(match name {
        "AbilityText" => json!({
            "name": "weekly_report", "content": "Write the report of the week that ends on {{DATE}}.",
            "description": "How the report of the week is written",
        }),
        "AgentFields" => {
            json!({ "name": "gardener", "system_prompt": "You know plants.", "capabilities": ["current_time"] })
        }
        "AgentFile" => json!({
            "format": "majordomo-agent", "version": 1, "agent": { "name": "gardener", "system_prompt": "You know plants." },
        }),
        "ChatBody" => json!({ "message": "When do I sow tomatoes?" }),
        "Confirmation" => json!({ "password": "correct horse" }),
        "Credentials" => json!({ "name": "Ada", "password": "correct horse" }),
        "Founding" => {
            json!({ "token": "the part of the set-up link behind #", "name": "Ada", "password": "correct horse" })
        }
        "DefaultModelFields" => json!({ "model": "demo" }),
        "MeChange" => json!({ "time_zone": "Europe/Athens" }),
        "Passwords" => json!({ "old": "correct horse", "new": "battery staple" }),
        "ProviderFields" => json!({ "wire": "openai", "base_url": "http://127.0.0.1:11434/v1" }),
        "ProviderChange" => json!({ "images": { "qwen3-eyes:8b": true } }),
        "UserChange" => json!({ "role": "admin" }),
        "NewSession" => json!({ "agent_id": id("agent"), "name": "Tomatoes" }),
        "SessionChange" => json!({ "name": "Tomatoes and basil" }),
        "NewMessage" => json!({ "content": "When do I sow tomatoes?" }),
        "NewUser" => json!({ "name": "Grace", "role": "member" }),
        "KeyFields" => json!({ "name": "laptop", "scope": "chat" }),
        "User" => json!({
            "id": id("user"), "name": "Ada", "role": "owner", "time_zone": "Europe/Athens", "language": "en",
            "budget": { "house": {}, "own": {} }, "created_at": "2026-11-15T08:00:00.123Z",
        }),
        "Me" => {
            json!({ "id": id("user"), "name": "Ada", "role": "owner", "time_zone": "Europe/Athens", "language": "en",
                "about_me": "I cook for four.", "budget": { "house": {}, "own": { "per_day_microusd": 2_000_000 } } })
        }
        "Problem" => json!({
            "type": "urn:majordomo:problem:bad_field", "title": "A field is wrong", "status": 400,
            "detail": "content: invalid type: integer `1`, expected a string at line 1 column 12", "code": "bad_field",
        }),
        _ => return None,
    })
}

fn id(prefix: &str) -> String {
    format!("{prefix}_01980000000070008000000000000001")
}
