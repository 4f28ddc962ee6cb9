//! Finds the closing tag of one name.

/// Matches `</name>`, with space before its `>`, in whatever case. It is also the answer to whether what has been read
/// could still become one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CloseTag {
    name: &'static str,
    /// Bytes that match so far.
    matched: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    More,
    Closed,
    /// What was read is no closing tag. The byte may begin one.
    No,
}

impl CloseTag {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, matched: 0 }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Nothing has matched yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.matched == 0
    }

    /// Reads on until the tag is found; the only mark a closing tag begins with is `<`, so nothing is read twice.
    pub(crate) fn search(&mut self, byte: u8) -> bool {
        match self.step(byte) {
            Closing::Closed => true,
            Closing::More => false,
            Closing::No => {
                self.matched = usize::from(byte == b'<');
                false
            }
        }
    }

    pub(crate) fn step(&mut self, byte: u8) -> Closing {
        let expected = match self.matched {
            0 => b'<',
            1 => b'/',
            at => match self.name.as_bytes().get(at - 2) {
                Some(letter) => *letter,
                None if byte == b'>' => return Closing::Closed,
                None if byte.is_ascii_whitespace() => return Closing::More,
                None => return Closing::No,
            },
        };
        if byte.to_ascii_lowercase() != expected {
            return Closing::No;
        }
        self.matched += 1;
        Closing::More
    }
}
