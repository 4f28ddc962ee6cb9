//! What people are shown of stored messages: their text with the answers in it, and the elements it is made of.
//!
//! Elements are never stored. They are read off the text, in the way in which it was read when it was written, so that
//! what was seen live and what is seen later is the same.

use crate::reading::options;
use domain::{DerivedFrom, Event, EventBody, Message, Part, Role};
use markup::ProposedCall;
use serde_json::{Value, json};

/// Events from the log, as they are shown.
pub(crate) fn events(mut events: Vec<Event>) -> Vec<Event> {
    for event in &mut events {
        if let EventBody::MessageComplete { content, elements: shown, derived_from, .. } = &mut event.body {
            *shown = elements(content, derived_from);
        }
    }
    events
}

/// A message, as it is shown.
pub(crate) fn message(mut message: Message) -> Message {
    if message.role != Role::Assistant || message.markup.is_none() {
        return message;
    }
    message.content = answered(&message);
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

/// Its text with the answers of people in it.
pub(crate) fn answered(message: &Message) -> String {
    let mut content = message.content.clone();
    for (prompt, answer) in &message.answers {
        content = markup::record_answer(&content, prompt, answer).unwrap_or(content);
    }
    content
}

/// The elements of a text, and where each of them stands in it, so that whoever shows the text need not read markup.
pub(crate) fn elements(content: &str, from: &DerivedFrom) -> Vec<Value> {
    let Some(options) = from.markup.and_then(options) else { return Vec::new() };
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
    all.extend(reading.calls.iter().filter(|call| call.element_id.is_none()).map(interaction));
    all.sort_by_key(|element| element["span"][0].as_u64());
    all
}

/// A call that is written into the text without being an element.
fn interaction(call: &ProposedCall) -> Value {
    json!({
        "id": call.reference, "parent_id": null, "type": "interaction", "attributes": {"name": call.name},
        "content": "", "executable": true, "span": [call.span.start, call.span.end],
    })
}
