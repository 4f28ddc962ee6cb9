//! Questions inside a reply (`<hml-prompt>`): what they offer, what was answered, and writing an answer down.

use crate::{
    Attributes, Element, Error, Options, Span, derive, entity,
    json::{self, Dialect},
    scan::attributes,
};
use domain::Message;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) const ELEMENT: &str = "hml-prompt";
pub(crate) const RESPONSE: &str = "response";
/// Where an answered prompt says what the answer is, with nothing encoded.
const ANSWER: &str = "answer";
const TYPES: [&str; 8] = ["text", "number", "color", "checkbox", "checkboxes", "radio", "select", "range"];

/// A prompt of a message, as the person who answers it needs it.
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
    /// None while the person has not answered.
    pub answer: Option<String>,
}

/// The prompts of a text that have an id and are complete.
pub fn prompts(text: &str) -> Vec<Prompt> {
    let elements = derive::elements(text, Options::default());
    elements.iter().filter_map(|element| Some(prompt(element, id_of(element)?))).collect()
}

fn id_of(element: &Element) -> Option<&str> {
    let is_prompt = element.kind == ELEMENT && element.closing.is_some();
    element.attributes.get("id").filter(|id| is_prompt && !id.is_empty())
}

fn prompt(element: &Element, id: &str) -> Prompt {
    let attribute = |name: &str| element.attributes.get(name);
    let kind = attribute("type").filter(|kind| TYPES.contains(kind)).unwrap_or("text");
    let options = attribute("options").and_then(|text| json::parse(text, Dialect::Json));
    Prompt {
        id: id.to_owned(),
        kind: kind.to_owned(),
        question: element.content.clone(),
        options: options.and_then(|value| value.as_array().cloned()).unwrap_or_default(),
        attributes: element.attributes.clone(),
        answer: attribute(ANSWER).map(str::to_owned),
    }
}

/// Unanswered is what does not say that it is, or says that it is not.
fn is_answered(attributes: &Attributes) -> bool {
    attributes.get("answered").is_some_and(|value| value != "false")
}

/// The text with this answer in place of any earlier one. Nothing else of the message changes: no element, no id, no call.
///
/// # Errors
/// When the text has no complete prompt of this id.
pub fn record_answer(text: &str, prompt_id: &str, answer: &str) -> Result<String, Error> {
    let before = derive::read(text, Options::default());
    let answer = answer.trim();
    let readable = write_answer(text, &before.elements, prompt_id, (entity::encode(answer), "\"true\""))?;
    if derive::read(&readable, Options::default()).same_besides(&before, RESPONSE) {
        return Ok(readable);
    }
    // Something before the prompt begins and never ends, a quotation mark for instance; what is written here would end it.
    write_answer(text, &before.elements, prompt_id, (entity::encode_all(answer), "true"))
}

/// The text of a message with the answers of people in it.
pub fn answered(message: &Message) -> String {
    let mut content = message.content.clone();
    for (prompt, answer) in &message.answers {
        content = record_answer(&content, prompt, answer).unwrap_or(content);
    }
    content
}

fn write_answer(
    text: &str,
    elements: &[Element],
    prompt_id: &str,
    (answer, answered): (String, &str),
) -> Result<String, Error> {
    let found = elements.iter().find(|element| id_of(element) == Some(prompt_id));
    let (element, closing) = found
        .and_then(|element| Some((element, element.closing?)))
        .ok_or_else(|| Error::PromptNotFound { id: prompt_id.to_owned() })?;
    let response = format!("<{RESPONSE}>{answer}</{RESPONSE}>");
    let slice = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let (name, tag) = answered_tag(slice(element.opening.start, element.opening.end), answered);
    let head = slice(0, element.opening.start);
    let (opened, closed) = (element.opening.end, closing.start);
    let content = if closing.start == closing.end {
        format!("{response}</{name}>")
    } else if let Some(earlier) = answer_of(element, elements) {
        format!("{}{response}{}", slice(opened, earlier.start), slice(earlier.end, closed))
    } else if has_open_children(element, closing, elements) {
        // At the end it would belong to the child that was never closed.
        format!("{response}{}", slice(opened, closed))
    } else {
        format!("{}{response}", slice(opened, closed))
    };
    Ok(format!("{head}{tag}{content}{}", slice(closing.start, text.len())))
}

/// The last answer that stands directly in a prompt: the one that counts.
fn answer_of(prompt: &Element, elements: &[Element]) -> Option<Span> {
    let is_answer = |child: &&Element| child.parent_id == Some(prompt.id) && child.kind == RESPONSE;
    let child = elements.iter().rfind(is_answer)?;
    Some(Span { start: child.opening.start, end: child.closing?.end })
}

fn has_open_children(prompt: &Element, closing: Span, elements: &[Element]) -> bool {
    let inside = |child: &Element| (prompt.opening.end..closing.start).contains(&child.opening.start);
    elements.iter().any(|child| inside(child) && child.closing.is_none())
}

/// The name that the opening tag of a prompt has, and the tag again, answered and not closing itself. The first attribute of
/// a name counts, so the new one stands first.
fn answered_tag<'t>(tag: &'t str, answered: &str) -> (&'t str, String) {
    let inside = tag.trim_start_matches('<').trim_end_matches('>');
    let end =
        inside.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '-' | '_'))).unwrap_or(inside.len());
    let (name, attributes) = inside.split_at_checked(end).unwrap_or((inside, ""));
    let attributes = attributes.strip_suffix('/').unwrap_or(attributes);
    let kept = attributes::without(attributes, "answered");
    let mut tag = format!("<{name} answered={answered}");
    let kept = kept.trim_ascii();
    if !kept.is_empty() {
        tag.push(' ');
        tag.push_str(kept);
    }
    // A slash that was not the end of the tag must not become it.
    tag.push_str(if kept.ends_with('/') { " >" } else { ">" });
    (name, tag)
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

/// A complete prompt says everything in its attributes: its choices in one form, and its answer.
pub(crate) fn settle(attributes: &mut Attributes, choices: Vec<Value>, answer: Option<String>) {
    settle_choices(attributes, choices);
    if is_answered(attributes) {
        attributes.set(ANSWER, answer.unwrap_or_default());
    } else {
        attributes.remove(ANSWER);
    }
}

/// The choices of the parts, or those of the attribute `options`, which is a JSON list or names separated by commas.
fn settle_choices(attributes: &mut Attributes, mut choices: Vec<Value>) {
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
