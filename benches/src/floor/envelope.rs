//! What the model sends, read; and the same in an envelope of the form and size of ours.

use anyhow::Result;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
struct Envelope<'a> {
    seq: u64,
    cursor: String,
    at: &'a str,
    session_id: &'a str,
    turn_id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    message_id: &'a str,
    text: &'a str,
}

/// As long as the ids and times of ours.
const ID: &str = "0199f2a0-0000-7000-8000-000000000000";
const AT: &str = "2026-01-01T00:00:00.000Z";

/// Reads a stream of pieces, however it is cut.
#[derive(Default)]
pub struct Translation {
    bytes: Vec<u8>,
    offset: usize,
}

impl Translation {
    /// Envelopes for the words in these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>> {
        self.bytes.extend_from_slice(bytes);
        let mut envelopes = Vec::with_capacity(512);
        let mut from = 0;
        while let Some(at) = memmem::find(self.bytes.get(from..).unwrap_or_default(), b"\n\n") {
            let frame = self.bytes.get(from..from + at).unwrap_or_default();
            from += at + 2;
            let data = frame.strip_prefix(b"data: ").unwrap_or_default();
            if !data.starts_with(b"{") {
                continue;
            }
            let piece: Piece<'_> = serde_json::from_slice(data)?;
            for text in piece.choices.into_iter().filter_map(|choice| choice.delta.content) {
                self.offset += text.len();
                write(&mut envelopes, self.offset, &text)?;
            }
        }
        self.bytes.drain(..from);
        Ok(envelopes)
    }
}

fn write(bytes: &mut Vec<u8>, offset: usize, text: &str) -> Result<()> {
    let cursor = format!("7.{offset}");
    bytes.extend_from_slice(format!("event: text\nid: {cursor}\ndata: ").as_bytes());
    let data = Data { message_id: ID, text };
    let envelope = Envelope { seq: 7, cursor, at: AT, session_id: ID, turn_id: ID, kind: "text", data };
    serde_json::to_writer(&mut *bytes, &envelope)?;
    bytes.extend_from_slice(b"\n\n");
    Ok(())
}
