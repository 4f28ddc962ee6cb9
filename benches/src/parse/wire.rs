//! How many bytes a reader receives for a reply: every event in its envelope, as a stream carries it.
//!
//! A reader that comes back after a while gets everything since, neighbouring pieces of one text joined, so the answer
//! depends on how much the model wrote meanwhile.

use domain::{Cursor, MessageId, SessionId, Timestamp, TurnId};
use markup::{Event, Options, Parser};
use serde_json::{Value, json};
use uuid::Uuid;

/// Bytes on the wire for each byte of text, for a reader that comes back each time the model has written `window` bytes.
pub fn per_text_byte(text: &str, window: usize) -> f64 {
    let mut wire = Wire::default();
    let mut parser = Parser::new(Options::default());
    for piece in super::profiles::pieces(text, window) {
        parser.push(piece, |event| wire.note(&event));
        wire.flush();
    }
    parser.finish(|event| wire.note(&event));
    wire.flush();
    wire.bytes as f64 / text.len() as f64
}

#[derive(Default)]
struct Wire {
    bytes: usize,
    offset: u64,
    /// Words that wait for the next flush, and what they belong to.
    words: Option<(Option<String>, String)>,
}

impl Wire {
    fn note(&mut self, event: &Event<'_>) {
        let (kind, data) = match event {
            Event::Text(text) => return self.grow(None, text),
            Event::ElementDelta { id, text } => return self.grow(Some(id.to_string()), text),
            Event::ElementStart { id, parent_id, kind, attributes, executable, .. } => (
                "element_start",
                json!({"id": id, "parent_id": parent_id, "type": kind, "attributes": attributes, "executable": executable}),
            ),
            Event::ElementComplete { id, kind, content, executable, .. } => (
                "element_complete",
                json!({"id": id, "type": kind, "content": content, "executable": executable, "duration_ms": 12}),
            ),
            Event::ElementError { id, kind, error } => {
                ("element_error", json!({"id": id, "type": kind, "error": error.to_string()}))
            }
            // Calls are durable events; what they cost is another measurement.
            Event::Call(_) => return,
        };
        self.flush();
        self.send(kind, data, 1);
    }

    fn grow(&mut self, of: Option<String>, text: &str) {
        match &mut self.words {
            Some((same, words)) if *same == of => words.push_str(text),
            _ => {
                self.flush();
                self.words = Some((of, text.to_owned()));
            }
        }
    }

    fn flush(&mut self) {
        let Some((of, words)) = self.words.take() else { return };
        let length = words.len() as u64;
        match of {
            None => self.send("text", json!({ "text": words }), length),
            Some(id) => self.send("element_update", json!({ "id": id, "delta": words }), length),
        }
    }

    fn send(&mut self, kind: &str, mut data: Value, length: u64) {
        self.offset += length;
        let id = Uuid::nil();
        data["message_id"] = json!(MessageId::from_uuid(id));
        let cursor = Cursor { seq: 41, offset: self.offset };
        let envelope = json!({
            "seq": 41, "cursor": cursor, "at": Timestamp::from_millis(1_800_000_000_123),
            "session_id": SessionId::from_uuid(id), "turn_id": TurnId::from_uuid(id), "type": kind, "data": data,
        });
        self.bytes += format!("id: {cursor}\nevent: {kind}\ndata: {envelope}\n\n").len();
    }
}
