//! What an interaction asks for: its JSON, its list of them, or its attributes.

use crate::{Attributes, Target, authority};
use serde_json::{Map, Value};

/// One valid interaction. Invalid ones are nothing.
#[derive(Debug, PartialEq)]
pub(crate) struct Interaction {
    /// The agent's own name for it, if it gave one.
    pub(crate) id: Option<String>,
    pub(crate) target: Target,
    pub(crate) property: String,
    pub(crate) payload: Value,
}

/// Those of an object or an array that are valid.
pub(crate) fn from_json(value: Value) -> Vec<Interaction> {
    match value {
        Value::Array(items) => items.into_iter().filter_map(from_object).collect(),
        object => from_object(object).into_iter().collect(),
    }
}

fn from_object(value: Value) -> Option<Interaction> {
    let Value::Object(mut members) = value else { return None };
    let mut text = |name: &str| match members.remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    };
    let (id, target, property) = (text("interaction_id")?, text("target_id")?, text("target_property")?);
    let payload = members.remove("payload").unwrap_or(Value::Null);
    Some(Interaction { id: Some(id), target: Target::parse(&target), property, payload: clean(payload) })
}

/// Nothing is an empty object; no authority comes with it.
pub(crate) fn clean(payload: Value) -> Value {
    let mut payload = if payload.is_null() { Value::Object(Map::new()) } else { payload };
    authority::strip(&mut payload);
    payload
}

/// Whether the attributes alone can say what is asked for.
pub(crate) fn attributes_suffice(attributes: &Attributes) -> bool {
    property(attributes).is_some()
}

fn property(attributes: &Attributes) -> Option<&str> {
    let named = |name| attributes.get(name).filter(|value| !value.is_empty());
    named("type").or_else(|| named("target_property"))
}

/// `<interaction type="websearch" id="x" query="…">body</interaction>`.
pub(crate) fn from_attributes(attributes: &Attributes, body: &str) -> Option<Interaction> {
    const OWN: [&str; 5] = ["type", "target_property", "interaction_id", "id", "target_id"];
    let own = |name: &str| OWN.contains(&name);
    let property = property(attributes)?.to_owned();
    let id = attributes.get("interaction_id").or_else(|| attributes.get("id")).map(str::to_owned);
    let target = Target::parse(attributes.get("target_id").unwrap_or("@system"));
    let others = attributes.iter().filter(|(name, _)| !own(name));
    let mut payload: Map<String, Value> =
        others.map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    let body = body.trim();
    if !body.is_empty() && !body.starts_with(['{', '[']) && !payload.contains_key("query") {
        payload.insert("query".to_owned(), Value::from(body));
    }
    Some(Interaction { id, target, property, payload: clean(Value::Object(payload)) })
}
