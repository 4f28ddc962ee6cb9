//! Maps of codes: how many bytes a sign has, and what it is.

use super::object::{Lexer, Object, PdfToken};
use crate::limits::Remaining;
use std::{collections::HashMap, rc::Rc};

/// Entries of one map.
const MOST_ENTRIES: usize = 200_000;

#[derive(Debug, Default)]
pub(super) struct CodeMap {
    /// For each length in bytes: the first and the last code.
    spaces: Vec<(usize, u32, u32)>,
    signs: HashMap<u32, Rc<str>>,
    /// The first and the last code, and the sign of the first.
    ranges: Vec<(u32, u32, Vec<u16>)>,
    /// The first and the last code, and the number of the first in the font.
    glyphs: Vec<(u32, u32, u32)>,
}

impl CodeMap {
    pub(super) fn read(text: &[u8], remaining: &mut Remaining) -> Self {
        let mut map = Self::default();
        let mut lexer = Lexer::new(text, 0);
        let mut stack: Vec<Object> = Vec::new();
        while let Some(token) = lexer.token() {
            if !remaining.step() || map.signs.len() + map.ranges.len() + map.glyphs.len() > MOST_ENTRIES {
                break;
            }
            match token {
                PdfToken::Object(object) => stack.push(object),
                PdfToken::Keyword(word) => {
                    map.word(&word, &stack);
                    stack.clear();
                }
            }
        }
        map.ranges.sort_by_key(|(first, ..)| *first);
        map.glyphs.sort_by_key(|(first, ..)| *first);
        map
    }

    fn word(&mut self, word: &[u8], stack: &[Object]) {
        match word {
            b"endcodespacerange" => {
                for pair in stack.chunks_exact(2) {
                    if let [first, last] = pair
                        && let (Some(low), Some(high)) = (code(first), code(last))
                    {
                        self.spaces.push((first.bytes().map_or(1, <[u8]>::len).clamp(1, 4), low, high));
                    }
                }
            }
            b"endbfchar" => {
                for pair in stack.chunks_exact(2) {
                    if let [from, to] = pair
                        && let (Some(from), Some(to)) = (code(from), to.bytes())
                    {
                        self.signs.insert(from, String::from_utf16_lossy(&units(to)).into());
                    }
                }
            }
            b"endbfrange" => stack.chunks_exact(3).for_each(|range| self.range(range)),
            b"endcidrange" => {
                for range in stack.chunks_exact(3) {
                    if let [first, last, to] = range
                        && let (Some(first), Some(last), Some(to)) = (code(first), code(last), to.count())
                    {
                        self.glyphs.push((first, last, to as u32));
                    }
                }
            }
            b"endcidchar" => {
                for pair in stack.chunks_exact(2) {
                    if let [from, to] = pair
                        && let (Some(from), Some(to)) = (code(from), to.count())
                    {
                        self.glyphs.push((from, from, to as u32));
                    }
                }
            }
            _ => {}
        }
    }

    fn range(&mut self, range: &[Object]) {
        let [first, last, to] = range else { return };
        let (Some(first), Some(last)) = (code(first), code(last)) else { return };
        match to {
            Object::Text(to) => self.ranges.push((first, last, units(to))),
            Object::Array(items) => {
                for (index, item) in (first..=last).zip(items.iter()) {
                    let sign = item.bytes().map(|bytes| String::from_utf16_lossy(&units(bytes)));
                    self.signs.extend(sign.map(|sign| (index, sign.into())));
                }
            }
            _ => {}
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.signs.is_empty() && self.ranges.is_empty()
    }

    /// What a code stands for.
    pub(super) fn sign(&self, code: u32) -> Option<Rc<str>> {
        if let Some(sign) = self.signs.get(&code) {
            return Some(sign.clone());
        }
        let (first, last, to) = before(&self.ranges, code, |range| range.0)?;
        let ahead = code.checked_sub(*first).filter(|_| code <= *last)?;
        let mut units = to.clone();
        let end = units.last_mut()?;
        *end = end.wrapping_add(u16::try_from(ahead).ok()?);
        Some(String::from_utf16_lossy(&units).into())
    }

    /// Which number it has in the font.
    pub(super) fn glyph(&self, code: u32) -> Option<u32> {
        let (first, last, to) = before(&self.glyphs, code, |range| range.0)?;
        code.checked_sub(*first).filter(|_| code <= *last).and_then(|ahead| to.checked_add(ahead))
    }

    /// The next code of a string, and its length.
    pub(super) fn next(&self, bytes: &[u8]) -> Option<(u32, usize)> {
        let mut value = 0;
        for length in 1..=bytes.len().min(4) {
            value = value << 8 | u32::from(*bytes.get(length - 1)?);
            if self.spaces.iter().any(|(size, low, high)| *size == length && (*low..=*high).contains(&value))
            {
                return Some((value, length));
            }
        }
        None
    }

    /// The least bytes that a code has.
    pub(super) fn shortest(&self) -> Option<usize> {
        self.spaces.iter().map(|(size, ..)| *size).min()
    }
}

fn before<T>(ranges: &[T], code: u32, first: impl Fn(&T) -> u32) -> Option<&T> {
    ranges.partition_point(|range| first(range) <= code).checked_sub(1).and_then(|at| ranges.get(at))
}

fn code(object: &Object) -> Option<u32> {
    let bytes = object.bytes().filter(|bytes| bytes.len() <= 4)?;
    Some(bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
}

fn units(bytes: &[u8]) -> Vec<u16> {
    match bytes {
        [single] => vec![u16::from(*single)],
        bytes => bytes.chunks_exact(2).take(64).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect(),
    }
}
