//! A `<` that may begin a tag, up to the end of that tag.

use crate::scan::{
    attributes::{AttributeScan, Scan},
    candidate::begins_character,
    name::{Names, Set, Tag},
};

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Behind the `<`.
    Start,
    Name,
    Attributes(Scan),
    /// Behind the name of a closing tag.
    Space,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TagScan {
    phase: Phase,
    /// The names it can still be.
    open: Set,
    close: Set,
    closing: bool,
    letters: usize,
    length: usize,
    found: Option<(&'static str, Tag)>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TagStep {
    More,
    /// No tag, and nothing in it that could be something else.
    Text,
    /// No tag, but what was held may hold something.
    Again,
    Open {
        name: &'static str,
        tag: Tag,
        self_closing: bool,
    },
    Close {
        tag: Tag,
    },
}

impl TagScan {
    /// `open` and `close` are the names that a tag may have here.
    pub(crate) fn new(open: Set, close: Set) -> Self {
        Self { phase: Phase::Start, open, close, closing: false, letters: 0, length: 1, found: None }
    }

    /// Where the attributes begin, in bytes from the `<`.
    pub(crate) fn name_end(&self) -> usize {
        self.letters + 1
    }

    pub(crate) fn step(&mut self, names: &Names, limit: usize, byte: u8) -> TagStep {
        self.length += 1;
        match self.phase {
            Phase::Start if byte == b'/' && !self.closing => {
                self.closing = true;
                self.open = self.close;
                TagStep::More
            }
            Phase::Start | Phase::Name => self.name(names, byte),
            Phase::Attributes(_) | Phase::Space if self.length > limit && begins_character(byte) => {
                TagStep::Again
            }
            Phase::Attributes(scan) => self.attributes(scan, byte),
            Phase::Space => self.space(byte),
        }
    }

    fn name(&mut self, names: &Names, byte: u8) -> TagStep {
        let narrowed = names.narrow(self.open, self.letters, byte);
        if narrowed != 0 {
            self.open = narrowed;
            self.letters += 1;
            self.phase = Phase::Name;
            return TagStep::More;
        }
        let at_boundary = byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
        let found = names.whole(self.open, self.letters).filter(|_| at_boundary);
        if found.is_none() {
            return TagStep::Text;
        }
        self.found = found;
        if self.closing { self.space(byte) } else { self.attributes(Scan::default(), byte) }
    }

    fn attributes(&mut self, mut scan: Scan, byte: u8) -> TagStep {
        let found = scan.step(byte);
        self.phase = Phase::Attributes(scan);
        match (found, self.found) {
            (AttributeScan::More, _) => TagStep::More,
            (AttributeScan::End, Some((name, tag))) => TagStep::Open { name, tag, self_closing: false },
            (AttributeScan::SelfClosing, Some((name, tag))) => {
                TagStep::Open { name, tag, self_closing: true }
            }
            _ => TagStep::Again,
        }
    }

    fn space(&mut self, byte: u8) -> TagStep {
        self.phase = Phase::Space;
        match (byte, self.found) {
            (b'>', Some((_, tag))) => TagStep::Close { tag },
            _ if byte.is_ascii_whitespace() => TagStep::More,
            _ => TagStep::Again,
        }
    }
}
