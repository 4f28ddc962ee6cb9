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

/// The name of a method, in its colour.
pub(super) fn method(method: &str) -> String {
    format!("<b class=\"method {}\">{}</b>", escape(&method.to_ascii_lowercase()), escape(method))
}

pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// What a value of this schema is, in a few words.
pub(super) fn kind(schema: &Value) -> String {
    let several = ["anyOf", "oneOf"].iter().find_map(|word| schema[*word].as_array());
    if let Some(several) = several {
        let mut kinds: Vec<String> = several.iter().map(kind).collect();
        kinds.dedup();
        return kinds.join(" or ");
    }
    if let Some(choices) = schema["enum"].as_array() {
        let choices: Vec<String> = choices.iter().filter_map(Value::as_str).map(escape).collect();
        return format!("<code>{}</code>", choices.join("</code>, <code>"));
    }
    if let Some(entry) = schema.get("items") {
        return format!("list of {}", kind(entry));
    }
    let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
    let kinds = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
    let words = match (name, schema["type"].as_str()) {
        (Some(name), _) => name.to_owned(),
        (None, Some(kind)) => kind.to_owned(),
        (None, None) if !kinds.is_empty() => kinds.join(" or "),
        (None, None) => "anything".to_owned(),
    };
    match (schema["minimum"].as_u64(), schema["maximum"].as_u64()) {
        (Some(low), Some(high)) => format!("{} {low} to {high}", escape(&words)),
        _ => escape(&words),
    }
}
