//! References between schemas.

use serde_json::Value;

/// Replaces every reference for which `rename` has another.
pub(super) fn rewrite(value: &mut Value, rename: &impl Fn(&str) -> Option<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let renamed = field.as_str().filter(|_| name == "$ref").and_then(rename);
                match renamed {
                    Some(renamed) => *field = Value::String(renamed),
                    None => rewrite(field, rename),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, rename)),
        _ => {}
    }
}

/// The names that a schema refers to.
pub(super) fn names<'a>(value: &'a Value, prefix: &str) -> Vec<&'a str> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(prefix));
            own.into_iter().chain(fields.values().flat_map(|field| names(field, prefix))).collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| names(item, prefix)).collect(),
        _ => Vec::new(),
    }
}
