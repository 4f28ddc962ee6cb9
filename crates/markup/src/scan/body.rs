//! What follows the opening tag of an interaction or a tool pattern, up to its closing tag.

use crate::{
    json::{Dialect, Reader, Step},
    scan::close::{CloseTag, Closing},
};
use serde_json::Value;

#[derive(Debug)]
enum Phase {
    /// Space before the first byte that counts.
    Lead,
    Json(Box<Reader>),
    /// Behind the JSON: space and the closing tag.
    Tail(Value, CloseTag),
    /// Everything up to the first closing tag.
    Raw,
}

#[derive(Debug)]
pub(crate) struct BodyScan {
    phase: Phase,
    /// Searches for the first closing tag from the beginning, whatever the JSON says.
    first: CloseTag,
    name: &'static str,
    /// Bytes read, and how many of them the first closing tag ended after.
    length: usize,
    first_end: Option<usize>,
    /// Without JSON it can still be something.
    plain_allowed: bool,
}

#[derive(Debug)]
pub(crate) enum BodyStep {
    More,
    NotABody,
    Json(Value),
    /// No JSON; the body with its closing tag is so many bytes long. What was read beyond is not part of it, and the
    /// byte itself only if it ends the tag: otherwise it may be the first of a character whose others follow.
    Plain {
        length: usize,
        with_byte: bool,
    },
}

impl BodyScan {
    /// JSON is expected; if `plain_allowed`, anything else will do.
    pub(crate) fn json(name: &'static str, plain_allowed: bool) -> Self {
        Self::new(name, Phase::Lead, plain_allowed)
    }

    pub(crate) fn raw(name: &'static str) -> Self {
        Self::new(name, Phase::Raw, true)
    }

    fn new(name: &'static str, phase: Phase, plain_allowed: bool) -> Self {
        Self { phase, first: CloseTag::new(name), name, length: 0, first_end: None, plain_allowed }
    }

    pub(crate) fn step(&mut self, byte: u8) -> BodyStep {
        self.length += 1;
        if self.first_end.is_none() && self.first.search(byte) {
            self.first_end = Some(self.length);
        }
        match &mut self.phase {
            Phase::Lead if byte.is_ascii_whitespace() => BodyStep::More,
            Phase::Lead if matches!(byte, b'{' | b'[') => {
                let mut reader = Box::new(Reader::new(Dialect::Json));
                let _ = reader.step(byte);
                self.phase = Phase::Json(reader);
                BodyStep::More
            }
            Phase::Lead | Phase::Raw => self.plain(),
            Phase::Json(reader) => match reader.step(byte) {
                Step::More => BodyStep::More,
                Step::Fail => self.plain(),
                Step::Done => {
                    self.phase = Phase::Tail(reader.take(), CloseTag::new(self.name));
                    BodyStep::More
                }
            },
            Phase::Tail(value, close) => match close.step(byte) {
                Closing::Closed => BodyStep::Json(value.take()),
                Closing::More => BodyStep::More,
                Closing::No if byte.is_ascii_whitespace() && close.is_fresh() => BodyStep::More,
                Closing::No => self.plain(),
            },
        }
    }

    /// Nothing more is read: how long the body is without its JSON, if it can be one.
    pub(crate) fn give_up(&self) -> Option<usize> {
        self.first_end.filter(|_| self.plain_allowed)
    }

    fn plain(&mut self) -> BodyStep {
        if !self.plain_allowed {
            return BodyStep::NotABody;
        }
        self.phase = Phase::Raw;
        match self.first_end {
            Some(length) => BodyStep::Plain { length, with_byte: length == self.length },
            None => BodyStep::More,
        }
    }
}
