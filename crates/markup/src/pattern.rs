//! `<tool_use name="…">` and `<function_call name="…">`.

use crate::{
    interaction,
    json::{self, Dialect},
};
use serde_json::{Value, json};

/// Characters of a body that is no object and becomes the argument `input`.
const INPUT: usize = 1000;

/// An object in JSON or JSON5; nothing; or else whatever stands there.
pub(crate) fn arguments(body: &str) -> Value {
    let body = body.trim();
    if body.is_empty() {
        return json!({});
    }
    match json::parse(body, Dialect::Json5) {
        Some(value @ Value::Object(_)) => interaction::clean(value),
        _ => json!({ "input": body.chars().take(INPUT).collect::<String>() }),
    }
}
