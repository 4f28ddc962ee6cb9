//! Events in the form in which they travel: written once, and shared by everyone who sends them.
//!
//! Of an envelope only `seq` and `cursor` depend on the reader. They come first, so everything behind them is the same
//! for all readers, and is kept as the bytes that are sent.

use crate::{
    error::{Error, Result},
    follow::feed::lock,
    reply::{approval_workplace, elements},
};
use bytes::Bytes;
use capability::Registry;
use domain::{
    CallId, Cursor, Envelope, Event, EventBody, EventKind, SessionId, Timestamp, TurnId, TurnOutcome,
};
use schemars::JsonSchema;
use serde::{Serialize, ser::Error as _};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    io::Write as _,
    sync::{Arc, Mutex},
};

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

    /// About how many bytes it has as a frame of a stream.
    pub(crate) fn size(&self) -> usize {
        self.rest.len() + 2 * HEAD_BYTES
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

/// The sum of sizes, up to the one that reaches `most`.
pub(super) fn bytes_of(sizes: impl Iterator<Item = usize>, most: usize) -> usize {
    let mut bytes = 0;
    for size in sizes {
        bytes += size;
        if bytes >= most {
            break;
        }
    }
    bytes
}

/// About what stands before the shared part.
const HEAD_BYTES: usize = 96;

fn unreadable() -> Error {
    Error::Store(corrupt())
}

pub(super) fn corrupt() -> store::Error {
    store::Error::Corrupt("an event".to_owned())
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

    /// A line of a page, and where its body begins in it.
    pub(super) fn of_line(kind: &'static str, line: Bytes, body: usize) -> Self {
        Self { kind, rest: line, body }
    }

    fn read_body(&self) -> Result<EventBody> {
        let tail = self.rest.get(self.body..).and_then(|body| body.strip_prefix(b",")).unwrap_or_default();
        serde_json::from_slice(&[b"{", tail].concat()).map_err(|_| unreadable())
    }
}

impl About {
    /// Says where the body begins.
    pub(super) fn write(self, rest: &mut Vec<u8>) -> usize {
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
pub(super) fn shown(registry: &Registry, body: EventBody) -> EventBody {
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
pub(super) fn join(rest: &mut [u8], body: usize) {
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
    /// `None`: only a newer program knows it.
    pub(crate) kind: Option<EventKind>,
    /// Where it has just happened.
    pub(super) recent: Option<Arc<RecentEvent>>,
}

/// What a reader acts upon in an event, besides its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventFacts {
    /// How far the open message was when this happened to it, as cursors count.
    pub(crate) offset: Option<u64>,
    /// Of the result of a call.
    pub(crate) call: Option<CallId>,
    /// Of the beginning of a turn.
    pub(crate) attempt: Option<u32>,
    /// Of the end of a turn.
    pub(crate) outcome: Option<TurnOutcome>,
}

impl EventFacts {
    fn of(body: &EventBody) -> Self {
        let facts = Self { offset: body.offset(), ..Self::default() };
        match body {
            EventBody::ToolResult { call_id, .. } => Self { call: Some(*call_id), ..facts },
            EventBody::TurnStarted { attempt, .. } => Self { attempt: Some(*attempt), ..facts },
            EventBody::TurnEnded { outcome, .. } => Self { outcome: Some(*outcome), ..facts },
            _ => facts,
        }
    }
}

impl Durable {
    pub(crate) fn frame(&self) -> Frame {
        Frame::new(Cursor { seq: self.seq, offset: 0 }, &self.written)
    }

    /// Whether it is of a kind that happens while a message is written.
    pub(crate) fn may_have_offset(&self) -> bool {
        use EventKind::{
            ApprovalRequest, ElementError, ElementExecuting, ElementResult, QuestionPrompt, ToolResult,
            ToolUseStart,
        };
        matches!(
            self.kind,
            Some(
                ElementExecuting
                    | ElementResult
                    | ElementError
                    | ToolUseStart
                    | ToolResult
                    | QuestionPrompt
                    | ApprovalRequest
            )
        )
    }

    /// It reads an event of the log, so it is asked only of kinds that have something to say.
    pub(crate) fn facts(&self) -> Result<EventFacts> {
        match &self.recent {
            Some(recent) => Ok(recent.facts),
            None => Ok(EventFacts::of(&self.written.read_body()?)),
        }
    }
}

/// An event that has just happened. When the first reader asks for it, it is written, and from then on only that is kept.
pub(crate) struct RecentEvent {
    pub(crate) seq: u64,
    /// How many bytes of words it has, about.
    pub(crate) weight: usize,
    turn_id: Option<TurnId>,
    kind: EventKind,
    facts: EventFacts,
    form: Mutex<Form>,
}

enum Form {
    Happened(Box<Event>),
    Written(Written),
}

impl RecentEvent {
    pub(crate) fn new(event: &Event) -> Self {
        Self {
            seq: event.seq,
            weight: event.body.weight(),
            turn_id: event.turn_id,
            kind: event.body.kind(),
            facts: EventFacts::of(&event.body),
            form: Mutex::new(Form::Happened(Box::new(event.clone()))),
        }
    }

    pub(crate) fn durable(self: &Arc<Self>, registry: &Registry) -> Result<Durable> {
        let (seq, turn_id, kind) = (self.seq, self.turn_id, Some(self.kind));
        Ok(Durable { seq, turn_id, written: self.written(registry)?, kind, recent: Some(self.clone()) })
    }

    fn written(&self, registry: &Registry) -> Result<Written> {
        let mut form = lock(&self.form);
        let written = match &*form {
            Form::Written(written) => return Ok(written.clone()),
            Form::Happened(event) => Written::of_event(registry, event)?,
        };
        *form = Form::Written(written.clone());
        Ok(written)
    }

    #[cfg(test)]
    pub(crate) fn is_written(&self) -> bool {
        matches!(*lock(&self.form), Form::Written(_))
    }
}
