//! What a stored text shows: its elements, its calls and its plain text, as they were when it was written.

use crate::{Attributes, ElementId, Event, Options, Parser, ProposedCall, Span, assertion, scan::find::find};
use serde::Serialize;
use std::collections::HashMap;

/// An element of a message. In JSON: `{id, parent_id, type, attributes, content}`, with `error` if it never completed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Element {
    pub id: ElementId,
    pub parent_id: Option<ElementId>,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub attributes: Attributes,
    /// Trimmed, without what its children contain.
    pub content: String,
    pub executable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its opening tag.
    #[serde(skip)]
    pub opening: Span,
    /// Its closing tag; none if it never completed.
    #[serde(skip)]
    pub closing: Option<Span>,
}

/// Everything a text holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What stands outside of elements and calls.
    pub text: String,
    /// In document order.
    pub elements: Vec<Element>,
    pub calls: Vec<ProposedCall>,
    /// Where each element is in the list.
    places: HashMap<ElementId, usize>,
}

/// Reads a whole text.
pub fn read(text: &str, options: Options) -> Reading {
    let mut reading = Reading::default();
    let mut parser = Parser::new(options);
    parser.push(text, |event| reading.note(event));
    parser.finish(|event| reading.note(event));
    reading
}

/// Whether a text can hold an element or a call. Where it says no there is none, however the text is read; where it says yes there
/// may be none either. It looks only for what every one of them begins with, so the text may also be escaped as in JSON, as
/// long as no character of it is written as a number.
pub fn may_have_markup(text: &str) -> bool {
    find([b'<', b'@'], text.as_bytes()).is_some() || text.contains(assertion::FENCE)
}

/// The elements of a whole text.
pub fn elements(text: &str, options: Options) -> Vec<Element> {
    read(text, options).elements
}

impl Reading {
    /// Takes an event in; the events of a whole message in order make its reading.
    pub fn note(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.text.push_str(text),
            Event::ElementStart { id, parent_id, kind, attributes, executable, tag } => {
                self.places.insert(id, self.elements.len());
                self.elements.push(Element {
                    id,
                    parent_id,
                    kind,
                    attributes: attributes.clone(),
                    content: String::new(),
                    executable,
                    error: None,
                    opening: tag,
                    closing: None,
                });
            }
            Event::ElementDelta { id, text } => {
                if let Some(element) = self.element(id) {
                    element.content.push_str(text);
                }
            }
            Event::ElementComplete { id, attributes, content, tag, .. } => {
                if let Some(element) = self.element(id) {
                    element.attributes.clone_from(attributes);
                    content.clone_into(&mut element.content);
                    element.closing = Some(tag);
                }
            }
            Event::ElementError { id: Some(id), error, .. } => {
                if let Some(element) = self.element(id) {
                    element.error = Some(error.to_string());
                    element.content = element.content.trim().to_owned();
                }
            }
            Event::ElementError { id: None, .. } => {}
            Event::Call(call) => self.calls.push(call.clone()),
        }
    }

    /// Whether two texts show the same, elements of this kind left aside.
    pub(crate) fn same_besides(&self, other: &Self, kind: &str) -> bool {
        let shown = |reading: &Self| {
            let elements = reading.elements.iter().filter(|element| element.kind != kind);
            elements
                .map(|element| (element.id, element.parent_id, element.kind, element.content.clone()))
                .collect::<Vec<_>>()
        };
        self.text == other.text && self.calls.len() == other.calls.len() && shown(self) == shown(other)
    }

    fn element(&mut self, id: ElementId) -> Option<&mut Element> {
        self.elements.get_mut(*self.places.get(&id)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Mode;
    use proptest::prelude::*;

    /// Pieces of which markup is made, and what stands between them.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("<todo>"),
            Just("</todo>"),
            Just("<bash>ls</bash>"),
            Just("<"),
            Just("@system(\"a\")"),
            Just("\n@user.ask()"),
            Just("```json\n"),
            Just("[{\"id\":\"a\",\"assertion\":\"todo\",\"name\":\"b\"}]"),
            Just("\n```"),
            Just("```"),
            Just("`"),
            Just("words "),
            Just("\n"),
            Just("&lt;todo&gt;"),
            Just("@"),
            Just(" "),
            Just("世"),
            Just("\""),
            Just("\\"),
        ];
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_text_that_cannot_have_markup_has_none(text in pieces(), assertions: bool, display: bool) {
            let mode = if display { Mode::Display } else { Mode::On };
            let reading = read(&text, Options { mode, assertions, ..Options::default() });
            let has = !reading.elements.is_empty() || !reading.calls.is_empty();
            prop_assert!(may_have_markup(&text) || !has, "{text:?}");
            let escaped = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(may_have_markup(&escaped), may_have_markup(&text));
        }
    }

    #[test]
    fn plain_words_cannot_have_markup() {
        assert!(!may_have_markup("Some **words** and `code`:\n```rust\nfn main() {}\n```\n> 1 & 2"));
        assert!(["a < b", "at @noon", "```json"].iter().all(|text| may_have_markup(text)));
    }
}
