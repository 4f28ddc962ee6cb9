//! The arguments of a call, as text that became complete.

use serde_json::{Map, Value};

/// More is no call but a mistake: no tool reads it, and everything that is done with it takes its time. Long texts go into
/// files, piece by piece.
pub const MOST_ARGUMENT_BYTES: usize = 1 << 20;

/// Always an object; or the text, when that is none. No arguments at all are an empty object: that is how models call a
/// tool that needs none, unless the model was `cut` off before it could say which. What is too long is not read.
pub(crate) fn arguments(text: String, cut: bool) -> Result<Value, String> {
    if text.len() > MOST_ARGUMENT_BYTES {
        return Err(text);
    }
    match text.trim() {
        "" | "null" if !cut => Ok(Value::Object(Map::new())),
        trimmed => match serde_json::from_str(trimmed) {
            Ok(object @ Value::Object(_)) => Ok(object),
            _ => Err(text),
        },
    }
}
