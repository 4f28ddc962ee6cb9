//! The parser as others see it: text goes in, events come out.

use crate::{
    Event, Options,
    call::{Order, ProposedCall},
    event::{ElementFault, ElementId},
    options::Mode,
    prompt,
    scan::{
        Feed, Reading,
        candidate::Candidate,
        code_fences::{Line, LinePlace},
        name::{Names, Set},
        open::Open,
    },
};

/// Where events go. Internal functions take it by reference, so that they exist once.
pub(crate) type Sink<'s> = &'s mut dyn FnMut(Event<'_>);

/// Reads one message while it is written. The same text gives the same elements, calls and concatenated text, however it
/// was cut.
#[derive(Debug)]
pub struct Parser {
    pub(crate) options: Options,
    pub(crate) names: &'static Names,
    pub(crate) reading: Reading,
    pub(crate) line: Line,
    pub(crate) candidate: Candidate,
    /// What the candidate has of earlier pieces. Text here is neither shown nor lost.
    pub(crate) held: String,
    pub(crate) stack: Vec<Open>,
    /// Names that an opening and a closing tag may have where the reader is.
    pub(crate) open_names: Set,
    pub(crate) close_names: Set,
    pub(crate) numbers: ElementNumbers,
    pub(crate) rereading: Rereading,
    /// Bytes taken in.
    offset: usize,
    /// The beginning of a character whose end has not come yet.
    split: Vec<u8>,
    finished: bool,
}

/// The numbers that were given out, by counting.
#[derive(Debug, Default)]
pub(crate) struct ElementNumbers {
    pub(crate) last_id: u32,
    pub(crate) last_call: u32,
    /// The group whose calls run one after the other, where one is open.
    pub(crate) group: Option<u32>,
    pub(crate) groups: u32,
}

/// What was no markup after all is read again as text; this bounds how often.
#[derive(Debug, Default)]
pub(crate) struct Rereading {
    /// Bytes that were read again.
    pub(crate) reread: usize,
    /// How far anything was read at all.
    pub(crate) frontier: usize,
    /// Switches the guard of linear time off, to show what it guards against.
    #[cfg(test)]
    pub(crate) unbounded: bool,
}

impl Parser {
    pub fn new(options: Options) -> Self {
        let mut parser = Self {
            options,
            names: Names::known(),
            reading: Reading::Line(LinePlace::Head),
            line: Line::default(),
            candidate: Candidate::None,
            held: String::new(),
            stack: Vec::new(),
            open_names: 0,
            close_names: 0,
            numbers: ElementNumbers::default(),
            rereading: Rereading::default(),
            offset: 0,
            split: Vec::new(),
            finished: false,
        };
        parser.know_names();
        if options.assertions && options.mode == Mode::On {
            parser.expect_assertions();
        }
        parser
    }

    /// Bytes of text taken in so far.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next piece of the message.
    #[inline]
    pub fn push(&mut self, text: &str, mut sink: impl FnMut(Event<'_>)) {
        if self.finished {
            return;
        }
        if self.is_plain(text.as_bytes()) {
            self.offset += text.len();
            return self.emit(text, sink);
        }
        self.take(text, &mut sink);
    }

    /// As [`Parser::push`], for text that may be cut inside of a character. What is no UTF-8 becomes U+FFFD.
    pub fn push_bytes(&mut self, bytes: &[u8], mut sink: impl FnMut(Event<'_>)) {
        if self.finished {
            return;
        }
        let whole;
        let mut rest = bytes;
        if !self.split.is_empty() {
            self.split.extend_from_slice(bytes);
            whole = std::mem::take(&mut self.split);
            rest = &whole;
        }
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.push(text, sink),
                Err(error) => {
                    let (valid, after) = rest.split_at_checked(error.valid_up_to()).unwrap_or((rest, &[]));
                    self.take(std::str::from_utf8(valid).unwrap_or_default(), &mut sink);
                    let Some(length) = error.error_len() else {
                        self.split = after.to_vec();
                        return;
                    };
                    self.take("\u{fffd}", &mut sink);
                    rest = after.get(length..).unwrap_or_default();
                }
            }
        }
    }

    fn take(&mut self, text: &str, sink: Sink<'_>) {
        let mut feed = Feed::new(text, self.offset);
        self.offset += text.len();
        self.run(&mut feed, sink);
    }

    /// The message is over. Everything held is released; what is still open never completes. Doing it again does nothing.
    pub fn finish(&mut self, mut sink: impl FnMut(Event<'_>)) {
        if self.finished {
            return;
        }
        if !self.split.is_empty() {
            self.split.clear();
            self.take("\u{fffd}", &mut sink);
        }
        self.finished = true;
        self.settle(&mut sink);
        while let Some(open) = self.stack.pop() {
            let Some(id) = open.id else { continue };
            sink(Event::ElementError { id: Some(id), kind: open.spec.name, error: &ElementFault::Unclosed });
        }
    }

    /// Text belongs to the innermost open element, or to none.
    #[inline]
    pub(crate) fn emit(&mut self, text: &str, mut sink: impl FnMut(Event<'_>)) {
        if text.is_empty() {
            return;
        }
        match self.stack.last_mut() {
            None => sink(Event::Text(text)),
            Some(open) => {
                open.append(text, self.options.limits.content);
                if let Some(id) = open.id {
                    sink(Event::ElementDelta { id, text });
                }
            }
        }
    }

    pub(crate) fn next_id(&mut self, kind: &str) -> ElementId {
        if kind == prompt::RESPONSE
            && let Some(open) = self.stack.last_mut().filter(|open| open.spec.name == prompt::ELEMENT)
            && let Some(id) = open.id
        {
            open.responses += 1;
            return id.answer(open.responses);
        }
        self.numbers.last_id += 1;
        ElementId::numbered(self.numbers.last_id)
    }

    /// How the next call stands to the others.
    pub(crate) fn order(&self) -> Order {
        self.numbers.group.map_or(Order::InTurn, |group| Order::Together { group })
    }

    pub(crate) fn propose(&mut self, call: ProposedCall, sink: Sink<'_>) {
        sink(Event::Call(&call));
    }
}
