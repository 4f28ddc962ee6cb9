//! The arguments of a call, as text that became complete.

use serde_json::{Map, Value};

/// Always an object; or the text, when that is none. No arguments at all are an empty object: that is how models call a
/// tool that needs none.
pub(crate) fn arguments(text: String) -> Result<Value, String> {
    match text.trim() {
        "" | "null" => Ok(Value::Object(Map::new())),
        trimmed => match serde_json::from_str(trimmed) {
            Ok(object @ Value::Object(_)) => Ok(object),
            _ => Err(text),
        },
    }
}
