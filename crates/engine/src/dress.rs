//! What people are shown of stored messages: their text with the answers in it, and the elements it is made of.
//!
//! Elements are never stored. They are read off the text, in the way in which it was read when it was written, so that
//! what was seen live and what is seen later is the same.

use crate::reading::options;
use domain::{DerivedFrom, Event, EventBody, Message, Role};
use serde_json::Value;

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

/// Its text with the answers of people in it.
pub(crate) fn answered(message: &Message) -> String {
    let mut content = message.content.clone();
    for (prompt, answer) in &message.answers {
        content = markup::record_answer(&content, prompt, answer).unwrap_or(content);
    }
    content
}

pub(crate) fn elements(content: &str, from: &DerivedFrom) -> Vec<Value> {
    let Some(options) = from.markup.and_then(options) else { return Vec::new() };
    let shown = |element: &markup::Element| {
        let mut shown = serde_json::to_value(element).ok()?;
        if let (Some(call), Some(fields)) = (from.calls.get(&element.id.to_string()), shown.as_object_mut()) {
            fields.insert("call_id".to_owned(), call.to_string().into());
        }
        Some(shown)
    };
    markup::elements(content, options).iter().filter_map(shown).collect()
}
