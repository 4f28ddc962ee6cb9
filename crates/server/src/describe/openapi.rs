//! The OpenAPI document: the router's table, the types of its handlers, and the words about them.

use super::{
    about::{self, About},
    access,
    chapters::{SECOND_ADDRESSES, chapters, tag},
    example,
    schemas::{GIVEN, Schemas},
    shape::Shape,
};
use crate::{
    problem::{PROBLEM_JSON, problem_kinds},
    router::{Route, table},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

/// What every route may answer.
const ALWAYS: [&str; 7] =
    ["crowded", "foreign_origin", "internal", "misdirected", "shutting_down", "too_large", "unavailable"];

/// An error; `code` is for programs, `detail` for people.
#[derive(Serialize, JsonSchema)]
struct Problem {
    r#type: String,
    title: String,
    status: u16,
    detail: String,
    code: String,
    /// The detail once more, for the clients of the chat routes; nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// The OpenAPI document. It never changes while the program runs.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(build);
    &DOCUMENT
}

fn build() -> Value {
    let mut schemas = Schemas::new();
    schemas.given::<Problem>();
    let mut paths = Map::new();
    for route in table() {
        let about = about::find(route.method, route.path);
        let operation = operation(&route, about, &mut schemas);
        let path = paths.entry(route.path.replace("{*", "{")).or_insert_with(|| json!({}));
        path[route.method.to_ascii_lowercase()] = operation;
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Majordomo",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            "description": DESCRIPTION,
        },
        "servers": [{ "url": "/" }],
        "tags": chapters(),
        "paths": paths,
        "components": { "securitySchemes": access::schemes() },
        "x-problems": problems(),
    });
    let all = schemas.finish(&mut document);
    add_examples(&mut document["paths"], &all);
    document["components"]["schemas"] = Value::Object(all);
    document
}

const DESCRIPTION: &str = "JSON in snake_case; ids are strings. Creating answers 201 with the object, deleting 204, \
    everything else 200. Lists are `{items, total, next_cursor}`. Errors are `application/problem+json` with a stable \
    `code`; all codes are in `x-problems`. An object of another person is a 404. `/api/…` is another spelling of `/v1/…`.";

fn operation(route: &Route, about: Option<&About>, schemas: &mut Schemas) -> Value {
    let mut shape = Shape::new(route.path, schemas);
    (route.describe)(&mut shape);
    if let Some(also) = about.and_then(|about| about.also) {
        also(&mut shape);
    }
    shape.codes(&ALWAYS);
    shape.codes(&access::codes(route.access));
    shape.codes(about.map_or(&[], |about| about.codes));
    if route.method != "GET" {
        shape.codes(&["disk_full"]);
    }
    if route.kind.is_some() {
        shape.codes(&["too_many_at_once"]);
    }
    if route.begins_turn.is_some() {
        shape.codes(&["overloaded"]);
    }
    let Shape { parameters, body, answers, codes, .. } = shape;
    let mut responses = Map::new();
    for answer in answers {
        let described = || json!({ "description": reason(answer.status) });
        let response = responses.entry(answer.status.to_string()).or_insert_with(described);
        // The same status may come with different kinds of content.
        if let Some((kind, schema)) = answer.content {
            response["content"][kind] = json!({ "schema": schema });
        }
    }
    responses.extend(refusals(&codes));
    let mut operation = json!({
        "operationId": operation_id(route),
        "tags": [tag(route.path)],
        "summary": about.map_or("", |about| about.summary),
        "description": about.map_or("", |about| about.detail),
        "security": access::security(route.access),
        "x-access": access::words(route.access),
        "responses": responses,
    });
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = body {
        operation["requestBody"] = body;
    }
    operation
}

fn reason(status: u16) -> &'static str {
    match status {
        201 => "It was created.",
        202 => "It was accepted; a person has to decide before it continues.",
        204 => "It was done.",
        101 => "The connection is a WebSocket now.",
        _ => "The answer.",
    }
}

/// One answer per status, with the codes that it can have.
fn refusals(codes: &BTreeSet<&'static str>) -> Map<String, Value> {
    let mut by_status = BTreeMap::<u16, Vec<_>>::new();
    for kind in problem_kinds().iter().filter(|kind| codes.contains(kind.code)) {
        by_status.entry(kind.status).or_default().push(kind);
    }
    let refusal = |(status, kinds): (u16, Vec<&crate::problem::ProblemKind>)| {
        let words: Vec<String> =
            kinds.iter().map(|kind| format!("`{}`: {}.", kind.code, kind.title)).collect();
        let names: Vec<&str> = kinds.iter().map(|kind| kind.code).collect();
        let schema = json!({
            "allOf": [{ "$ref": format!("{GIVEN}Problem") }],
            "properties": { "status": { "const": status }, "code": { "enum": names } },
        });
        let examples: Map<String, Value> = kinds
            .iter()
            .map(|kind| (kind.code.to_owned(), json!({ "value": problem_example(kind) })))
            .collect();
        let content = json!({ PROBLEM_JSON: { "schema": schema, "examples": examples } });
        (status.to_string(), json!({ "description": words.join(" "), "content": content }))
    };
    by_status.into_iter().map(refusal).collect()
}

/// The detail of a real one says what is wrong here; its remedy is the next best.
fn problem_example(kind: &crate::problem::ProblemKind) -> Value {
    json!({
        "type": format!("urn:majordomo:problem:{}", kind.code),
        "title": kind.title,
        "status": kind.status,
        "detail": kind.remedy,
        "code": kind.code,
    })
}

fn problems() -> Vec<Value> {
    let problem = |kind: &crate::problem::ProblemKind| json!({ "code": kind.code, "status": kind.status, "title": kind.title, "remedy": kind.remedy });
    problem_kinds().iter().map(problem).collect()
}

fn operation_id(route: &Route) -> String {
    let words = route.path.split('/').filter(|word| !word.is_empty() && *word != "v1");
    let words: Vec<String> =
        words.map(|word| word.trim_matches(['{', '}', '*']).replace(['-', '.', ':'], "_")).collect();
    let which = match route.path {
        path if SECOND_ADDRESSES.contains(&path) => "_unversioned",
        "/setup" => "_page",
        _ => "",
    };
    format!("{}_{}{which}", route.method.to_ascii_lowercase(), words.join("_"))
}

/// Each body, in either direction, gets an example of what it looks like.
fn add_examples(value: &mut Value, all: &Map<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "application/json" => field["example"] = example::of(&field["schema"], all),
                    _ => add_examples(field, all),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| add_examples(item, all)),
        _ => {}
    }
}

#[cfg(test)]
#[path = "openapi_tests.rs"]
mod tests;
