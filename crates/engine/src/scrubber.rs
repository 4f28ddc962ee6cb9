//! Takes known secrets out of a text that comes in pieces.
//!
//! Blanks and line breaks inside of a secret count for nothing: what encodes a text breaks its lines.
//!
//! Invariant: however a text is cut, what is let through is, joined, what is left of the whole. Invariant: what waits is
//! shorter than the longest secret with its blanks, and only what may still become one waits. Time is linear in the text:
//! of the secrets only those are looked at that have begun or begin.

use std::collections::VecDeque;

const INSTEAD: &[u8] = b"[secret]";
/// So many blanks in a row may stand inside of a secret: a line break with some space.
const MOST_BLANKS: usize = 4;

pub(crate) struct Scrubber {
    needles: Vec<Needle>,
    /// Which of them begin with a byte.
    beginning: Vec<Vec<usize>>,
    /// Those of which the text so far ends with something.
    begun: Vec<usize>,
    /// What may be the beginning of a secret, and how much of what is before it is one that ends there: nothing, mostly.
    held: Vec<u8>,
    ends: Vec<usize>,
    /// Where in the whole text the last bytes that are no blanks stand, as many as the longest secret has.
    places: VecDeque<usize>,
    longest: usize,
    /// How much of the text was let go.
    gone: usize,
    /// How many blanks the text so far ends with.
    blanks: usize,
}

struct Needle {
    bytes: Vec<u8>,
    /// For each beginning of it, how much of its end is a shorter beginning.
    borders: Vec<usize>,
    /// How much of it the text so far ends with.
    met: usize,
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

impl Scrubber {
    pub(crate) fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let solid = |secret: &str| secret.bytes().filter(|byte| !is_blank(*byte)).collect::<Vec<u8>>();
        let mut needles: Vec<Vec<u8>> = secrets.into_iter().map(solid).collect();
        needles.retain(|needle| !needle.is_empty());
        needles.sort_unstable();
        needles.dedup();
        let mut beginning = vec![Vec::new(); 256];
        for (index, needle) in needles.iter().enumerate() {
            let first = needle.first().and_then(|byte| beginning.get_mut(usize::from(*byte)));
            if let Some(those) = first {
                those.push(index);
            }
        }
        Self {
            needles: needles.iter().map(|needle| Needle::new(needle)).collect(),
            beginning,
            begun: Vec::new(),
            held: Vec::new(),
            ends: Vec::new(),
            places: VecDeque::new(),
            longest: needles.iter().map(Vec::len).max().unwrap_or(0),
            gone: 0,
            blanks: 0,
        }
    }

    /// What of it can be told by now.
    pub(crate) fn push(&mut self, text: String) -> String {
        if self.needles.is_empty() {
            return text;
        }
        for byte in text.into_bytes() {
            self.step(byte);
        }
        let waits = self.waits();
        self.release(waits)
    }

    fn step(&mut self, byte: u8) {
        let place = self.gone.saturating_add(self.held.len());
        self.held.push(byte);
        if is_blank(byte) {
            self.ends.push(0);
            self.blanks = self.blanks.saturating_add(1);
            if self.blanks > MOST_BLANKS {
                self.forget();
            }
            return;
        }
        self.blanks = 0;
        self.places.push_back(place);
        if self.places.len() > self.longest {
            self.places.pop_front();
        }
        let mut longest = 0_usize;
        let mut begun = std::mem::take(&mut self.begun);
        let new = self.beginning.get(usize::from(byte)).into_iter().flatten();
        begun.extend(new.filter(|index| self.needles.get(**index).is_some_and(|needle| needle.met == 0)));
        begun.retain(|index| {
            let Some(needle) = self.needles.get_mut(*index) else { return false };
            if let Some(length) = needle.step(byte) {
                longest = longest.max(length);
            }
            needle.met > 0
        });
        self.begun = begun;
        let start = self.places.len().checked_sub(longest).filter(|_| longest > 0);
        let start = start.and_then(|start| self.places.get(start));
        self.ends.push(start.map_or(0, |start| place.saturating_sub(*start).saturating_add(1)));
    }

    /// How many of the last bytes may still become a secret.
    fn waits(&self) -> usize {
        let met = |index: &usize| self.needles.get(*index).map_or(0, |needle| needle.met);
        let longest = self.begun.iter().map(met).max().unwrap_or(0);
        let start = self.places.len().checked_sub(longest).filter(|_| longest > 0);
        let start = start.and_then(|start| self.places.get(start));
        start.map_or(0, |start| self.gone.saturating_add(self.held.len()).saturating_sub(*start))
    }

    fn forget(&mut self) {
        self.needles.iter_mut().for_each(|needle| needle.met = 0);
        self.begun.clear();
    }

    /// The rest, when nothing more will come.
    pub(crate) fn finish(&mut self) -> String {
        self.forget();
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
        self.gone = self.gone.saturating_add(told);
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
