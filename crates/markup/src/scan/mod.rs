//! The one pass over the text.
//!
//! Every byte is read in order, whatever the pieces look like. What may still become markup is a *candidate*: it is held,
//! and when it turns out to be none, its first byte is text and the rest is read again.

pub(crate) mod attributes;
pub(crate) mod body;
pub(crate) mod candidate;
pub(crate) mod close;
pub(crate) mod code_fences;
pub(crate) mod find;
pub(crate) mod name;
pub(crate) mod open;
pub(crate) mod tag;

use crate::{
    Parser,
    assertion::AssertionScan,
    at_call::AtScan,
    options::Mode,
    parser::Sink,
    scan::{
        candidate::Candidate,
        close::CloseTag,
        code_fences::{Head, LinePlace},
        find::find,
        tag::TagScan,
    },
};

/// Bytes that may be read again for each byte of text, and for nothing. Beyond that a `<` or `@` is text at once, so that
/// no text takes more than linear time.
const REREAD_RATE: usize = 8;
pub(crate) const REREAD_ALLOWANCE: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Line(LinePlace),
    /// In the content of an element that ends only at its own closing tag.
    Raw(&'static str),
    Candidate,
}

/// A piece of text on its way through the parser.
pub(crate) struct Feed<'c> {
    text: &'c str,
    /// Where it begins in the message.
    base: usize,
    pub(crate) at: usize,
    /// The first byte that has not been told.
    pub(crate) from: usize,
    /// The first byte of the candidate, if it begins in this piece; otherwise where the piece goes on with it.
    pub(crate) start: usize,
}

impl<'c> Feed<'c> {
    pub(crate) fn new(text: &'c str, base: usize) -> Self {
        Self { text, base, at: 0, from: 0, start: 0 }
    }

    /// **Invariant:** both ends are between characters; otherwise text would be lost.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'c str {
        debug_assert!(self.text.get(from..to).is_some(), "{from}..{to} cuts a character");
        self.text.get(from..to).unwrap_or_default()
    }

    pub(crate) fn position(&self) -> usize {
        self.base + self.at
    }
}

impl Parser {
    /// Whether a piece is nothing but more of what is being read, which most pieces are.
    #[inline]
    pub(crate) fn is_plain(&self, text: &[u8]) -> bool {
        match self.reading {
            Reading::Line(LinePlace::Prose) => find([b'<', b'`', b'\n'], text).is_none(),
            Reading::Line(LinePlace::Code) => find([b'`', b'\n'], text).is_none(),
            Reading::Line(LinePlace::Dead) => find([b'\n'], text).is_none(),
            Reading::Raw(_) => find([b'<'], text).is_none(),
            _ => false,
        }
    }

    pub(crate) fn run(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        let bytes = feed.text.as_bytes();
        while let Some(rest) = bytes.get(feed.at..)
            && let Some(byte) = rest.first()
        {
            match self.reading {
                Reading::Line(place) => self.read_line(feed, rest, *byte, place),
                Reading::Raw(name) => match find([b'<'], rest) {
                    None => feed.at = bytes.len(),
                    Some(skipped) => {
                        feed.at += skipped;
                        let mut close = CloseTag::new(name);
                        let _ = close.step(b'<');
                        self.hold(feed, Candidate::RawClose(close));
                    }
                },
                Reading::Candidate => self.read_candidate(feed, *byte, sink),
            }
        }
        if self.reading == Reading::Candidate {
            self.flush(feed, feed.start, sink);
            self.held.push_str(feed.slice(feed.start, bytes.len()));
        } else {
            self.flush(feed, bytes.len(), sink);
        }
    }

    pub(crate) fn flush(&mut self, feed: &mut Feed<'_>, to: usize, sink: Sink<'_>) {
        self.emit(feed.slice(feed.from, to), &mut *sink);
        feed.from = to;
    }

    fn read_line(&mut self, feed: &mut Feed<'_>, rest: &[u8], byte: u8, place: LinePlace) {
        let next = match place {
            LinePlace::Head => match self.line.head(byte, !self.stack.is_empty()) {
                Head::Take => {
                    feed.at += 1;
                    return;
                }
                Head::Go(LinePlace::At) => return self.read_at(feed),
                Head::Go(next) => next,
            },
            LinePlace::Prose => return self.read_prose(feed, rest),
            LinePlace::Ticks | LinePlace::CodeTicks if byte == b'`' => {
                self.line.count_tick();
                feed.at += 1;
                return;
            }
            LinePlace::Ticks | LinePlace::CodeTicks => self.line.end_ticks(place),
            LinePlace::Code => match find([b'`', b'\n'], rest) {
                None => return feed.at += rest.len(),
                Some(skipped) => {
                    feed.at += skipped;
                    if rest.get(skipped) == Some(&b'`') {
                        self.line.maybe_close_code()
                    } else {
                        self.line.end();
                        feed.at += 1;
                        LinePlace::Head
                    }
                }
            },
            LinePlace::Dead => match find([b'\n'], rest) {
                None => return feed.at += rest.len(),
                Some(skipped) => {
                    self.line.end_dead();
                    feed.at += skipped + 1;
                    LinePlace::Head
                }
            },
            LinePlace::FenceInfo if byte == b'`' => self.line.info_is_code(),
            LinePlace::FenceInfo => {
                feed.at += 1;
                if byte != b'\n' {
                    return self.line.note_info(byte);
                }
                self.line.end_info();
                LinePlace::Head
            }
            LinePlace::At => LinePlace::Prose,
        };
        self.reading = Reading::Line(next);
    }

    fn read_prose(&mut self, feed: &mut Feed<'_>, rest: &[u8]) {
        let Some(skipped) = find([b'<', b'`', b'\n'], rest) else {
            return feed.at += rest.len();
        };
        feed.at += skipped;
        match rest.get(skipped) {
            Some(b'`') => self.reading = Reading::Line(self.line.open_code()),
            Some(b'\n') => {
                self.line.end();
                feed.at += 1;
                self.reading = Reading::Line(LinePlace::Head);
            }
            _ if self.may_hold(feed) => {
                self.hold(feed, Candidate::Tag(TagScan::new(self.open_names, self.close_names)));
            }
            _ => feed.at += 1,
        }
    }

    fn read_at(&mut self, feed: &mut Feed<'_>) {
        if self.options.mode == Mode::On && self.may_hold(feed) {
            self.hold(feed, Candidate::At(Box::new(AtScan::new())));
        } else {
            self.reading = Reading::Line(LinePlace::Prose);
        }
    }

    /// Whether what begins here may be held: not if too much has been read again already.
    fn may_hold(&self, feed: &Feed<'_>) -> bool {
        #[cfg(test)]
        if self.rereading.unbounded {
            return true;
        }
        self.rereading.reread <= self.rereading.frontier.max(feed.position()) * REREAD_RATE + REREAD_ALLOWANCE
    }

    /// A candidate begins at the byte that the piece is at.
    fn hold(&mut self, feed: &mut Feed<'_>, candidate: Candidate) {
        self.candidate = candidate;
        self.reading = Reading::Candidate;
        feed.start = feed.at;
        feed.at += 1;
    }

    /// The whole reply may be a block of assertions.
    pub(crate) fn expect_assertions(&mut self) {
        self.candidate = Candidate::Assertions(Box::new(AssertionScan::new()));
        self.reading = Reading::Candidate;
    }
}

#[cfg(test)]
#[path = "scan_tests.rs"]
mod tests;
