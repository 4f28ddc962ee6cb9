//! Asks the person. With a timeout the answer falls back to the default; without one the agent waits for the person.

use super::{AttributeSpec, Content, ElementCall, ElementSpec, attribute};
use crate::{Attributes, Target};
use serde_json::{Map, Value, json};

const ATTRIBUTES: &[AttributeSpec] = &[
    attribute("options", "choices, separated by commas"),
    attribute("timeout", "seconds after which the default is the answer"),
    attribute("default", "the answer when none comes in time"),
];

pub(super) const SPEC: ElementSpec = ElementSpec {
    name: "ask",
    about: "asks the person its content and waits for the answer",
    example: r#"<ask options="yes, no" timeout="30s" default="no">Shall I go on?</ask>"#,
    attributes: ATTRIBUTES,
    content: Content::Raw,
    call: Some(|attributes, question| ElementCall {
        target: Target::User,
        arguments: question_arguments(attributes, question),
    }),
    ..ElementSpec::DEFAULT
};

fn question_arguments(attributes: &Attributes, question: &str) -> Map<String, Value> {
    let demands = attributes.get("demand").is_some_and(|value| value != "false");
    let timeout = attributes.get("timeout").and_then(milliseconds).filter(|_| !demands);
    let mut arguments = Map::from_iter([
        ("question".to_owned(), json!(question)),
        ("mode".to_owned(), json!(if timeout.is_some() { "timeout" } else { "demand" })),
    ]);
    if let Some(timeout) = timeout {
        arguments.insert("timeout_ms".to_owned(), json!(timeout));
        arguments.insert("default".to_owned(), json!(attributes.get("default").unwrap_or_default()));
    } else if let Some(default) = attributes.get("default") {
        arguments.insert("default".to_owned(), json!(default));
    }
    let choices = attributes.get("options").unwrap_or_default().split(',').map(str::trim);
    let choices: Vec<&str> = choices.filter(|choice| !choice.is_empty()).collect();
    if !choices.is_empty() {
        arguments.insert("options".to_owned(), json!(choices));
    }
    arguments
}

/// `30` and `30s` are seconds; `500ms`, `5m` and `2h` are what they say. No time at all is no timeout.
pub(crate) fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let factor = match unit.trim() {
        "" | "s" => 1000,
        "ms" => 1,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|time| *time > 0)
}
