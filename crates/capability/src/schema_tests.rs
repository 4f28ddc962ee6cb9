use super::*;
use serde_json::json;

fn schema() -> Schema {
    Schema::compile(&json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "minimum": 1, "maximum": 7 },
            "word": { "type": "string", "minLength": 1, "maxLength": 5 },
            "unit": { "enum": ["c", "f"] },
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
