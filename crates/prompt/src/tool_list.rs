//! The tools in words, for models that cannot be told of them otherwise.

use domain::ToolSpec;
use serde_json::Value;
use std::sync::Arc;

const INTRODUCTION: &str = "# Tools\n\nTo use a tool, write its tag outside of code, with the arguments as one JSON object. \
     The result comes back in the next message. Tags inside `<parallel_tool_calls>` run together, others in their order.";

/// Empty when there are none.
pub(crate) fn words(tools: &[Arc<ToolSpec>]) -> String {
    if tools.is_empty() {
        return String::new();
    }
    let sections = tools.iter().map(|tool| section(tool));
    std::iter::once(INTRODUCTION.to_owned()).chain(sections).collect::<Vec<_>>().join("\n\n")
}

fn section(tool: &ToolSpec) -> String {
    let parameters = tool.parameters.get("properties").and_then(Value::as_object);
    let required = tool.parameters.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let lines: Vec<String> = parameters
        .into_iter()
        .flatten()
        .map(|(name, schema)| line(name, schema, is_required(name)))
        .collect();
    let parameters = match lines.is_empty() {
        true => "It takes no arguments.".to_owned(),
        false => lines.join("\n"),
    };
    let example: Vec<String> = tool
        .parameters
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(name, _)| is_required(name))
        .map(|(name, schema)| format!("{name:?}: {}", sample(schema)))
        .collect();
    format!(
        "## {}\n\n{}\n\n{parameters}\n\n<tool_use name=\"{}\">{{{}}}</tool_use>",
        tool.name,
        tool.description,
        tool.name,
        example.join(", ")
    )
}

fn line(name: &str, schema: &Value, required: bool) -> String {
    let kind = match schema.get("enum").and_then(Value::as_array) {
        Some(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | "),
        None => kind(schema).to_owned(),
    };
    let required = if required { "Required" } else { "Optional" };
    let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    format!("- {name} ({kind}, {required}): {about}").trim_end_matches([':', ' ']).to_owned()
}

fn kind(schema: &Value) -> &str {
    schema.get("type").and_then(Value::as_str).unwrap_or("any")
}

/// Something of the right type, to show the form.
fn sample(schema: &Value) -> String {
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first()) {
        return first.to_string();
    }
    match kind(schema) {
        "integer" | "number" => "1",
        "boolean" => "true",
        "array" => "[]",
        "object" => "{}",
        _ => "\"…\"",
    }
    .to_owned()
}

#[cfg(test)]
#[path = "tool_list_tests.rs"]
mod tests;
