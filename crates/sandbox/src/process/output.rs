//! What a run says: passed on while it comes, kept from both ends.

use std::{collections::VecDeque, ops::Range};

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

/// So much of what is left out is known beside each cut, to see what the cut goes through: more than a key in any spelling.
const BESIDE_A_CUT: usize = 16 * 1024;

/// The beginning and the end of what was said, and how much it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning, and what came behind it.
    first: Vec<u8>,
    /// The end, and what came before it.
    last: VecDeque<u8>,
    room: usize,
    total: u64,
    /// So much less is kept of the beginning, and of the end, than there is room for.
    less: [usize; 2],
}

impl Captured {
    #[must_use]
    pub fn new(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let [most_first, most_last] = self.rooms().map(|room| room.saturating_add(BESIDE_A_CUT));
        let first = most_first.saturating_sub(self.first.len());
        self.first.extend(bytes.iter().take(first));
        self.last.extend(bytes.iter().skip(bytes.len().saturating_sub(most_last)));
        let over = self.last.len().saturating_sub(most_last);
        self.last.drain(..over);
    }

    /// For the beginning, and for the end.
    const fn rooms(&self) -> [usize; 2] {
        let half = self.room / 2;
        [half, self.room.saturating_sub(half)]
    }

    fn head(&self) -> &[u8] {
        let [room, _] = self.rooms();
        let whole = self.first.len().min(room);
        self.first.get(..whole.saturating_sub(self.less[0])).unwrap_or_default()
    }

    /// How many of the last bytes are the end.
    fn tail(&self) -> usize {
        let [before, room] = self.rooms();
        let behind = self.total.saturating_sub(before.min(self.first.len()) as u64);
        let whole = usize::try_from(behind).unwrap_or(usize::MAX).min(room);
        whole.saturating_sub(self.less[1])
    }

    /// Drops more of the middle, where a cut goes through something of which no part may be kept. `places` says where such things
    /// stand.
    pub fn drop_halves(&mut self, places: impl Fn(&[u8]) -> Vec<Range<usize>>) {
        if self.left_out() == 0 {
            return;
        }
        let across = |bytes: &[u8], cut: usize| {
            places(bytes).into_iter().find(|place| place.start < cut && cut < place.end)
        };
        let head = self.head().len();
        let half = across(&self.first, head).map_or(0, |place| head.saturating_sub(place.start));
        let last: Vec<u8> = self.last.iter().copied().collect();
        let tail = last.len().saturating_sub(self.tail());
        let other_half = across(&last, tail).map_or(0, |place| place.end.saturating_sub(tail));
        let [less_first, less_last] = self.less;
        self.less = [less_first.saturating_add(half), less_last.saturating_add(other_half)];
    }

    /// How much was said.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How much of the middle is gone.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.total.saturating_sub((self.head().len() + self.tail()) as u64)
    }

    /// What was kept, with a line in the place of what was not.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept()).into_owned()
    }

    fn kept(&self) -> Vec<u8> {
        let mut bytes = self.head().to_vec();
        if self.left_out() > 0 {
            bytes.extend_from_slice(format!("\n[… {} bytes left out …]\n", self.left_out()).as_bytes());
        }
        bytes.extend(self.last.iter().skip(self.last.len().saturating_sub(self.tail())));
        bytes
    }

    /// How many characters of [`Self::text`] had begun when each of these many bytes had been said. They ascend.
    #[must_use]
    pub fn places(&self, said: &[u64]) -> Vec<usize> {
        let (head, tail) = (self.head().len() as u64, self.tail() as u64);
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
