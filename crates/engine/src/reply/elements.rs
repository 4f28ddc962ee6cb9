//! What people are shown of stored messages: their text with the answers in it, and the elements it is made of.
//!
//! Elements are never stored. They are read off the text, in the way in which it was read when it was written, so that
//! what was seen live and what is seen later is the same.

use domain::{DerivedFrom, EventBody, Message, Origin, Part, Role};
use markup::{Options, ProposedCall};
use serde_json::{Value, json};

/// An event from the log, as it is shown.
pub(crate) fn shown(mut event: EventBody) -> EventBody {
    if let EventBody::MessageComplete { content, elements: shown, derived_from, .. } = &mut event {
        *shown = elements(content, derived_from);
    }
    event
}

/// A message, as it is shown.
pub(crate) fn message(mut message: Message) -> Message {
    if message.role != Role::Assistant {
        return message;
    }
    if let Some(shown) = message.meta.shown.take() {
        message.content = shown.into_string();
    }
    if message.markup.is_none() {
        return message;
    }
    message.content = markup::answered(&message);
    message.elements = elements(&message.content, &DerivedFrom::of(&message));
    message
}

/// A message as it is sent: its words once. A part that is the whole content is sent without words of its own.
pub(crate) fn once(mut message: Message) -> Message {
    for part in &mut message.parts {
        if let Part::Text { text } | Part::Result { content: text, .. } = part
            && *text == message.content
        {
            *text = String::new();
        }
    }
    message
}

/// The elements of a text, and where each of them stands in it, so that a client that shows the text need not read markup.
pub(crate) fn elements(content: &str, from: &DerivedFrom) -> Vec<Value> {
    let Some(options) = from.markup.and_then(Options::of) else { return Vec::new() };
    let reading = markup::read(content, options);
    let shown = |element: &markup::Element| {
        let mut shown = serde_json::to_value(element).ok()?;
        let fields = shown.as_object_mut()?;
        let end = element.closing.map_or(content.len(), |closing| closing.end);
        fields.insert("span".to_owned(), json!([element.opening.start, end]));
        if let Some(call) = from.calls.get(&element.id.to_string()) {
            fields.insert("call_id".to_owned(), call.to_string().into());
        }
        Some(shown)
    };
    let mut all: Vec<Value> = reading.elements.iter().filter_map(shown).collect();
    let mut standing = None;
    for call in reading.calls.iter().filter(|call| call.element_id.is_none()) {
        match assertion(call, standing) {
            Some(elements) => all.extend(elements),
            None => all.push(interaction(call, standing.filter(|_| call.origin == Origin::Assertion))),
        }
        standing = Some(call.span.end);
    }
    all.sort_by_key(|element| element["span"][0].as_u64());
    all
}

/// The elements that an assertion stands for. A block has one place in the text: the first of it is shown there, and
/// the others right behind it.
fn assertion(call: &ProposedCall, standing: Option<usize>) -> Option<Vec<Value>> {
    let markup::Target::Other(kind) = &call.target else { return None };
    let shown = markup::shown(kind, &call.arguments).ok().filter(|_| call.origin == Origin::Assertion)?;
    let start = standing.unwrap_or(call.span.start);
    let made = |element: &markup::ShownElement, id: String, parent: Option<&str>| {
        json!({
            "id": id, "parent_id": parent, "type": element.kind, "attributes": element.attributes,
            "content": element.content, "executable": false, "span": [start, call.span.end],
        })
    };
    let mut all = vec![made(&shown.element, call.reference.clone(), None)];
    for (child, number) in shown.element.children.iter().zip(1..) {
        all.push(made(child, format!("{}.{number}", call.reference), Some(&call.reference)));
    }
    Some(all)
}

/// A call that is written into the text without being an element.
fn interaction(call: &ProposedCall, standing: Option<usize>) -> Value {
    let start = standing.unwrap_or(call.span.start);
    json!({
        "id": call.reference, "parent_id": null, "type": "interaction", "attributes": {"name": call.name},
        "content": "", "executable": true, "span": [start, call.span.end],
    })
}
