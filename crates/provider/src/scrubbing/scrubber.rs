//! Takes known secrets out of a text that comes in pieces.
//!
//! Blanks and line breaks inside of a secret count for nothing: what encodes a text breaks its lines. Any of its characters may
//! be written with `%`, as in an address, or with `&`, as in a page, and that may have been done to it again. Some `\` in a row are one: a text in JSON may
//! stand in another one. And where a tool has cut a line, the beginning of a secret goes as the whole would.
//!
//! Invariant: however a text is cut, what is let through is, joined, what is left of the whole. Invariant: what waits is
//! shorter than the longest secret with its blanks, and only what may still become one waits. Time is linear in the text:
//! of the secrets only those are looked at that have begun or begin.

use crate::scrubbing::escape::Escape;
use std::{collections::VecDeque, sync::Arc};

const INSTEAD: &[u8] = b"[secret]";
/// So many blanks in a row may stand inside of a secret: a line break with some space. More only where one has more itself.
const USUAL_BLANKS: usize = 4;
/// So many `\` in a row may stand for one: as many as there are of it in a text in JSON within three others.
const MOST_BACKSLASHES: usize = 8;
/// So often a text may have been escaped with `%` or `&`.
const ESCAPED: usize = 3;
/// So many bytes of its beginning are the secret: more than the names with which the makers of keys begin all of theirs.
const PART: usize = 16;

/// Reads a text, and lets it go without the secrets.
pub struct Scrubber {
    /// The text as it stands.
    plain: View,
    /// The text with each escape read as what it means, and that text read so once more, and again.
    unescaped: [UnescapedLayer; ESCAPED],
    /// What may be the beginning of a secret, and how much of what is before it is one that ends there: nothing, mostly.
    held: Vec<u8>,
    ends: Vec<usize>,
    /// How much of the text was let go.
    gone: usize,
}

/// From where to where something stands in the whole text.
pub(super) type Range = (usize, usize);

/// One way to read the text.
#[derive(Clone)]
struct View {
    needles: Vec<Needle>,
    /// Which of them begin with a byte.
    beginning: Arc<[Vec<usize>]>,
    /// Those of which the text so far ends with something.
    begun: Vec<usize>,
    /// Where the last bytes that are no blanks stand, as many as the longest secret has.
    places: VecDeque<Range>,
    longest: usize,
    /// How many blanks in a row may stand inside of a secret.
    most_blanks: usize,
    /// How many blanks the text so far ends with.
    blanks: usize,
    /// How many `\` the text so far ends with, besides blanks.
    backslashes: usize,
}

/// The text below, with its escapes read.
struct UnescapedLayer {
    escape: Escape,
    view: View,
}

#[derive(Clone)]
struct Needle {
    word: Arc<Word>,
    /// How much of it the text so far ends with.
    met: usize,
}

struct Word {
    bytes: Vec<u8>,
    /// For each beginning of it, how much of its end is a shorter beginning.
    borders: Vec<usize>,
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The most blanks that a secret has in a row.
fn blanks_inside(secret: &str) -> usize {
    let (mut most, mut row) = (0_usize, 0_usize);
    for byte in secret.trim().bytes() {
        row = if is_blank(byte) { row.saturating_add(1) } else { 0 };
        most = most.max(row);
    }
    most
}

impl Scrubber {
    /// One that looks for these words; see [`crate::spellings`].
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let view = View::new(secrets);
        Self {
            unescaped: std::array::from_fn(|_| UnescapedLayer {
                escape: Escape::default(),
                view: view.clone(),
            }),
            plain: view,
            held: Vec::new(),
            ends: Vec::new(),
            gone: 0,
        }
    }

    /// What is left of a text that is all there.
    pub fn whole(mut self, text: String) -> String {
        let mut clean = self.push(text);
        clean.push_str(&self.finish());
        clean
    }

    /// What of it can be told by now.
    pub fn push(&mut self, text: String) -> String {
        if self.plain.needles.is_empty() {
            return text;
        }
        self.read(text.as_bytes());
        let waits = self.waits();
        self.release(waits)
    }

    /// The rest, when nothing more will come.
    pub fn finish(&mut self) -> String {
        self.end();
        self.release(0)
    }

    /// Where secrets stand in a text that is all there. Those that overlap are one.
    pub fn places(mut self, text: &[u8]) -> Vec<std::ops::Range<usize>> {
        if self.plain.needles.is_empty() {
            return Vec::new();
        }
        self.read(text);
        self.end();
        let mut places: Vec<std::ops::Range<usize>> = Vec::new();
        for (at, cover) in self.covers().into_iter().enumerate().filter(|(_, cover)| *cover > 0) {
            match places.last_mut() {
                Some(place) if cover > 1 => place.end = at.saturating_add(1),
                _ => places.push(at..at.saturating_add(1)),
            }
        }
        places
    }

    fn read(&mut self, text: &[u8]) {
        let mut found = Vec::new();
        for &byte in text {
            let place = self.gone.saturating_add(self.held.len());
            self.held.push(byte);
            self.ends.push(0);
            let range = (place, place.saturating_add(1));
            self.plain.step(byte, range, &mut found);
            unescape(&mut self.unescaped, byte, range, &mut found);
            self.mark(&mut found);
        }
    }

    fn end(&mut self) {
        let mut found = Vec::new();
        self.plain.forget(&mut found);
        end(&mut self.unescaped, &mut found);
        self.mark(&mut found);
    }

    fn mark(&mut self, found: &mut Vec<Range>) {
        for (from, until) in found.drain(..) {
            let last = until.checked_sub(self.gone.saturating_add(1));
            if let Some(end) = last.and_then(|last| self.ends.get_mut(last)) {
                *end = until.saturating_sub(from).max(*end);
            }
        }
    }

    /// How many of the last bytes may still become a secret.
    fn waits(&self) -> usize {
        let starts = |layer: &UnescapedLayer| [layer.escape.start(), layer.view.start()];
        let starts = self.unescaped.iter().flat_map(starts).chain([self.plain.start()]);
        let start = starts.flatten().min();
        start.map_or(0, |start| self.gone.saturating_add(self.held.len()).saturating_sub(start))
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

/// Each layer reads what the one below has made of the text.
fn unescape(layers: &mut [UnescapedLayer], byte: u8, place: Range, found: &mut Vec<Range>) {
    let Some((UnescapedLayer { escape, view }, above)) = layers.split_first_mut() else { return };
    escape.step(byte, place, view.most_blanks, &mut |byte, place| {
        view.step(byte, place, found);
        unescape(above, byte, place, found);
    });
}

/// Nothing more will come.
fn end(layers: &mut [UnescapedLayer], found: &mut Vec<Range>) {
    let Some((UnescapedLayer { escape, view }, above)) = layers.split_first_mut() else { return };
    escape.give_up(&mut |byte, place| {
        view.step(byte, place, found);
        unescape(above, byte, place, found);
    });
    view.forget(found);
    end(above, found);
}

impl View {
    fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut most_blanks = USUAL_BLANKS;
        let mut solid = |secret: &str| {
            most_blanks = most_blanks.max(blanks_inside(secret));
            let mut bytes: Vec<u8> = secret.bytes().filter(|byte| !is_blank(*byte)).collect();
            bytes.dedup_by(|next, before| *next == b'\\' && *before == b'\\');
            bytes
        };
        let mut words: Vec<Vec<u8>> = secrets.into_iter().map(&mut solid).collect();
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        words.dedup();
        let mut beginning = vec![Vec::new(); 256];
        for (index, word) in words.iter().enumerate() {
            let first = word.first().and_then(|byte| beginning.get_mut(usize::from(*byte)));
            if let Some(those) = first {
                those.push(index);
            }
        }
        Self {
            longest: words.iter().map(Vec::len).max().unwrap_or(0),
            needles: words.into_iter().map(Needle::new).collect(),
            beginning: beginning.into(),
            begun: Vec::new(),
            places: VecDeque::new(),
            most_blanks,
            blanks: 0,
            backslashes: 0,
        }
    }

    /// Reads a byte that stands there, and adds what is found: secrets that end with it, and beginnings that end before it.
    fn step(&mut self, byte: u8, place: Range, found: &mut Vec<Range>) {
        if is_blank(byte) {
            return self.blank(found);
        }
        self.blanks = 0;
        self.backslashes = if byte == b'\\' { self.backslashes.saturating_add(1) } else { 0 };
        if self.backslashes > 1 {
            // More than stand for one are no part of a secret.
            if self.backslashes > MOST_BACKSLASHES {
                self.forget(found);
            }
            return;
        }
        let Self { needles, beginning, begun, places, longest, .. } = self;
        let new = beginning.get(usize::from(byte)).into_iter().flatten();
        begun.extend(new.filter(|index| needles.get(**index).is_some_and(|needle| needle.met == 0)));
        begun.retain(|index| {
            let Some(needle) = needles.get_mut(*index) else { return false };
            let met = needle.met;
            if let Some(length) = needle.step(byte) {
                let first = places.len().checked_sub(length.saturating_sub(1));
                let first = first.and_then(|first| places.get(first)).unwrap_or(&place);
                found.push((first.0, place.1));
            } else if needle.met <= met {
                found.extend(needle.word.part(met, places));
            }
            needle.met > 0
        });
        places.push_back(place);
        if places.len() > *longest {
            places.pop_front();
        }
    }

    fn blank(&mut self, found: &mut Vec<Range>) {
        self.blanks = self.blanks.saturating_add(1);
        if self.blanks > self.most_blanks {
            self.forget(found);
        }
    }

    /// Where what may still become a secret begins.
    fn start(&self) -> Option<usize> {
        let met = |index: &usize| self.needles.get(*index).map_or(0, |needle| needle.met);
        let longest = self.begun.iter().map(met).max()?;
        let first = self.places.len().checked_sub(longest)?;
        self.places.get(first).map(|place| place.0)
    }

    /// What has begun is not gone on with.
    fn forget(&mut self, found: &mut Vec<Range>) {
        for index in self.begun.drain(..) {
            if let Some(needle) = self.needles.get_mut(index) {
                found.extend(needle.word.part(needle.met, &self.places));
                needle.met = 0;
            }
        }
    }
}

impl Needle {
    fn new(bytes: Vec<u8>) -> Self {
        let mut word = Word { bytes, borders: vec![0] };
        let mut met = 0;
        // The same walk that goes through texts, through itself.
        for at in 1..word.bytes.len() {
            met = word.advance(met, word.bytes.get(at).copied().unwrap_or_default());
            word.borders.push(met);
        }
        Self { word: Arc::new(word), met: 0 }
    }

    /// Its length, where it ends.
    fn step(&mut self, byte: u8) -> Option<usize> {
        let length = self.word.bytes.len();
        self.met = self.word.advance(self.met, byte);
        let whole = self.met == length;
        if whole {
            self.met = self.word.borders.last().copied().unwrap_or(0);
        }
        whole.then_some(length)
    }
}

impl Word {
    fn advance(&self, mut met: usize, byte: u8) -> usize {
        while met > 0 && self.bytes.get(met) != Some(&byte) {
            met = self.borders.get(met - 1).copied().unwrap_or(0);
        }
        if self.bytes.get(met) == Some(&byte) { met.saturating_add(1) } else { met }
    }

    /// Where its beginning stands that was met at the end of these places, if that is much of it; whole characters of it.
    fn part(&self, met: usize, places: &VecDeque<Range>) -> Option<Range> {
        let is_inside = |at: &usize| self.bytes.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
        let much = (0..=met).rev().find(|at| !is_inside(at)).filter(|much| *much >= PART)?;
        let first = places.len().checked_sub(met)?;
        let last = first.checked_add(much)?.checked_sub(1)?;
        Some((places.get(first)?.0, places.get(last)?.1))
    }
}

#[cfg(test)]
#[path = "scrubber_tests.rs"]
mod tests;
