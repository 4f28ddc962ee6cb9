//! Questions inside a reply (`<hml-prompt>`): what they offer, what was answered, and writing an answer down.

use crate::{
    Attributes, Element, Error, Options, derive, entity,
    json::{self, Dialect},
};
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) const ELEMENT: &str = "hml-prompt";
const RESPONSE: &str = "response";
const TYPES: [&str; 8] = ["text", "number", "color", "checkbox", "checkboxes", "radio", "select", "range"];

/// A prompt of a message, as whoever answers it needs it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prompt {
    /// The agent's own name for it.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub question: String,
    /// `{value, label, selected?}` each.
    pub options: Vec<Value>,
    pub attributes: Attributes,
    /// None while nobody has answered.
    pub answer: Option<String>,
}

/// The prompts of a text that have an id and are complete.
pub fn prompts(text: &str) -> Vec<Prompt> {
    let elements = derive::elements(text, Options::default());
    elements.iter().filter_map(|element| prompt(element, &elements)).collect()
}

fn prompt(element: &Element, elements: &[Element]) -> Option<Prompt> {
    let is_prompt = element.kind == ELEMENT && element.closing.is_some();
    let id = element.attributes.get("id").filter(|id| is_prompt && !id.is_empty())?;
    let kind = element.attributes.get("type").filter(|kind| TYPES.contains(kind)).unwrap_or("text");
    let options = element.attributes.get("options").and_then(|text| json::parse(text, Dialect::Json));
    let response =
        elements.iter().rfind(|child| child.parent_id == Some(element.id) && child.kind == RESPONSE);
    let answered = element.attributes.get("answered").is_some_and(|value| value != "false");
    Some(Prompt {
        id: id.to_owned(),
        kind: kind.to_owned(),
        question: element.content.clone(),
        options: options.and_then(|value| value.as_array().cloned()).unwrap_or_default(),
        attributes: element.attributes.clone(),
        answer: answered.then(|| response.map(|child| entity::decode(&child.content)).unwrap_or_default()),
    })
}

/// The text with this answer in place of any earlier one.
///
/// # Errors
/// When the text has no complete prompt of this id.
pub fn record_answer(text: &str, prompt_id: &str, answer: &str) -> Result<String, Error> {
    let elements = derive::elements(text, Options::default());
    let of_id = |element: &&Element| prompt(element, &elements).is_some_and(|prompt| prompt.id == prompt_id);
    let found = elements.iter().find(of_id).and_then(|element| Some((element, element.closing?)));
    let (element, closing) = found.ok_or_else(|| Error::PromptNotFound { id: prompt_id.to_owned() })?;
    let mut written = String::with_capacity(text.len() + answer.len() + 64);
    let mut from = 0;
    let mut keep = |written: &mut String, to: usize, next: usize| {
        written.push_str(text.get(from..to).unwrap_or_default());
        from = next;
    };
    keep(&mut written, element.opening.start, element.opening.end);
    written.push_str(&opening_tag(&element.attributes, text, element));
    let children =
        elements.iter().filter(|child| child.parent_id == Some(element.id) && child.kind == RESPONSE);
    for (child, end) in children.filter_map(|child| Some((child, child.closing?.end))) {
        keep(&mut written, child.opening.start, end);
    }
    keep(&mut written, closing.start, closing.end);
    written.push_str(&format!("<response>{}</response></{ELEMENT}>", entity::encode(answer)));
    keep(&mut written, text.len(), text.len());
    Ok(written)
}

/// The opening tag again, answered. Choices that its parts listed stay where they are.
fn opening_tag(attributes: &Attributes, text: &str, element: &Element) -> String {
    let written = text.get(element.opening.start..element.opening.end).unwrap_or_default();
    let had_options = written.to_ascii_lowercase().contains("options");
    let mut tag = format!("<{ELEMENT}");
    let kept =
        attributes.iter().filter(|(name, _)| *name != "answered" && (had_options || *name != "options"));
    for (name, value) in kept {
        tag.push_str(&format!(" {name}=\"{}\"", entity::encode(value)));
    }
    tag.push_str(" answered=\"true\">");
    tag
}

/// What a part of a prompt offers: `<data>` a JSON list, `<option>` one choice.
pub(crate) fn choices_of_part(kind: &str, attributes: &Attributes, content: &str) -> Vec<Value> {
    if kind == "data" {
        let list = json::parse(content, Dialect::Json).and_then(|value| value.as_array().cloned());
        return list.unwrap_or_default().iter().filter_map(choice).collect();
    }
    let label = content.trim();
    let mut one = json!({ "value": attributes.get("value").unwrap_or(label), "label": label });
    if attributes.get("selected").is_some_and(|value| value != "false") {
        one["selected"] = json!(true);
    }
    choice(&one).into_iter().collect()
}

/// All choices in one form and one place, the attribute `options`: those of the parts, or the attribute's own, which is a
/// JSON list or names separated by commas.
pub(crate) fn settle_choices(attributes: &mut Attributes, mut choices: Vec<Value>) {
    if let Some(own) = attributes.get("options").filter(|_| choices.is_empty()) {
        choices = match json::parse(own, Dialect::Json) {
            Some(Value::Array(items)) => items.iter().filter_map(choice).collect(),
            _ => own.split(',').filter_map(|name| choice(&json!(name.trim()))).collect(),
        };
    }
    if !choices.is_empty() {
        attributes.set("options", Value::Array(choices).to_string());
    }
}

/// Value and label stand in for each other.
fn choice(item: &Value) -> Option<Value> {
    let text = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(word) => Some(word.to_string()),
        _ => None,
    };
    if let Some(name) = text(item) {
        return Some(json!({ "value": name, "label": name }));
    }
    let value = text(&item["value"]).or_else(|| text(&item["label"]))?;
    let label = text(&item["label"]).unwrap_or_else(|| value.clone());
    let mut choice = json!({ "value": value, "label": label });
    if item["selected"] == json!(true) {
        choice["selected"] = json!(true);
    }
    Some(choice)
}
