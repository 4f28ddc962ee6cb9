use super::*;
use serde_json::json;

fn schema() -> Schema {
    Schema::compile(&json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "minimum": 1, "maximum": 7 },
            "word": { "type": "string", "minLength": 1, "maxLength": 5 },
            "unit": { "enum": ["c", "f"] },
            "host": { "pattern": "^[a-z.]+$" },
            "tasks": {
                "type": "array",
                "maxItems": 2,
                "items": { "type": "object", "required": ["status"], "properties": { "status": { "type": "string" } } }
            }
        },
        "required": ["count"],
        "additionalProperties": false
    }))
    .unwrap()
}

#[test]
fn each_problem_is_told_in_words_that_name_the_parameter() {
    for (arguments, words) in [
        (json!({}), "the required parameter `count` is missing"),
        (json!({"count": "3"}), "parameter `count` must be of type integer"),
        (json!({"count": null}), "parameter `count` must be of type integer"),
        (json!({"count": 0}), "parameter `count` must be at least 1"),
        (json!({"count": 8}), "parameter `count` must be at most 7"),
        (json!({"count": 1, "word": ""}), "parameter `word` must not be empty"),
        (json!({"count": 1, "word": "abcdef"}), "parameter `word` must have at most 5 characters"),
        (json!({"count": 1, "unit": "k"}), "parameter `unit` must be one of [\"c\",\"f\"]"),
        (json!({"count": 1, "other": 1}), "there is no parameter `other`"),
        (json!({"count": 1, "tasks": [{}, {}, {}]}), "parameter `tasks` must have at most 2 items"),
        (
            json!({"count": 1, "tasks": [{}]}),
            "the required parameter `status` is missing in parameter `tasks.0`",
        ),
        (json!({"count": 1, "tasks": [{"status": 1}]}), "parameter `tasks.0.status` must be of type string"),
        (json!({"count": 1, "host": "no host"}), "parameter `host` must match \"^[a-z.]+$\""),
        (json!([]), "the whole set of arguments must be of type object"),
        (Value::Null, "the whole set of arguments must be of type object"),
    ] {
        assert_eq!(schema().check(&arguments), Err(words.to_owned()), "{arguments}");
    }
    assert_eq!(schema().check(&json!({"count": 3, "unit": "c", "word": "abcde"})), Ok(()));
}

#[test]
fn the_message_never_repeats_the_value_and_is_never_long() {
    let long = "secret".repeat(200_000);
    let of_value = schema().check(&json!({"count": 1, "word": long})).unwrap_err();
    assert!(!of_value.contains("secret"), "{of_value}");
    let of_name = schema().check(&json!({"count": 1, long: 1})).unwrap_err();
    assert!(of_name.chars().count() <= MESSAGE_CHARS + 1, "{} characters", of_name.chars().count());
}

#[test]
fn a_schema_that_is_wrong_or_points_outside_is_refused() {
    assert!(Schema::compile(&json!({ "type": "nonsense" })).is_err());
    assert!(Schema::compile(&json!({ "$ref": "https://example.com/schema.json" })).is_err());
    assert!(Schema::compile(&json!({ "$ref": "file:///etc/passwd" })).is_err());
}

#[test]
fn what_is_not_understood_is_refused_also_deep_inside() {
    for schema in [
        json!({ "pattern": "(" }),
        json!({ "pattern": 1 }),
        json!({ "properties": { "a": { "items": { "format": "uri" } } } }),
        json!({ "additionalProperties": { "oneOf": [] } }),
        json!({ "required": [1] }),
        json!({ "minLength": -1 }),
        json!({ "maximum": "7" }),
        json!(true),
    ] {
        assert!(Schema::compile(&schema).is_err(), "{schema}");
    }
}

/// Values of every kind, from the empty one to one level deep.
fn values() -> Vec<Value> {
    let plain = vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(1.0),
        json!(1.5),
        json!(7),
        json!(-3),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("c"),
        json!("äöüßé"),
        json!("abcdef"),
        json!([]),
        json!({}),
    ];
    let lists = plain.iter().flat_map(|value| [json!([value]), json!([value, value, value])]);
    let names = ["count", "word", "unit", "tasks", "other", "status"];
    let objects = names.iter().flat_map(|name| plain.iter().map(move |value| json!({ *name: value })));
    let inside = plain.iter().map(|value| json!({ "count": 1, "tasks": [{ "status": value }] }));
    plain.iter().cloned().chain(lists).chain(objects).chain(inside).collect()
}

#[test]
fn it_agrees_with_a_whole_validator() {
    let kinds = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let mut schemas: Vec<Value> = kinds.iter().map(|kind| json!({ "type": kind })).collect();
    schemas.extend([
        json!({}),
        json!({ "type": ["string", "null"] }),
        json!({ "enum": ["c", 1, null, [], {}] }),
        json!({ "minimum": 1, "maximum": 6.5 }),
        json!({ "minLength": 1, "maxLength": 5 }),
        json!({ "pattern": "^[a-c]" }),
        json!({ "minItems": 1, "maxItems": 2, "items": { "type": "string", "minLength": 1 } }),
        json!({ "properties": { "count": { "type": "integer" } }, "additionalProperties": { "type": "string" } }),
        json!({ "properties": { "count": true_schema() }, "required": ["count"], "additionalProperties": false }),
        json!({ "type": "object", "properties": { "tasks": { "type": "array", "items": {
            "type": "object", "properties": { "status": { "enum": ["c", 0] } }, "required": ["status"],
            "additionalProperties": false } } } }),
    ]);
    let built_in = crate::Registry::builtin().unwrap().list();
    schemas.extend(built_in.iter().flat_map(|view| &view.tools).map(|tool| tool.spec.parameters.clone()));
    schemas.extend(built_in.into_iter().filter_map(|view| view.settings_schema));
    for schema in schemas {
        let (ours, whole) = (Schema::compile(&schema).unwrap(), jsonschema::validator_for(&schema).unwrap());
        for value in values() {
            assert_eq!(ours.check(&value).is_ok(), whole.is_valid(&value), "{schema} {value}");
        }
    }
}

fn true_schema() -> Value {
    json!({ "description": "anything" })
}
