//! What is held: it may still become markup.
//!
//! A candidate ends in one of three ways: it is markup, and nothing of it was ever shown; it is text through and through,
//! and is released; or it is no markup as a whole, and then its first byte is text and the rest is read again.

use crate::{
    Parser, Span,
    assertion::AssertionScan,
    at_call::{AtScan, AtStep},
    element::Content,
    parser::Sink,
    scan::{
        Feed, Reading,
        body::{BodyScan, BodyStep},
        close::{CloseTag, Closing},
        code_fences::LinePlace,
        tag::{TagScan, TagStep},
    },
};

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

/// What is held is given up only between characters, whatever the limit: text is told in whole ones.
pub(crate) fn begins_character(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

impl Parser {
    pub(crate) fn read_candidate(&mut self, feed: &mut Feed<'_>, byte: u8, sink: Sink<'_>) {
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
            _ if length >= limits.call && begins_character(byte) => self.give_up(feed, sink),
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
            Candidate::None => self.reading = Reading::Line(LinePlace::Prose),
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
            BodyStep::Plain { length, with_byte } => {
                feed.at += usize::from(with_byte);
                self.plain_body(feed, length, sink);
            }
        }
    }

    /// Too much is held, or the message is over.
    fn give_up(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        let plain = match &self.candidate {
            Candidate::Body { scan, .. } => scan.give_up(),
            _ => None,
        };
        match plain {
            Some(length) => self.plain_body(feed, length, sink),
            None => self.again(feed, sink),
        }
    }

    /// The closing tag may have come before what was read last, which is read again.
    fn plain_body(&mut self, feed: &mut Feed<'_>, length: usize, sink: Sink<'_>) {
        self.gather(feed, sink);
        let Candidate::Body { opening, .. } = self.candidate else { return };
        let (whole, end) = (opening + length, feed.position());
        let beyond = self.held.split_off(whole.min(self.held.len()));
        let begin = end - beyond.len();
        if !self.propose_plain(self.held_span(begin), sink) {
            return self.read_again(begin, feed, sink);
        }
        self.drop_held();
        if !beyond.is_empty() {
            self.rereading.reread += beyond.len();
            self.rereading.frontier = self.rereading.frontier.max(end);
            self.run(&mut Feed::new(&beyond, begin), sink);
            feed.start = feed.at;
        }
    }

    /// The candidate is whole with this byte: all of it is held now, and nothing of it is told as text.
    fn absorb(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        feed.at += 1;
        self.gather(feed, sink);
    }

    /// All of the candidate that has been read is held now.
    fn gather(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        self.flush(feed, feed.start, sink);
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
        self.reading = Reading::Line(LinePlace::Prose);
        self.line.inside();
    }

    /// What was held is text, and nothing in it can be anything else. The byte itself is read next.
    fn release(&mut self, sink: Sink<'_>) {
        if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            self.emit(&held, &mut *sink);
            self.held = held;
            self.held.clear();
        }
        let raw = self.stack.last().filter(|open| open.spec.content == Content::Raw);
        self.reading = match (&self.candidate, raw) {
            (Candidate::RawClose(close), Some(_)) => Reading::Raw(close.name()),
            _ => Reading::Line(LinePlace::Prose),
        };
        self.candidate = Candidate::None;
    }

    /// What was held is no markup as a whole: its first byte is text, the rest is read again.
    fn again(&mut self, feed: &mut Feed<'_>, sink: Sink<'_>) {
        self.gather(feed, sink);
        self.read_again(feed.position(), feed, sink);
    }

    /// As [`Parser::again`], when everything up to `end` is in `held`.
    fn read_again(&mut self, end: usize, feed: &mut Feed<'_>, sink: Sink<'_>) {
        let held = std::mem::take(&mut self.held);
        let is_reply = matches!(self.candidate, Candidate::Assertions(_));
        self.rereading.reread += held.len();
        self.rereading.frontier = self.rereading.frontier.max(end);
        self.drop_held();
        let base = end - held.len();
        if is_reply {
            self.line = Default::default();
            self.reading = Reading::Line(LinePlace::Head);
            self.run(&mut Feed::new(&held, base), sink);
        } else {
            let (first, rest) = held.split_at_checked(1).unwrap_or((&held, ""));
            self.emit(first, &mut *sink);
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
            self.give_up(&mut Feed::new("", end), sink);
        }
    }
}
