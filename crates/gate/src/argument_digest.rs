//! Arguments in one spelling, and the digest that names exactly one call.

use domain::{AgentId, CallId, SessionId, canonical_tool};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// JSON with sorted names and without a space; a number as it was read.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut names: Vec<&String> = map.keys().collect();
            names.sort_unstable();
            text.push('{');
            for (index, name) in names.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(map.get(name).unwrap_or(&Value::Null), text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

pub fn same(left: &Value, right: &Value) -> bool {
    canonical(left) == canonical(right)
}

/// Names this call, by this agent in this session, with these arguments, and nothing else.
pub fn digest(tool: &str, agent: AgentId, session: SessionId, call: CallId, arguments: &Value) -> String {
    let mut hasher = Sha256::new();
    let parts = [
        canonical_tool(tool).to_owned(),
        agent.to_string(),
        session.to_string(),
        call.to_string(),
        canonical(arguments),
    ];
    for part in &parts {
        // Each part with its length before it: no two calls have the same encoding.
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(part.as_bytes());
    }
    let hash: [u8; 32] = hasher.finalize().into();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
#[path = "argument_digest_tests.rs"]
mod tests;
