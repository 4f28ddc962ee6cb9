//! Takes known secrets out of a text that comes in pieces.
//!
//! Invariant: however a text is cut, what is let through is, joined, what is left of the whole. Invariant: what waits is
//! shorter than the longest secret, and only what may still become one waits. Time is linear in the text.

const INSTEAD: &[u8] = b"[secret]";

pub(crate) struct Scrubber {
    needles: Vec<Needle>,
    /// What may be the beginning of a secret, and how much of what is before it is one that ends there: nothing, mostly.
    held: Vec<u8>,
    ends: Vec<usize>,
}

struct Needle {
    bytes: Vec<u8>,
    /// For each beginning of it, how much of its end is a shorter beginning.
    borders: Vec<usize>,
    /// How much of it the text so far ends with.
    met: usize,
}

impl Scrubber {
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut needles: Vec<&[u8]> = secrets.into_iter().map(str::as_bytes).collect();
        needles.retain(|needle| !needle.is_empty());
        needles.sort_unstable();
        needles.dedup();
        Self { needles: needles.into_iter().map(Needle::new).collect(), held: Vec::new(), ends: Vec::new() }
    }

    /// What of it can be told by now.
    pub(crate) fn push(&mut self, text: String) -> String {
        if self.needles.is_empty() {
            return text;
        }
        for byte in text.into_bytes() {
            self.held.push(byte);
            let longest = self.needles.iter_mut().filter_map(|needle| needle.step(byte)).max();
            self.ends.push(longest.unwrap_or(0));
        }
        let waits = self.needles.iter().map(|needle| needle.met).max().unwrap_or(0);
        self.release(waits)
    }

    /// The rest, when nothing more will come.
    pub(crate) fn finish(&mut self) -> String {
        self.needles.iter_mut().for_each(|needle| needle.met = 0);
        self.release(0)
    }

    /// Lets go of everything but the last bytes.
    fn release(&mut self, waits: usize) -> String {
        let told = self.held.len().saturating_sub(waits);
        let covers = self.covers();
        let mut text = Vec::with_capacity(told);
        for (byte, cover) in self.held.drain(..told).zip(&covers) {
            match cover {
                0 => text.push(byte),
                1 => text.extend_from_slice(INSTEAD),
                _ => {}
            }
        }
        self.ends.drain(..told);
        // Needles and pieces are whole characters, so every cut is between two of them.
        String::from_utf8_lossy(&text).into_owned()
    }

    /// For each byte, how many up to it belong to a secret: secrets that overlap are one, which begins where this is 1.
    fn covers(&self) -> Vec<usize> {
        let mut covers = self.ends.clone();
        let mut next = 0_usize;
        for cover in covers.iter_mut().rev() {
            next = next.saturating_sub(1).max(*cover);
            *cover = next;
        }
        covers
    }
}

impl Needle {
    fn new(bytes: &[u8]) -> Self {
        let mut needle = Self { bytes: bytes.to_vec(), borders: vec![0], met: 0 };
        // The same walk that goes through texts, through itself.
        for byte in bytes.iter().skip(1) {
            needle.advance(*byte);
            needle.borders.push(needle.met);
        }
        needle.met = 0;
        needle
    }

    fn advance(&mut self, byte: u8) {
        while self.met > 0 && self.bytes.get(self.met) != Some(&byte) {
            self.met = self.borders.get(self.met - 1).copied().unwrap_or(0);
        }
        if self.bytes.get(self.met) == Some(&byte) {
            self.met += 1;
        }
    }

    /// Its length, where it ends.
    fn step(&mut self, byte: u8) -> Option<usize> {
        self.advance(byte);
        let whole = self.met == self.bytes.len();
        if whole {
            self.met = self.borders.last().copied().unwrap_or(0);
        }
        whole.then_some(self.bytes.len())
    }
}

#[cfg(test)]
#[path = "scrubber_tests.rs"]
mod tests;
