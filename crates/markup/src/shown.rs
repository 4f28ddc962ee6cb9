//! What assertions show people, and what agents are told of it. Such an assertion does nothing else.

use crate::Order;
use crate::assertion::AssertionScan;
use serde_json::{Map, Value, json};

/// Tasks of one list.
const MOST_ITEMS: usize = 500;

/// An element that an assertion stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownElement {
    pub kind: &'static str,
    pub attributes: Map<String, Value>,
    pub content: String,
    pub children: Vec<ShownElement>,
}

/// What an assertion shows, and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownAssertion {
    pub element: ShownElement,
    pub result: Value,
}

/// What an assertion of this kind shows; in words what it lacks.
///
/// # Errors
/// When something is missing, naming it.
pub fn shown(kind: &str, arguments: &Value) -> Result<ShownAssertion, String> {
    let given = Given(arguments);
    match kind {
        "response" => {
            let content = given.words(&["message", "text", "content"]).ok_or("response needs `message`")?;
            Ok(ShownAssertion { element: plain("message", [], content), result: json!({ "sent": true }) })
        }
        "thinking" => {
            let content = given.words(&["message", "text", "content"]).ok_or("thinking needs `message`")?;
            let title = given.words(&["name"]).map(|name| ("title", name));
            Ok(ShownAssertion {
                element: plain("thinking", title, content),
                result: json!({ "displayed": true }),
            })
        }
        "link" => link(&given),
        "todo" => todo(&given),
        "progress" => Ok(progress(&given)),
        other => Err(format!("nothing is shown for {other}")),
    }
}

/// The members of `args` if there is such an object, otherwise all of them.
struct Given<'a>(&'a Value);

impl Given<'_> {
    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get("args").and_then(|inner| inner.get(name)).or_else(|| self.0.get(name))
    }

    fn words(&self, names: &[&str]) -> Option<String> {
        let found = names.iter().find_map(|name| self.get(name)?.as_str());
        found.filter(|words| !words.is_empty()).map(str::to_owned)
    }
}

fn plain(
    kind: &'static str,
    attributes: impl IntoIterator<Item = (&'static str, String)>,
    content: String,
) -> ShownElement {
    let attributes =
        attributes.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    ShownElement { kind, attributes, content, children: Vec::new() }
}

fn link(given: &Given<'_>) -> Result<ShownAssertion, String> {
    let mode = given.words(&["mode"]).unwrap_or_else(|| "external".to_owned());
    let label = given.words(&["label"]);
    let element = match mode.as_str() {
        "external" => {
            let url = given.words(&["url"]).ok_or("link needs `url`")?;
            plain("link", [("href", url.clone())], label.unwrap_or(url))
        }
        "internal" => {
            let message = given.words(&["messageId"]).ok_or("link with mode internal needs `messageId`")?;
            let label = label.unwrap_or_else(|| message.clone());
            plain("link", [("href", format!("#{message}"))], label)
        }
        "clipboard" => {
            let text = given.words(&["text"]).ok_or("link with mode clipboard needs `text`")?;
            plain("copy", label.map(|label| ("label", label)), text)
        }
        other => {
            return Err(format!("link knows the modes external, internal and clipboard, not {other:.40}"));
        }
    };
    Ok(ShownAssertion { element, result: json!({ "rendered": true, "mode": mode }) })
}

fn todo(given: &Given<'_>) -> Result<ShownAssertion, String> {
    let items = given.get("items").and_then(Value::as_array).ok_or("todo needs `items`")?;
    let mut counts = [("pending", 0_u64), ("in_progress", 0), ("completed", 0)];
    let mut list = plain("todo", given.words(&["name"]).map(|name| ("title", name)), String::new());
    for item in items.iter().take(MOST_ITEMS) {
        let text = item.as_str().or_else(|| item.get("text")?.as_str()).filter(|text| !text.is_empty());
        let said = item.get("status").and_then(Value::as_str).unwrap_or_default();
        let place = counts.iter().position(|(status, _)| *status == said).unwrap_or(0);
        let status = counts.get_mut(place).map_or("pending", |(status, count)| {
            *count += 1;
            *status
        });
        let text = text.unwrap_or("Untitled task").to_owned();
        list.children.push(plain("item", [("status", status.to_owned())], text));
    }
    let [pending, in_progress, completed] = counts.map(|(_, count)| count);
    let total = list.children.len();
    let result =
        json!({ "total": total, "pending": pending, "in_progress": in_progress, "completed": completed });
    Ok(ShownAssertion { element: list, result })
}

fn progress(given: &Given<'_>) -> ShownAssertion {
    let said = given.get("percentage").and_then(|value| match value {
        Value::String(text) => text.trim().trim_end_matches('%').parse::<f64>().ok(),
        other => other.as_f64(),
    });
    // What is no number is nothing.
    let share = said.filter(|share| !share.is_nan()).unwrap_or(0.0).clamp(0.0, 100.0);
    let label = given.words(&["label", "message"]).unwrap_or_else(|| "Progress".to_owned());
    let attributes = [("value", share.to_string()), ("max", "100".to_owned())];
    let result = json!({ "percentage": share, "label": label });
    ShownAssertion { element: plain("progress", attributes, label), result }
}

/// What an operation of a block is called, and in which pipeline it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationLabel {
    pub name: String,
    pub pipeline: Option<String>,
}

/// The operations of a reply that is a block of assertions, in their order; none of any other.
pub fn operation_labels(content: &str) -> Vec<OperationLabel> {
    let mut scan = AssertionScan::new();
    if !content.bytes().all(|byte| scan.step(byte)) {
        return Vec::new();
    }
    let operations = scan.operations().unwrap_or_default().into_iter();
    operations
        .map(|operation| OperationLabel {
            name: operation.label,
            pipeline: match operation.order {
                Order::Pipeline { key } => Some(key),
                _ => None,
            },
        })
        .collect()
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;
