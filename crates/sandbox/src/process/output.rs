//! What a run says: passed on while it comes, kept from both ends.

use std::collections::VecDeque;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Output,
    Errors,
}

/// Some of what a run says, at the moment it says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub stream: Stream,
    pub bytes: Vec<u8>,
}

/// The beginning and the end of what was said, and how much it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    room: usize,
    total: u64,
}

impl Captured {
    #[must_use]
    pub fn new(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let half = self.room / 2;
        let first = bytes.len().min(half.saturating_sub(self.head.len()));
        let (first, rest) = bytes.split_at(first);
        self.head.extend_from_slice(first);
        let last = rest.len().min(self.room.saturating_sub(half));
        self.tail.extend(rest.iter().skip(rest.len().saturating_sub(last)));
        let over = self.tail.len().saturating_sub(self.room.saturating_sub(half));
        self.tail.drain(..over);
    }

    /// How much was said.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How much of the middle is gone.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.total.saturating_sub((self.head.len() + self.tail.len()) as u64)
    }

    /// What was kept, with a line in the place of what was not.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept()).into_owned()
    }

    fn kept(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        if self.left_out() > 0 {
            bytes.extend_from_slice(format!("\n[… {} bytes left out …]\n", self.left_out()).as_bytes());
        }
        bytes.extend(&self.tail);
        bytes
    }

    /// How many characters of [`Self::text`] had begun when each of these many bytes had been said. They ascend.
    #[must_use]
    pub fn places(&self, said: &[u64]) -> Vec<usize> {
        let (head, tail) = (self.head.len() as u64, self.tail.len() as u64);
        let text = self.kept();
        let marked = text.len() as u64 - tail;
        let begins = self.total.saturating_sub(tail);
        let place = |&said: &u64| match said {
            said if said <= head => said,
            said if said < begins => head,
            said => marked.saturating_add(said.saturating_sub(begins)),
        };
        let mut starts = starts(&text).map(|start| start as u64).peekable();
        let mut begun = 0;
        said.iter()
            .map(place)
            .map(|until| {
                while starts.next_if(|start| *start < until).is_some() {
                    begun += 1;
                }
                begun
            })
            .collect()
    }
}

/// Where each character begins, also one that takes the place of bytes that are none.
fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut at = 0;
    bytes.utf8_chunks().flat_map(move |chunk| {
        let (valid, begun) = (chunk.valid(), at);
        at += valid.len() + chunk.invalid().len();
        let broken = (!chunk.invalid().is_empty()).then_some(begun + valid.len());
        valid.char_indices().map(move |(index, _)| begun + index).chain(broken)
    })
}

/// Changes from one stream to the other that are kept, from each end of a run.
const CHANGES: usize = 512;

/// In which order both streams were heard, as far as it is kept: from the beginning, and up to the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Order {
    first: Vec<(Stream, u64)>,
    last: VecDeque<(Stream, u64)>,
}

impl Order {
    /// The stream has said this many bytes by now.
    pub fn note(&mut self, stream: Stream, said: u64) {
        let newest = self.last.back_mut().or_else(|| self.first.last_mut());
        if let Some(newest) = newest
            && newest.0 == stream
        {
            newest.1 = said;
        } else if self.first.len() < CHANGES {
            self.first.push((stream, said));
        } else {
            self.last.push_back((stream, said));
            let over = self.last.len().saturating_sub(CHANGES);
            self.last.drain(..over);
        }
    }

    /// Which stream was heard, and how many bytes it had said by then.
    pub fn iter(&self) -> impl Iterator<Item = (Stream, u64)> + '_ {
        self.first.iter().chain(&self.last).copied()
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
