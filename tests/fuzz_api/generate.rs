//! Values that a schema asks for.

use crate::{actor::PASSWORDS, document::Document};
use rand::{RngExt, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Map, Value, json};

const WORDS: [&str; 12] =
    ["text", "Ada", "basic", "demo", "*", "current_time", "UTC", "en", "Grüße 👋", "a b", "x", "hello there"];
const DEPTH: usize = 8;

/// What can be named: ids that were seen, and models that there are.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub ids: &'a [String],
    pub models: &'a [String],
}

/// A value for a parameter or field of this name.
pub fn named_value(
    document: &Document,
    name: &str,
    schema: &Value,
    known: Known<'_>,
    dice: &mut StdRng,
) -> Value {
    named(document, name, schema, known, dice, DEPTH)
}

pub fn value(document: &Document, schema: &Value, known: Known<'_>, dice: &mut StdRng) -> Value {
    made(document, schema, known, dice, DEPTH)
}

fn made(document: &Document, schema: &Value, known: Known<'_>, dice: &mut StdRng, depth: usize) -> Value {
    let schema = document.resolve(schema);
    if depth == 0 {
        return Value::Null;
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        return patterned(pattern, known.ids, dice);
    }
    if let Some(fixed) = schema.get("const") {
        return fixed.clone();
    }
    if let Some(choice) = schema["enum"].as_array().and_then(|choices| choices.choose(dice)) {
        return choice.clone();
    }
    let branches = ["anyOf", "oneOf"].iter().find_map(|word| schema[*word].as_array());
    if let Some(branch) = branches.and_then(|branches| branches.choose(dice)) {
        return made(document, branch, known, dice, depth - 1);
    }
    if schema["properties"].is_object() {
        return object(document, schema, known, dice, depth);
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.choose(dice).and_then(Value::as_str).unwrap_or("null"),
        kind => kind.as_str().unwrap_or("object"),
    };
    match kind {
        "string" if schema["format"] == "date-time" => json!("2031-05-06T07:08:09.123Z"),
        "string" => json!(WORDS.choose(dice).unwrap_or(&"text")),
        "integer" => {
            let low = schema["minimum"].as_i64().unwrap_or(0);
            let high = schema["maximum"].as_i64().unwrap_or(200).max(low);
            json!(dice.random_range(low..=high))
        }
        "number" => json!(dice.random_range(0..=10) as f64 / 10.0),
        "boolean" => json!(dice.random_bool(0.5)),
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0);
            let count = dice.random_range(0..3).max(least);
            (0..count).map(|_| made(document, &schema["items"], known, dice, depth - 1)).collect()
        }
        "object" => json!({}),
        _ => Value::Null,
    }
}

fn object(document: &Document, schema: &Value, known: Known<'_>, dice: &mut StdRng, depth: usize) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    // Much that may be said makes sense only with something else; so half of the time nothing is said that need not be.
    let is_brief = dice.random_bool(0.5);
    let mut fields = Map::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) || name == "name" || (!is_brief && dice.random_bool(0.3)) {
            fields.insert(name.clone(), named(document, name, field, known, dice, depth));
        }
    }
    Value::Object(fields)
}

/// A few fields mean something that their schema cannot say.
fn named(
    document: &Document,
    name: &str,
    field: &Value,
    known: Known<'_>,
    dice: &mut StdRng,
    depth: usize,
) -> Value {
    match name {
        "name" => json!(format!("name{}", dice.random_range(0..1_000_000))),
        "password" | "old" | "new" => json!(PASSWORDS.choose(dice)),
        "role" => json!(["member", "guest", "admin"].choose(dice)),
        "expires_at" => json!("2031-05-06T07:08:09.123Z"),
        "time_zone" => json!(["Europe/Athens", "UTC"].choose(dice)),
        "model" => json!(known.models.choose(dice)),
        "handler" => json!("basic"),
        // Whether its ids are there once and its modifiers fit, no schema says.
        "prompt_tree" => json!({ "nodes": [{ "id": "rules", "text": "Be brief." }] }),
        // The demo shows a prompt and asks a question when it is asked for everything; these are answers to them.
        "content" => {
            json!(["show me what you can do", "hello there", "Grüße 👋", "ask for approval"].choose(dice))
        }
        "answer" => json!(["red", "tea", "hello there"].choose(dice)),
        "subject" => json!("*"),
        "tool" => json!(["bash", "web_fetch", "no such tool"].choose(dice)),
        "seq" => json!(dice.random_range(0..3)),
        "line" => json!(["/help", "/session list", "hello there"].choose(dice)),
        "format" => json!("majordomo-agent"),
        "version" => json!(1),
        "mode" => json!(["queue", "steer"].choose(dice)),
        // Nothing here may reach out of the machine.
        "base_url" => json!("http://127.0.0.1:9/v1"),
        _ => made(document, field, known, dice, depth - 1),
    }
}

/// Ids that exist, mostly.
fn patterned(pattern: &str, ids: &[String], dice: &mut StdRng) -> Value {
    if pattern.starts_with("^[0-9]") {
        return json!(dice.random_range(0..30).to_string());
    }
    // One of several is `(one|another)`, which may be before the digits or around everything.
    let inside = pattern.trim_start_matches(['^', '(']);
    let choices: Vec<&str> = inside.split("_[").next().unwrap_or_default().split(['|', '(', ')']).collect();
    let choices: Vec<&str> = choices.into_iter().filter(|choice| !choice.is_empty()).collect();
    let prefix = *choices.choose(dice).unwrap_or(&"");
    if prefix == r"\*" {
        return json!("*");
    }
    let known: Vec<&String> = ids.iter().filter(|id| id.starts_with(&format!("{prefix}_"))).collect();
    match known.choose(dice) {
        Some(id) if dice.random_bool(0.85) => json!(id),
        _ => json!(format!("{prefix}_{:032x}", dice.random::<u128>())),
    }
}
