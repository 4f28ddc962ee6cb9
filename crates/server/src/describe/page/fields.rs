//! The fields of a body, as a table.

use super::{html, write};
use serde_json::Value;

/// Fields of fields of fields are left to the schema.
const DEPTH: usize = 2;

pub(super) fn table(page: &mut String, operation: &Value, document: &Value) {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let mut rows = String::new();
    collect(&mut rows, schema, document, "", DEPTH);
    if !rows.is_empty() {
        write(
            page,
            format_args!(
                "<div class=\"wide\"><table><thead><tr><th>field (* required)</th><th>type</th><th>what</th></tr></thead>\
                 <tbody>{rows}</tbody></table></div>"
            ),
        );
    }
}

/// What a reference names; a schema that is none is itself.
fn resolved<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let place = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    place.and_then(|place| document.pointer(place)).unwrap_or(schema)
}

fn collect(rows: &mut String, schema: &Value, document: &Value, before: &str, depth: usize) {
    let schema = resolved(schema, document);
    if depth == 0 {
        return;
    }
    let is_required =
        |name: &str| schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{before}{name}");
        let described =
            field["description"].as_str().or_else(|| resolved(field, document)["description"].as_str());
        let mark = if is_required(name) { " *" } else { "" };
        write(
            rows,
            format_args!(
                "<tr><td><code>{}</code>{mark}</td><td>{}</td><td>{}</td></tr>",
                html::escape(&path),
                words(field, document),
                html::inline(described.unwrap_or_default()),
            ),
        );
        let branches = ["anyOf", "oneOf"].iter().find_map(|word| field[*word].as_array());
        let inner = branches.and_then(|branches| branches.first()).unwrap_or(field);
        collect(rows, inner, document, &format!("{path}."), depth - 1);
    }
}

/// A reference to a choice of words is told as that choice.
fn words(field: &Value, document: &Value) -> String {
    let branches = ["anyOf", "oneOf"].iter().find_map(|word| field[*word].as_array());
    if let Some(branches) = branches {
        let kinds: Vec<String> = branches.iter().map(|branch| words(branch, document)).collect();
        return kinds.join(" or ");
    }
    let target = resolved(field, document);
    let choices =
        target["oneOf"].as_array().into_iter().flatten().filter_map(|choice| choice["const"].as_str());
    let choices: Vec<String> =
        choices.map(|choice| format!("<code>{}</code>", html::escape(choice))).collect();
    match (choices.is_empty(), target["enum"].is_array()) {
        (false, _) => choices.join(", "),
        (true, true) => html::kind(target),
        (true, false) => html::kind(field),
    }
}
