//! The message the model is writing, as its readers see it: words, and the elements they belong to.
//!
//! Offsets are those of the cursors: each byte of text, of reasoning and of an element's content counts one, and so does
//! each event of an element that brings none.

use domain::{LiveBody, MessageId, TurnId};
use serde_json::Value;

/// Live text is kept in pieces of about this size, so that a reader near the end copies little.
const PIECE: usize = 4_096;

/// Something that readers are told of the open message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Live {
    Words(Stream, String),
    Mark(Mark),
}

/// What words belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Text,
    Thinking,
    /// The content of this element.
    Element(String),
}

/// Something about an element besides its content.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mark {
    Start {
        id: String,
        parent_id: Option<String>,
        kind: &'static str,
        attributes: Value,
        executable: bool,
    },
    Complete {
        id: String,
        kind: &'static str,
        /// Where its content added to those of its start.
        attributes: Option<Value>,
        content: String,
        executable: bool,
        duration_ms: u64,
    },
    Error {
        id: Option<String>,
        kind: &'static str,
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

    /// As it is sent.
    pub(crate) fn into_body(self, message_id: MessageId) -> LiveBody {
        match self {
            Self::Words(Stream::Text, text) => LiveBody::Text { message_id, text },
            Self::Words(Stream::Thinking, text) => LiveBody::Thinking { message_id, text },
            Self::Words(Stream::Element(id), delta) => LiveBody::ElementUpdate { message_id, id, delta },
            Self::Mark(mark) => mark.into_body(message_id),
        }
    }
}

impl Mark {
    fn into_body(self, message_id: MessageId) -> LiveBody {
        match self {
            Self::Start { id, parent_id, kind, attributes, executable } => {
                let kind = kind.to_owned();
                LiveBody::ElementStart { message_id, id, parent_id, kind, attributes, executable }
            }
            Self::Complete { id, kind, attributes, content, executable, duration_ms } => {
                let kind = kind.to_owned();
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
                LiveBody::ElementError { message_id, id, kind: kind.to_owned(), error }
            }
        }
    }
}

pub(crate) struct OpenMessage {
    pub(crate) message_id: MessageId,
    pub(crate) turn_id: Option<TurnId>,
    /// `seq` of the `message_start` or `message_restarted` that live offsets count from.
    pub(crate) since: u64,
    pieces: Vec<LivePiece>,
    length: u64,
}

struct LivePiece {
    start: u64,
    live: Live,
}

impl OpenMessage {
    pub(crate) fn new(message_id: MessageId, turn_id: Option<TurnId>, since: u64) -> Self {
        Self { message_id, turn_id, since, pieces: Vec::new(), length: 0 }
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

    /// What was written after `offset` and up to `until`, words of one stream joined; `None` when no character begins at
    /// one of them.
    pub(crate) fn between(&self, offset: u64, until: u64) -> Option<Vec<Live>> {
        if offset > self.length {
            return None;
        }
        let first = self.pieces.partition_point(|piece| piece.start + piece.live.length() <= offset);
        let mut runs: Vec<Live> = Vec::new();
        for piece in self.pieces.get(first..).unwrap_or_default() {
            if piece.start >= until {
                break;
            }
            match (&piece.live, runs.last_mut()) {
                (Live::Words(stream, text), last) => {
                    let place = |offset: u64| usize::try_from(offset.saturating_sub(piece.start)).ok();
                    let text = text.get(place(offset)?..place(until)?.min(text.len()))?;
                    match last {
                        Some(Live::Words(known, run)) if known == stream => run.push_str(text),
                        _ => runs.push(Live::Words(stream.clone(), text.to_owned())),
                    }
                }
                (mark, _) => runs.push(mark.clone()),
            }
        }
        Some(runs)
    }

    pub(crate) fn after(&self, offset: u64) -> Option<Vec<Live>> {
        self.between(offset, u64::MAX)
    }
}
