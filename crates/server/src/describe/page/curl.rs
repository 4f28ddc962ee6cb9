//! A line for the shell that calls a route.

use serde_json::Value;

/// What the lines expect to be set.
pub(super) const PREFACE: &str =
    "BASE=http://127.0.0.1:7777\nKEY=$(majordomo api-key new --user ada)    # shown once";

pub(super) fn line(method: &str, path: &str, operation: &Value) -> String {
    let mut line = String::from("curl");
    if method != "GET" {
        line.push_str(&format!(" -X {method}"));
    }
    let content = operation["responses"]["200"]["content"].as_object();
    if content.is_some_and(|content| content.contains_key("text/event-stream")) {
        line.push_str(" -N");
    }
    let shell: String = path.replace('{', "$").replace('}', "").to_string();
    let quoted = if shell.contains('$') { uppercase(&shell) } else { shell };
    line.push_str(&format!(" \"$BASE{quoted}\""));
    if operation["security"].as_array().is_some_and(|ways| !ways.is_empty()) {
        line.push_str(" \\\n  -H \"Authorization: Bearer $KEY\"");
    }
    let body = &operation["requestBody"]["content"]["application/json"]["example"];
    if !body.is_null() {
        line.push_str(&format!(
            " \\\n  -H 'Content-Type: application/json' \\\n  -d '{}'",
            quote(&body.to_string())
        ));
    }
    line
}

/// `$id` reads as a variable when it is `$ID`.
fn uppercase(path: &str) -> String {
    let word = |word: &str| if word.starts_with('$') { word.to_ascii_uppercase() } else { word.to_owned() };
    path.split('/').map(word).collect::<Vec<_>>().join("/")
}

/// For single quotes.
fn quote(text: &str) -> String {
    text.replace('\'', r"'\''")
}
