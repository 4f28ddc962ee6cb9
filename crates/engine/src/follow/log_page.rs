//! A piece of the log as it is read: everything in one buffer. What was stored as it is sent is copied and not read: most events,
//! and the words of most messages.

use crate::{
    follow::{
        frame::{About, Durable, Written, corrupt, join, shown},
        newer_kinds,
    },
    reply::elements,
};
use bytes::Bytes;
use capability::Registry;
use domain::{
    Asker, EventBody, EventKind, Label, MessageId, Meta, Role, Sender, SessionId, StopReason, StoredType,
    Timestamp, TurnId, Usage,
};
use markup::Options;
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use serde_json::value::RawValue;
use store::{
    log::{StoredBody, StoredEvent},
    messages::{MessageHead, SentPart, StoredMessage, StoredWords},
};

pub(crate) struct LogPage<'a> {
    registry: &'a Registry,
    session_id: SessionId,
    bytes: Vec<u8>,
    events: Vec<Line>,
    /// How many messages were copied.
    #[cfg(test)]
    pub(crate) copied: usize,
}

struct Line {
    seq: u64,
    at: Timestamp,
    turn_id: Option<TurnId>,
    name: &'static str,
    kind: Option<EventKind>,
    begin: usize,
    /// Counted from the beginning of the line.
    body: usize,
    end: usize,
}

/// How much a page has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PageSize {
    bytes: usize,
    events: usize,
}

impl<'a> LogPage<'a> {
    /// `expected`: what the page before it had.
    pub(crate) fn new(registry: &'a Registry, session_id: SessionId, expected: PageSize) -> Self {
        let (bytes, events) = (Vec::with_capacity(expected.bytes), Vec::with_capacity(expected.events));
        Self {
            registry,
            session_id,
            bytes,
            events,
            #[cfg(test)]
            copied: 0,
        }
    }

    pub(crate) fn add(&mut self, event: StoredEvent<'_>) -> store::Result<()> {
        let StoredEvent { seq, at, turn_id, body } = event;
        let begin = self.bytes.len();
        let at_body = self.write_head(at, turn_id);
        let (name, kind) = match body {
            StoredBody::Json(json) => match EventBody::stored_type(json).ok_or_else(corrupt)? {
                StoredType::Known(kind) if is_changed(kind) => {
                    self.write(serde_json::from_slice(json).map_err(|_| corrupt())?)?;
                    (kind.name(), Some(kind))
                }
                found => {
                    self.bytes.extend_from_slice(json);
                    match found {
                        StoredType::Known(kind) => (kind.name(), Some(kind)),
                        StoredType::Newer(name) => (newer_kinds::name_of(name), None),
                    }
                }
            },
            StoredBody::Message(message) => {
                let kind = self.add_message(message)?;
                (kind.name(), Some(kind))
            }
        };
        join(&mut self.bytes, at_body);
        let (body, end) = (at_body - begin, self.bytes.len());
        self.events.push(Line { seq, at, turn_id, name, kind, begin, body, end });
        Ok(())
    }

    fn add_message(&mut self, message: StoredMessage<'_>) -> store::Result<EventKind> {
        let words = message.words();
        if let Some(body) = words.as_ref().and_then(|words| CopiedBody::of(message.head, words)) {
            #[cfg(test)]
            {
                self.copied += 1;
            }
            serde_json::to_writer(&mut self.bytes, &body).map_err(|_| corrupt())?;
            return Ok(body.kind());
        }
        let body = elements::shown(EventBody::of_message(message.read()?));
        let kind = body.kind();
        self.write(body)?;
        Ok(kind)
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

    pub(crate) fn size(&self) -> PageSize {
        PageSize { bytes: self.bytes.len(), events: self.events.len() }
    }

    pub(crate) fn finish(mut self) -> Vec<Durable> {
        // The last page of a log has less than the one before it.
        if self.bytes.len() < self.bytes.capacity() / 2 {
            self.bytes.shrink_to_fit();
        }
        let bytes = Bytes::from(self.bytes);
        let durable = |line: Line| {
            let Line { seq, turn_id, name, kind, begin, body, end, .. } = line;
            let written = Written::of_line(name, bytes.slice(begin..end), body);
            Durable { seq, turn_id, written, kind, recent: None }
        };
        self.events.into_iter().map(durable).collect()
    }
}

/// Is what is sent of it not what is stored?
fn is_changed(kind: EventKind) -> bool {
    matches!(kind, EventKind::UserMessage | EventKind::MessageComplete | EventKind::ApprovalRequest)
}

/// The event of a message whose words are sent as they are stored: to the byte what [`EventBody::of_message`] is sent as.
#[derive(Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
enum CopiedBody<'a> {
    UserMessage {
        message: CopiedMessage<'a>,
    },
    MessageComplete {
        message_id: MessageId,
        content: &'a RawValue,
        elements: [(); 0],
        stop_reason: StopReason,
        executed_elements: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        model: Option<&'a str>,
    },
}

#[derive(Serialize)]
struct CopiedMessage<'a> {
    id: MessageId,
    seq: u64,
    turn_id: TurnId,
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    asker: Option<&'a Asker>,
    content: &'a RawValue,
    parts: Vec<CopiedPart<'a>>,
    elements: [(); 0],
    label: Label,
    meta: &'a Meta,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a Sender>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_reason: Option<StopReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    created_at: Timestamp,
}

struct CopiedPart<'a>(SentPart<'a>);

impl Serialize for CopiedPart<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, text) = match self.0 {
            SentPart::Text(text) => ("text", text),
            SentPart::Thinking(text) => ("thinking", Some(text)),
        };
        let mut part = serializer.serialize_struct("Part", 1 + usize::from(text.is_some()))?;
        part.serialize_field("type", kind)?;
        if let Some(text) = text {
            part.serialize_field("text", text)?;
        }
        part.end()
    }
}

impl<'a> CopiedBody<'a> {
    /// `None` where more is shown than the words.
    fn of(head: MessageHead, words: &'a StoredWords<'a>) -> Option<Self> {
        let MessageHead { id, seq, turn_id, role, created_at } = head;
        let content = words.content;
        match role {
            Role::User | Role::System => {
                let message = CopiedMessage {
                    id,
                    seq,
                    turn_id,
                    role,
                    asker: words.asker.as_ref(),
                    content,
                    parts: words.parts()?.into_iter().map(CopiedPart).collect(),
                    elements: [],
                    label: words.label,
                    meta: &words.meta,
                    sender: words.sender.as_ref(),
                    stop_reason: words.stop_reason,
                    usage: words.usage,
                    created_at,
                };
                Some(Self::UserMessage { message })
            }
            Role::Assistant => {
                let is_read = words.markup.and_then(Options::of).is_some();
                (!is_read || !markup::may_have_markup(content.get())).then(|| Self::MessageComplete {
                    message_id: id,
                    content,
                    elements: [],
                    stop_reason: words.stop_reason.unwrap_or(StopReason::Completed),
                    executed_elements: 0,
                    model: words.meta.model.as_deref(),
                })
            }
            Role::Tool => None,
        }
    }

    fn kind(&self) -> EventKind {
        match self {
            Self::UserMessage { .. } => EventKind::UserMessage,
            Self::MessageComplete { .. } => EventKind::MessageComplete,
        }
    }
}
