//! Every answer that a test gets is held against the API's own description: the status and the code are announced, the
//! body has the announced shape and no field more.

use super::wire::Answer;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| closed(server::openapi().clone()));

/// Panics when the answer is not one that the description allows.
#[track_caller]
pub fn check(method: &str, path: &str, answer: &Answer) {
    // The path of a public address, where a test sets one; without one there is nothing at it.
    let public = path.strip_prefix("/majordomo").filter(|_| answer.status != 404);
    let Some(operation) = operation(method, public.unwrap_or(path)) else {
        // The address of the page without its slash leads to it.
        let expected = [404, 405, 421, 403, 308];
        assert!(
            expected.contains(&answer.status),
            "{method} {path} answers {} and is not described",
            answer.status
        );
        return;
    };
    if method == "HEAD" {
        return;
    }
    let response = &operation["responses"][answer.status.to_string()];
    assert!(!response.is_null(), "{method} {path} answers {}, which is not described", answer.status);
    let kind = answer.header("content-type").split(';').next().unwrap_or_default().to_owned();
    if response["content"].is_null() {
        assert!(answer.bytes.is_empty(), "{method} {path} answers {} with a body", answer.status);
        return;
    }
    let content = &response["content"];
    let schema =
        content.get(&kind).or_else(|| content.get("*/*")).map_or(&Value::Null, |content| &content["schema"]);
    assert!(
        !schema.is_null(),
        "{method} {path} answers {} as {kind:?}, which is not described",
        answer.status
    );
    if kind.ends_with("json") {
        validate(schema, &answer.json(), &format!("{method} {path} {}", answer.status));
    }
}

/// One event of the stream that this request opened.
#[track_caller]
pub fn check_event(method: &str, path: &str, data: &Value) {
    let operation = operation(method, path).unwrap();
    let schema = &operation["responses"]["200"]["content"]["text/event-stream"]["schema"];
    validate(schema, data, &format!("an event of {method} {path}"));
}

#[track_caller]
pub fn check_value(schema: &str, value: &Value) {
    validate(&json!({ "$ref": format!("#/components/schemas/{schema}") }), value, schema);
}

/// Made once per schema: each holds the whole description.
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

fn validator(schema: &Value) -> Arc<Validator> {
    let mut known = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || {
        let mut schema = schema.clone();
        schema["components"] = DOCUMENT["components"].clone();
        Arc::new(jsonschema::draft202012::new(&schema).unwrap())
    };
    known.entry(schema.to_string()).or_insert_with(make).clone()
}

#[track_caller]
fn validate(schema: &Value, value: &Value, what: &str) {
    let validator = validator(schema);
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{what} is not as described: {wrong:#?}\n{value}");
}

/// The operation of a request, if its path and method are described.
fn operation(method: &str, path: &str) -> Option<&'static Value> {
    let path = path.split('?').next()?;
    let path = path.strip_prefix("/api/").map_or_else(|| path.to_owned(), |rest| format!("/v1/{rest}"));
    let method = if method == "HEAD" { "get".to_owned() } else { method.to_lowercase() };
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let fits = |template: &str| {
        let (mine, theirs): (Vec<&str>, Vec<&str>) =
            (path.split('/').collect(), template.split('/').collect());
        // The one name in braces that has slashes in it.
        let rest = theirs.last() == Some(&"{path}") && mine.len() > theirs.len();
        (rest || mine.len() == theirs.len())
            && mine
                .iter()
                .zip(&theirs)
                .all(|(mine, theirs)| mine == theirs || (theirs.starts_with('{') && !mine.is_empty()))
    };
    let mut fitting: Vec<(&String, &Value)> = paths.filter(|(template, _)| fits(template)).collect();
    fitting.sort_by_key(|(template, _)| template.matches('{').count());
    fitting.first()?.1.get(method)
}

const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The same schemas, but an object has no field that is not named.
fn closed(mut document: Value) -> Value {
    let schemas = document["components"]["schemas"].as_object_mut().unwrap();
    let mut fragments = BTreeSet::new();
    schemas.values().for_each(|schema| find_fragments(schema, &mut fragments));
    for (name, schema) in schemas {
        if fragments.contains(name) { close_inside(schema) } else { close(schema) }
    }
    document
}

/// The schemas that are only a part of an object: another one adds its fields.
fn find_fragments(schema: &Value, found: &mut BTreeSet<String>) {
    if schema["properties"].is_object() {
        for branch in BRANCHES.iter().flat_map(|word| schema[*word].as_array()).flatten() {
            found.extend(branch["$ref"].as_str().and_then(|name| name.rsplit('/').next()).map(str::to_owned));
        }
        found.extend(schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()).map(str::to_owned));
    }
    match schema {
        Value::Object(fields) => fields.values().for_each(|field| find_fragments(field, found)),
        Value::Array(items) => items.iter().for_each(|item| find_fragments(item, found)),
        _ => {}
    }
}

fn close(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    let composed = BRANCHES.iter().chain(&["$ref"]).any(|word| fields.contains_key(*word));
    if fields.contains_key("properties") && !fields.contains_key("additionalProperties") {
        let word = if composed { "unevaluatedProperties" } else { "additionalProperties" };
        fields.insert(word.to_owned(), Value::Bool(false));
        return close_inside(schema);
    }
    for (name, field) in fields {
        match (name.as_str(), field) {
            ("properties" | "$defs", Value::Object(fields)) => fields.values_mut().for_each(close),
            (_, Value::Array(items)) => items.iter_mut().for_each(close),
            (_, field) => close(field),
        }
    }
}

/// Closes what is in the fields, but not the object itself: what a branch names is named for the whole.
fn close_inside(schema: &mut Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.values_mut().for_each(close);
    }
    for word in BRANCHES {
        if let Some(Value::Array(branches)) = schema.get_mut(word) {
            branches.iter_mut().for_each(close_inside);
        }
    }
}
