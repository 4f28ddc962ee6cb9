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
    pub(crate) fn new(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
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
        let mut bytes = self.head.clone();
        if self.left_out() > 0 {
            bytes.extend_from_slice(format!("\n[… {} bytes left out …]\n", self.left_out()).as_bytes());
        }
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
