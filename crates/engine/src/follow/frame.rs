//! Events in the form in which they travel: written once, and shared by everyone who sends them.
//!
//! Of an envelope only `seq` and `cursor` depend on the reader. They come first, so everything behind them is the same
//! for all readers, and is kept as the bytes that are sent.

use crate::{
    error::{Error, Result},
    follow::newer_kinds,
    reply::{approval_workplace, elements},
};
use bytes::Bytes;
use capability::Registry;
use domain::{Cursor, Envelope, Event, EventBody, SessionId, StoredType, Timestamp, TurnId};
use schemars::JsonSchema;
use serde::{Serialize, ser::Error as _};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    io::Write as _,
    sync::{Arc, OnceLock},
};
use store::log::{StoredBody, StoredEvent};

/// An [`Envelope`] as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    cursor: Cursor,
    kind: &'static str,
    rest: Bytes,
}

impl Frame {
    pub(crate) fn new(cursor: Cursor, written: &Written) -> Self {
        Self { cursor, kind: written.kind, rest: written.rest.clone() }
    }

    /// The name of the event.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// What a client that has seen it gives to go on from there.
    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    pub fn seq(&self) -> u64 {
        self.cursor.seq
    }

    /// Appends the envelope. JSON has no line break of its own, so it is one line.
    pub fn write(&self, json: &mut Vec<u8>) {
        json.reserve(self.rest.len() + HEAD_BYTES);
        json.extend_from_slice(b"{\"seq\":");
        write_number(json, self.cursor.seq);
        json.extend_from_slice(b",\"cursor\":\"");
        self.write_cursor(json);
        json.extend_from_slice(b"\",");
        json.extend_from_slice(&self.rest);
    }

    /// Appends the cursor as text.
    pub fn write_cursor(&self, text: &mut Vec<u8>) {
        write_number(text, self.cursor.seq);
        text.push(b'.');
        write_number(text, self.cursor.offset);
    }

    /// The envelope as text.
    pub fn json(&self) -> Result<String> {
        let mut json = Vec::new();
        self.write(&mut json);
        String::from_utf8(json).map_err(|_| unreadable())
    }

    #[cfg(test)]
    pub(crate) fn is_shared_with(&self, other: &Self) -> bool {
        self.rest.as_ptr() == other.rest.as_ptr()
    }

    /// Reads it back, for who needs more than its name.
    pub fn envelope(&self) -> Result<Envelope> {
        let mut json = Vec::new();
        self.write(&mut json);
        serde_json::from_slice(&json).map_err(|_| unreadable())
    }
}

impl Serialize for Frame {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let json = self.json().map_err(S::Error::custom)?;
        RawValue::from_string(json).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl JsonSchema for Frame {
    fn schema_name() -> Cow<'static, str> {
        Envelope::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Envelope::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Envelope::json_schema(generator)
    }
}

/// About what stands before the shared part.
const HEAD_BYTES: usize = 96;

fn unreadable() -> Error {
    Error::Store(corrupt())
}

fn write_number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [b'0'; 20];
    let mut count = 0;
    for digit in digits.iter_mut().rev() {
        // A digit is less than 10.
        *digit += (number % 10) as u8;
        number /= 10;
        count += 1;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(digits.get(digits.len() - count..).unwrap_or_default());
}

/// What all readers get of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) kind: &'static str,
    rest: Bytes,
    /// Where its type and its data begin.
    body: usize,
}

/// What stands before the body of an event.
#[derive(Clone, Copy)]
pub(crate) struct About {
    pub(crate) at: Timestamp,
    pub(crate) session_id: SessionId,
    pub(crate) turn_id: Option<TurnId>,
}

impl Written {
    /// `body` is what is tagged with `type` and `data`.
    pub(crate) fn new<B: Serialize>(about: About, kind: &'static str, body: &B) -> Result<Self> {
        let mut rest = Vec::with_capacity(320);
        let begin = about.write(&mut rest);
        serde_json::to_writer(&mut rest, body).map_err(|_| unreadable())?;
        join(&mut rest, begin);
        Ok(Self { kind, rest: rest.into(), body: begin })
    }

    /// A durable event, as it is shown.
    fn of_event(registry: &Registry, event: &Event) -> Result<Self> {
        let Event { at, session_id, turn_id, body, .. } = event;
        let about = About { at: *at, session_id: *session_id, turn_id: *turn_id };
        match body {
            EventBody::UserMessage { .. } | EventBody::ApprovalRequest { .. } => {
                Self::new(about, body.type_name(), &shown(registry, body.clone()))
            }
            _ => Self::new(about, body.type_name(), body),
        }
    }

    fn read_body(&self) -> Result<EventBody> {
        let tail = self.rest.get(self.body..).and_then(|body| body.strip_prefix(b",")).unwrap_or_default();
        serde_json::from_slice(&[b"{", tail].concat()).map_err(|_| unreadable())
    }
}

impl About {
    /// Says where the body begins.
    fn write(self, rest: &mut Vec<u8>) -> usize {
        let Self { at, session_id, turn_id } = self;
        // Into memory, so it does not fail.
        let _ = match turn_id {
            Some(turn) => {
                write!(rest, r#""at":"{at}","session_id":"{session_id}","turn_id":"{turn}""#)
            }
            None => write!(rest, r#""at":"{at}","session_id":"{session_id}","turn_id":null"#),
        };
        rest.len()
    }
}

/// What clients are shown of an event. The registry says of the tools where they work.
fn shown(registry: &Registry, body: EventBody) -> EventBody {
    match body {
        EventBody::UserMessage { message } => {
            EventBody::UserMessage { message: Box::new(elements::once(*message)) }
        }
        EventBody::ApprovalRequest { approval, offset } => {
            let approval = Box::new(approval_workplace::shown(registry, *approval));
            EventBody::ApprovalRequest { approval, offset }
        }
        other => other,
    }
}

/// The body is an object of its own; its fields stand beside those before it.
fn join(rest: &mut [u8], body: usize) {
    if let Some(brace) = rest.get_mut(body) {
        *brace = b',';
    }
}

/// A durable event on its way to a reader.
#[derive(Clone)]
pub(crate) struct Durable {
    pub(crate) seq: u64,
    pub(crate) turn_id: Option<TurnId>,
    pub(crate) written: Written,
    /// Where it is in memory anyway.
    event: Option<Arc<Event>>,
}

impl Durable {
    pub(crate) fn kind(&self) -> &'static str {
        self.written.kind
    }

    /// Whether it is of a kind that happens while a message is written.
    pub(crate) fn may_have_offset(&self) -> bool {
        matches!(
            self.kind(),
            "element_executing"
                | "element_result"
                | "element_error"
                | "tool_use_start"
                | "tool_result"
                | "question_prompt"
                | "approval_request"
        )
    }

    /// How far the open message was when this happened to it, as cursors count. It reads the event.
    pub(crate) fn offset(&self) -> Result<Option<u64>> {
        if self.may_have_offset() { Ok(self.body()?.offset()) } else { Ok(None) }
    }

    pub(crate) fn body(&self) -> Result<Cow<'_, EventBody>> {
        match &self.event {
            Some(event) => Ok(Cow::Borrowed(&event.body)),
            None => self.written.read_body().map(Cow::Owned),
        }
    }
}

/// An event that has just happened. It is written when the first reader asks for it.
pub(crate) struct RecentEvent {
    pub(crate) event: Arc<Event>,
    written: OnceLock<Written>,
}

impl RecentEvent {
    pub(crate) fn new(event: &Event) -> Self {
        Self { event: Arc::new(event.clone()), written: OnceLock::new() }
    }

    pub(crate) fn durable(&self, registry: &Registry) -> Result<Durable> {
        let written = match self.written.get() {
            Some(written) => written.clone(),
            None => {
                let written = Written::of_event(registry, &self.event)?;
                self.written.get_or_init(|| written).clone()
            }
        };
        let event = self.event.clone();
        Ok(Durable { seq: event.seq, turn_id: event.turn_id, written, event: Some(event) })
    }
}

/// A piece of the log as it is read: everything in one buffer. What was stored as it is sent is copied and not read.
pub(crate) struct LogPage<'a> {
    registry: &'a Registry,
    session_id: SessionId,
    bytes: Vec<u8>,
    events: Vec<Line>,
}

struct Line {
    seq: u64,
    at: Timestamp,
    turn_id: Option<TurnId>,
    kind: &'static str,
    begin: usize,
    /// Counted from the beginning of the line.
    body: usize,
    end: usize,
}

impl<'a> LogPage<'a> {
    pub(crate) fn new(registry: &'a Registry, session_id: SessionId) -> Self {
        Self { registry, session_id, bytes: Vec::new(), events: Vec::new() }
    }

    pub(crate) fn add(&mut self, event: StoredEvent<'_>) -> store::Result<()> {
        let StoredEvent { seq, at, turn_id, body } = event;
        let begin = self.bytes.len();
        let at_body = self.write_head(at, turn_id);
        let kind = match body {
            StoredBody::Json(json) => {
                let kind = match EventBody::stored_type(json).ok_or_else(corrupt)? {
                    StoredType::Known(kind) => kind,
                    StoredType::Newer(name) => newer_kinds::name_of(name),
                };
                match is_changed(kind) {
                    true => self.write(serde_json::from_slice(json).map_err(|_| corrupt())?)?,
                    false => self.bytes.extend_from_slice(json),
                }
                kind
            }
            StoredBody::Message(message) => {
                let body = elements::shown(EventBody::of_message(*message));
                let kind = body.type_name();
                self.write(body)?;
                kind
            }
        };
        join(&mut self.bytes, at_body);
        let (body, end) = (at_body - begin, self.bytes.len());
        self.events.push(Line { seq, at, turn_id, kind, begin, body, end });
        Ok(())
    }

    /// What stands before the body, and says where that begins. Events of one commit have it in common, so it is copied from the
    /// event before.
    fn write_head(&mut self, at: Timestamp, turn_id: Option<TurnId>) -> usize {
        match self.events.last() {
            Some(before) if before.at == at && before.turn_id == turn_id => {
                self.bytes.extend_from_within(before.begin..before.begin + before.body);
                self.bytes.len()
            }
            _ => About { at, session_id: self.session_id, turn_id }.write(&mut self.bytes),
        }
    }

    fn write(&mut self, body: EventBody) -> store::Result<()> {
        serde_json::to_writer(&mut self.bytes, &shown(self.registry, body)).map_err(|_| corrupt())
    }

    pub(crate) fn finish(self) -> Vec<Durable> {
        let bytes = Bytes::from(self.bytes);
        let durable = |line: Line| {
            let Line { seq, turn_id, kind, begin, body, end, .. } = line;
            let written = Written { kind, rest: bytes.slice(begin..end), body };
            Durable { seq, turn_id, written, event: None }
        };
        self.events.into_iter().map(durable).collect()
    }
}

/// Is what is sent of it not what is stored?
fn is_changed(kind: &str) -> bool {
    matches!(kind, "user_message" | "message_complete" | "approval_request")
}

fn corrupt() -> store::Error {
    store::Error::Corrupt("an event".to_owned())
}
