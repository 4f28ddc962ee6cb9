//! The message the model is writing, as its readers see it: words, and the elements they belong to.
//!
//! Offsets are those of the cursors: each byte of text, of reasoning and of an element's content counts one, and so does
//! each event of an element that brings none.

use crate::{
    error::{Error, Result},
    follow::frame::{About, Written},
};
use domain::{LiveBody, LiveKind, MessageId, SessionId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{borrow::Cow, collections::VecDeque, sync::Arc};

/// Live text is kept in pieces of about this size, so that a reader near the end copies little.
const PIECE: usize = 4_096;
/// What was written for a reader is kept for those who ask for the same: readers that keep up are at one of a few places.
const KEPT: usize = 4;
/// Nothing longer is kept: that is for a reader that catches up.
const KEPT_BYTES: u64 = 4_096;

/// Something that readers are told of the open message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Live {
    Words(Stream, String),
    Mark(Mark),
}

/// What words belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Stream {
    Text,
    Thinking,
    /// The content of this element.
    Element(String),
}

/// Something about an element besides its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Mark {
    Start {
        id: String,
        parent_id: Option<String>,
        kind: Cow<'static, str>,
        attributes: Value,
        executable: bool,
    },
    Complete {
        id: String,
        kind: Cow<'static, str>,
        /// Where its content added to those of its start.
        attributes: Option<Value>,
        content: String,
        executable: bool,
        duration_ms: u64,
    },
    Error {
        id: Option<String>,
        kind: Cow<'static, str>,
        error: String,
    },
}

impl Live {
    pub(crate) fn text(text: &str) -> Self {
        Self::Words(Stream::Text, text.to_owned())
    }

    pub(crate) fn thinking(text: &str) -> Self {
        Self::Words(Stream::Thinking, text.to_owned())
    }

    pub(crate) fn length(&self) -> u64 {
        match self {
            Self::Words(_, text) => text.len() as u64,
            Self::Mark(_) => 1,
        }
    }
}

impl Mark {
    /// As it is sent.
    fn body(&self, message_id: MessageId) -> LiveBody {
        match self.clone() {
            Self::Start { id, parent_id, kind, attributes, executable } => {
                let kind = kind.into_owned();
                LiveBody::ElementStart { message_id, id, parent_id, kind, attributes, executable }
            }
            Self::Complete { id, kind, attributes, content, executable, duration_ms } => {
                let kind = kind.into_owned();
                LiveBody::ElementComplete {
                    message_id,
                    id,
                    kind,
                    attributes,
                    content,
                    executable,
                    duration_ms,
                }
            }
            Self::Error { id, kind, error } => {
                LiveBody::ElementError { message_id, id, kind: kind.into_owned(), error }
            }
        }
    }
}

/// A part of the open message: words of one stream, joined, or something else.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MessageRun<'a> {
    Words(&'a Stream, Cow<'a, str>),
    Mark(&'a Mark),
}

/// Words as they are sent. In JSON the same as those of [`LiveBody`], which owns them.
#[derive(Serialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
enum SentWords<'a> {
    Text { message_id: MessageId, text: &'a str },
    Thinking { message_id: MessageId, text: &'a str },
    ElementUpdate { message_id: MessageId, id: &'a str, delta: &'a str },
}

impl MessageRun<'_> {
    fn length(&self) -> u64 {
        match self {
            Self::Words(_, text) => text.len() as u64,
            Self::Mark(_) => 1,
        }
    }

    fn written(&self, about: About, message_id: MessageId) -> Result<Written> {
        match self {
            Self::Words(Stream::Text, text) => {
                Written::new(about, LiveKind::Text.type_name(), &SentWords::Text { message_id, text })
            }
            Self::Words(Stream::Thinking, text) => {
                Written::new(about, LiveKind::Thinking.type_name(), &SentWords::Thinking { message_id, text })
            }
            Self::Words(Stream::Element(id), delta) => {
                Written::new(about, "element_update", &SentWords::ElementUpdate { message_id, id, delta })
            }
            Self::Mark(mark) => {
                let body = mark.body(message_id);
                Written::new(about, body.type_name(), &body)
            }
        }
    }
}

/// A part of the open message as readers get it.
#[derive(Clone)]
pub(crate) struct WrittenRun {
    /// By how much it moves a cursor.
    pub(crate) length: u64,
    pub(crate) written: Written,
}

pub(crate) struct OpenMessage {
    pub(crate) message_id: MessageId,
    pub(crate) turn_id: Option<TurnId>,
    /// `seq` of the `message_start` or `message_restarted` that live offsets count from.
    pub(crate) since: u64,
    /// Another node writes it and sends its pieces.
    pub(crate) mirrored: bool,
    pieces: Vec<LivePiece>,
    length: u64,
    /// What readers were given last, and from where to where that is.
    kept: VecDeque<(u64, u64, Arc<[WrittenRun]>)>,
}

struct LivePiece {
    start: u64,
    live: Live,
}

impl OpenMessage {
    pub(crate) fn new(message_id: MessageId, turn_id: Option<TurnId>, since: u64) -> Self {
        let (pieces, kept) = (Vec::new(), VecDeque::new());
        Self { message_id, turn_id, since, mirrored: false, pieces, length: 0, kept }
    }

    /// One that another node writes.
    pub(crate) fn mirror(message_id: MessageId, turn_id: Option<TurnId>, since: u64) -> Self {
        Self { mirrored: true, ..Self::new(message_id, turn_id, since) }
    }

    pub(crate) fn push(&mut self, live: Live) {
        let length = live.length();
        if length == 0 {
            return;
        }
        match (self.pieces.last_mut().map(|piece| &mut piece.live), &live) {
            (Some(Live::Words(known, text)), Live::Words(stream, more))
                if known == stream && text.len() + more.len() <= PIECE =>
            {
                text.push_str(more);
            }
            _ => self.pieces.push(LivePiece { start: self.length, live }),
        }
        self.length += length;
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// What was written after `offset`, until about so many bytes are together, and where that ends; `None` when no character
    /// begins at `offset`.
    pub(crate) fn from(&self, offset: u64, about: u64) -> Option<(Vec<Live>, u64)> {
        if offset > self.length {
            return None;
        }
        let first = self.pieces.partition_point(|piece| piece.start + piece.live.length() <= offset);
        let (mut pieces, mut until) = (Vec::new(), offset);
        for piece in self.pieces.get(first..).unwrap_or_default() {
            if until - offset >= about {
                break;
            }
            pieces.push(match &piece.live {
                Live::Words(stream, text) => {
                    let from = usize::try_from(offset.saturating_sub(piece.start)).ok()?;
                    Live::Words(stream.clone(), text.get(from..)?.to_owned())
                }
                mark @ Live::Mark(_) => mark.clone(),
            });
            until = piece.start + piece.live.length();
        }
        Some((pieces, until))
    }

    /// What was written after `offset` and up to `until`; `None` when no character begins at one of them.
    pub(crate) fn between(&self, offset: u64, until: u64) -> Option<Vec<MessageRun<'_>>> {
        if offset > self.length {
            return None;
        }
        let first = self.pieces.partition_point(|piece| piece.start + piece.live.length() <= offset);
        let mut runs: Vec<MessageRun<'_>> = Vec::new();
        for piece in self.pieces.get(first..).unwrap_or_default() {
            if piece.start >= until {
                break;
            }
            match (&piece.live, runs.last_mut()) {
                (Live::Words(stream, text), last) => {
                    let place = |offset: u64| usize::try_from(offset.saturating_sub(piece.start)).ok();
                    let text = text.get(place(offset)?..place(until)?.min(text.len()))?;
                    match last {
                        Some(MessageRun::Words(known, run)) if *known == stream => {
                            run.to_mut().push_str(text)
                        }
                        _ => runs.push(MessageRun::Words(stream, Cow::Borrowed(text))),
                    }
                }
                (Live::Mark(mark), _) => runs.push(MessageRun::Mark(mark)),
            }
        }
        Some(runs)
    }

    /// The same as readers get it, written once for all that ask for it.
    pub(crate) fn written(
        &mut self,
        session_id: SessionId,
        (offset, until): (u64, u64),
        now: impl FnOnce() -> Timestamp,
    ) -> Result<Arc<[WrittenRun]>> {
        if let Some((.., runs)) = self.kept.iter().find(|(from, to, _)| (*from, *to) == (offset, until)) {
            return Ok(runs.clone());
        }
        let about = About { at: now(), session_id, turn_id: self.turn_id };
        let runs = self.between(offset, until).ok_or_else(Error::bad_cursor)?;
        let written = |run: &MessageRun<'_>| {
            Ok(WrittenRun { length: run.length(), written: run.written(about, self.message_id)? })
        };
        let runs: Arc<[WrittenRun]> = runs.iter().map(written).collect::<Result<_>>()?;
        if until.saturating_sub(offset) <= KEPT_BYTES {
            self.kept.truncate(KEPT - 1);
            self.kept.push_front((offset, until, runs.clone()));
        }
        Ok(runs)
    }
}
