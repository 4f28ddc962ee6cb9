//! Text on its way into HTML.

use serde_json::Value;

/// THREAT[docs-01] Nothing of the document is markup, whoever wrote it.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Words between backticks become code.
pub(super) fn inline(text: &str) -> String {
    let pieces = text.split('`').enumerate().map(|(number, piece)| match number % 2 {
        0 => escape(piece),
        _ => format!("<code>{}</code>", escape(piece)),
    });
    pieces.collect()
}

pub(super) fn anchor(method: &str, path: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    format!("{}{}", method.to_ascii_lowercase(), path.chars().map(plain).collect::<String>())
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// The type of a parameter in a word.
pub(super) fn kind(schema: &Value) -> String {
    let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
    let words = name.or_else(|| schema["type"].as_str()).unwrap_or("anything");
    match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
        (Some(low), Some(high)) => format!("{} {low} to {high}", escape(words)),
        _ => escape(words),
    }
}
