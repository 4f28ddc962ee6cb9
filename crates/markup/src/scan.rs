//! The one pass over the text.
//!
//! Every byte is read in order, whatever the pieces look like. What may still become markup is a *candidate*: it is held,
//! and when it turns out to be none, its first byte is text and the rest is read again.

use crate::{
    Parser, Span,
    assertion::AssertionScan,
    at_call::{AtScan, AtStep},
    body::{BodyScan, BodyStep},
    close::{CloseTag, Closing},
    element::Content,
    line::{Head, Place},
    options::Mode,
    parser::Sink,
    tag::{TagScan, TagStep},
};

/// Bytes that may be read again for each byte of text, and for nothing. Beyond that a `<` or `@` is text at once, so that
/// no text takes more than linear time.
const REREAD_RATE: usize = 8;
const REREAD_ALLOWANCE: usize = 64 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Line(Place),
    /// In the content of an element that ends only at its own closing tag.
    Raw(&'static str),
    Candidate,
}

/// What may still become markup.
#[derive(Debug)]
pub(crate) enum Candidate {
    None,
    Tag(TagScan),
    /// The closing tag of a raw element.
    RawClose(CloseTag),
    /// An interaction or tool pattern behind its opening tag; the name of that, and how long it is.
    Body {
        scan: Box<BodyScan>,
        name: &'static str,
        opening: usize,
        name_end: usize,
    },
    At(Box<AtScan>),
    Assertions(Box<AssertionScan>),
}

/// A piece of text on its way through the parser.
pub(crate) struct Feed<'c> {
    text: &'c str,
    /// Where it begins in the message.
    base: usize,
    at: usize,
    /// The first byte that has not been told.
    from: usize,
    /// The first byte of the candidate, if it begins in this piece; otherwise where the piece goes on with it.
    start: usize,
}

impl<'c> Feed<'c> {
    pub(crate) fn new(text: &'c str, base: usize) -> Self {
        Self { text, base, at: 0, from: 0, start: 0 }
    }

    fn slice(&self, from: usize, to: usize) -> &'c str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn position(&self) -> usize {
        self.base + self.at
    }
}

impl Parser {
    pub(crate) fn run(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        let bytes = feed.text.as_bytes();
        while let Some(rest) = bytes.get(feed.at..)
            && let Some(byte) = rest.first()
        {
            match self.reading {
                Reading::Line(place) => self.read_line(feed, rest, *byte, place),
                Reading::Raw(name) => match memchr::memchr(b'<', rest) {
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

    fn flush(&mut self, feed: &mut Feed<'_>, to: usize, sink: Sink<'_>) {
        self.emit(feed.slice(feed.from, to), sink);
        feed.from = to;
    }

    fn read_line(&mut self, feed: &mut Feed<'_>, rest: &[u8], byte: u8, place: Place) {
        let next = match place {
            Place::Head => match self.line.head(byte, !self.stack.is_empty()) {
                Head::Take => {
                    feed.at += 1;
                    return;
                }
                Head::Go(Place::At) => return self.read_at(feed),
                Head::Go(next) => next,
            },
            Place::Prose => return self.read_prose(feed, rest),
            Place::Ticks | Place::CodeTicks if byte == b'`' => {
                self.line.count_tick();
                feed.at += 1;
                return;
            }
            Place::Ticks | Place::CodeTicks => self.line.end_ticks(place),
            Place::Code => match memchr::memchr2(b'`', b'\n', rest) {
                None => return feed.at += rest.len(),
                Some(skipped) => {
                    feed.at += skipped;
                    if rest.get(skipped) == Some(&b'`') {
                        self.line.maybe_close_code()
                    } else {
                        self.line.end();
                        feed.at += 1;
                        Place::Head
                    }
                }
            },
            Place::Dead => match memchr::memchr(b'\n', rest) {
                None => return feed.at += rest.len(),
                Some(skipped) => {
                    self.line.end_dead();
                    feed.at += skipped + 1;
                    Place::Head
                }
            },
            Place::FenceInfo if byte == b'`' => self.line.info_is_code(),
            Place::FenceInfo => {
                feed.at += 1;
                if byte != b'\n' {
                    return self.line.note_info(byte);
                }
                self.line.end_info();
                Place::Head
            }
            Place::At => Place::Prose,
        };
        self.reading = Reading::Line(next);
    }

    fn read_prose(&mut self, feed: &mut Feed<'_>, rest: &[u8]) {
        let Some(skipped) = memchr::memchr3(b'<', b'`', b'\n', rest) else {
            return feed.at += rest.len();
        };
        feed.at += skipped;
        match rest.get(skipped) {
            Some(b'`') => self.reading = Reading::Line(self.line.open_code()),
            Some(b'\n') => {
                self.line.end();
                feed.at += 1;
                self.reading = Reading::Line(Place::Head);
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
            self.reading = Reading::Line(Place::Prose);
        }
    }

    /// Whether what begins here may be held: not if too much has been read again already.
    fn may_hold(&self, feed: &Feed<'_>) -> bool {
        self.reread <= self.frontier.max(feed.position()) * REREAD_RATE + REREAD_ALLOWANCE
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

    fn read_candidate(&mut self, feed: &mut Feed<'_>, byte: u8, sink: Sink<'_>) {
        let limits = self.options.limits;
        let length = self.held.len() + feed.at - feed.start;
        match &mut self.candidate {
            Candidate::Tag(scan) => {
                let step = scan.step(self.names, limits.tag, byte);
                let name_end = scan.name_end();
                self.tag_step(feed, step, name_end, sink);
            }
            Candidate::RawClose(close) => match close.step(byte) {
                Closing::More => feed.at += 1,
                Closing::Closed => {
                    self.absorb(feed, sink);
                    self.close_raw(feed.position(), sink);
                }
                Closing::No => self.release(sink),
            },
            _ if length >= limits.call => self.again(feed, sink),
            Candidate::Body { scan, .. } => {
                let step = scan.step(byte);
                self.body_step(feed, step, sink);
            }
            Candidate::At(scan) => match scan.step(byte) {
                AtStep::More => feed.at += 1,
                AtStep::NotACall => self.again(feed, sink),
                AtStep::Call { target, method, arguments } => {
                    self.absorb(feed, sink);
                    let span = self.held_span(feed.position());
                    self.drop_held();
                    self.propose_at(target, method, arguments, span, sink);
                }
            },
            Candidate::Assertions(scan) => {
                if scan.step(byte) {
                    feed.at += 1;
                } else {
                    self.again(feed, sink);
                }
            }
            Candidate::None => self.reading = Reading::Line(Place::Prose),
        }
    }

    fn tag_step(&mut self, feed: &mut Feed<'_>, step: TagStep, name_end: usize, sink: Sink<'_>) {
        match step {
            TagStep::More => feed.at += 1,
            TagStep::Text => self.release(sink),
            TagStep::Again => self.again(feed, sink),
            TagStep::Open { name, tag, self_closing } => {
                self.absorb(feed, sink);
                self.open_tag(feed.position(), name, tag, name_end, self_closing, sink);
            }
            TagStep::Close { tag } => {
                self.absorb(feed, sink);
                self.close_tag(feed.position(), tag, sink);
            }
        }
    }

    fn body_step(&mut self, feed: &mut Feed<'_>, step: BodyStep, sink: Sink<'_>) {
        match step {
            BodyStep::More => feed.at += 1,
            BodyStep::NotABody => self.again(feed, sink),
            BodyStep::Json(value) => {
                self.absorb(feed, sink);
                let end = feed.position();
                if self.propose_json(value, self.held_span(end), sink) {
                    self.drop_held();
                } else {
                    self.read_again(end, feed, sink);
                }
            }
            BodyStep::Plain { length } => {
                self.absorb(feed, sink);
                self.plain_body(feed, length, sink);
            }
        }
    }

    /// The closing tag came before what was read last, which is read again.
    fn plain_body(&mut self, feed: &mut Feed<'_>, length: usize, sink: Sink<'_>) {
        let Candidate::Body { opening, .. } = self.candidate else { return };
        let (whole, end) = (opening + length, feed.position());
        let beyond = self.held.split_off(whole.min(self.held.len()));
        let begin = end - beyond.len();
        if !self.propose_plain(self.held_span(begin), sink) {
            return self.read_again(begin, feed, sink);
        }
        self.drop_held();
        if !beyond.is_empty() {
            self.reread += beyond.len();
            self.frontier = self.frontier.max(end);
            self.run(&mut Feed::new(&beyond, begin), sink);
            feed.start = feed.at;
        }
    }

    /// The candidate is whole with this byte: all of it is held now, and nothing of it is told as text.
    fn absorb(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        self.flush(feed, feed.start, sink);
        feed.at += 1;
        self.held.push_str(feed.slice(feed.start, feed.at));
        feed.start = feed.at;
        feed.from = feed.at;
    }

    /// Where what is held stands in the message, which ends there.
    pub(crate) fn held_span(&self, end: usize) -> Span {
        Span { start: end - self.held.len(), end }
    }

    /// What was held has become something else than text.
    pub(crate) fn drop_held(&mut self) {
        self.held.clear();
        self.candidate = Candidate::None;
        self.reading = Reading::Line(Place::Prose);
        self.line.inside();
    }

    /// What was held is text, and nothing in it can be anything else. The byte itself is read next.
    fn release(&mut self, sink: Sink<'_>) {
        if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            self.emit(&held, sink);
            self.held = held;
            self.held.clear();
        }
        let raw = self.stack.last().filter(|open| open.spec.content == Content::Raw);
        self.reading = match (&self.candidate, raw) {
            (Candidate::RawClose(close), Some(_)) => Reading::Raw(close.name()),
            _ => Reading::Line(Place::Prose),
        };
        self.candidate = Candidate::None;
    }

    /// What was held is no markup as a whole: its first byte is text, the rest is read again.
    fn again(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        self.flush(feed, feed.start, sink);
        self.held.push_str(feed.slice(feed.start, feed.at));
        feed.from = feed.at;
        self.read_again(feed.position(), feed, sink);
    }

    /// As [`Parser::again`], when everything up to `end` is in `held`.
    fn read_again(&mut self, end: usize, feed: &mut Feed<'_>, sink: Sink<'_>) {
        let held = std::mem::take(&mut self.held);
        let is_reply = matches!(self.candidate, Candidate::Assertions(_));
        self.reread += held.len();
        self.frontier = self.frontier.max(end);
        self.drop_held();
        let base = end - held.len();
        if is_reply {
            self.line = Default::default();
            self.reading = Reading::Line(Place::Head);
            self.run(&mut Feed::new(&held, base), sink);
        } else {
            let (first, rest) = held.split_at_checked(1).unwrap_or((&held, ""));
            self.emit(first, sink);
            self.run(&mut Feed::new(rest, base + 1), sink);
        }
        feed.start = feed.at;
    }

    /// At the end of the message nothing can be held any more.
    pub(crate) fn settle(&mut self, sink: Sink<'_>) {
        while self.reading == Reading::Candidate {
            let end = self.offset();
            match std::mem::replace(&mut self.candidate, Candidate::None) {
                Candidate::Assertions(scan) => {
                    if let Some(operations) = scan.operations() {
                        let span = self.held_span(end);
                        self.drop_held();
                        return self.propose_operations(operations, span, sink);
                    }
                    self.expect_assertions();
                }
                other => self.candidate = other,
            }
            let mut feed = Feed::new("", end);
            self.again(&mut feed, sink);
        }
    }
}
