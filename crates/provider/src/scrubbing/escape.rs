//! Reads what a text says where it is escaped: `%41` as in an address, `&#65;`, `&#x41;` and `&amp;` as in a page.

use crate::scrubbing::scrubber::{Range, is_blank};

/// The names that every program writes which makes a text fit for a page.
const NAMES: [(&[u8], u8); 5] =
    [(b"amp", b'&'), (b"lt", b'<'), (b"gt", b'>'), (b"quot", b'"'), (b"apos", b'\'')];
/// So many digits a character may have, with zeros before them.
const MOST_DIGITS: usize = 8;

/// What has come of one, with where each byte stands, and the blanks behind them.
#[derive(Default)]
pub(super) struct Escape {
    bytes: Vec<(u8, Range)>,
    blanks: usize,
}

/// What a byte makes of what came before it.
enum Reading {
    /// It may still become an escape.
    Goes,
    /// It means this, with the byte, or without it.
    Means(char, Whose),
    /// It is one byte of a longer character.
    IsByte(u8),
    Breaks,
}

enum Whose {
    With,
    Without,
}

impl Escape {
    pub(super) fn step(
        &mut self,
        byte: u8,
        place: Range,
        most_blanks: usize,
        read: &mut dyn FnMut(u8, Range),
    ) {
        if is_blank(byte) && !self.bytes.is_empty() && self.blanks < most_blanks {
            self.blanks = self.blanks.saturating_add(1);
            return;
        }
        let (begin, end) = (self.start().unwrap_or(place.0), self.end());
        match self.reading(byte) {
            Reading::Goes => {
                self.bytes.push((byte, place));
                self.blanks = 0;
            }
            Reading::IsByte(meant) => {
                *self = Self::default();
                read(meant, (begin, place.1));
            }
            Reading::Means(meant, Whose::With) => {
                *self = Self::default();
                tell(meant, (begin, place.1), read);
            }
            Reading::Means(meant, Whose::Without) => {
                let blanks = std::mem::take(self).blanks;
                tell(meant, (begin, end), read);
                (0..blanks).for_each(|_| read(b' ', (end, end)));
                self.begin(byte, place, read);
            }
            Reading::Breaks => {
                self.give_up(read);
                self.begin(byte, place, read);
            }
        }
    }

    fn begin(&mut self, byte: u8, place: Range, read: &mut dyn FnMut(u8, Range)) {
        match byte {
            b'%' | b'&' => self.bytes.push((byte, place)),
            _ => read(byte, place),
        }
    }

    fn reading(&self, byte: u8) -> Reading {
        let so_far: Vec<u8> = self.bytes.iter().map(|(byte, _)| *byte).collect();
        match so_far.as_slice() {
            [] => Reading::Breaks,
            [b'%'] if byte.is_ascii_hexdigit() => Reading::Goes,
            [b'%', high] => match (digit(*high, 16), digit(byte, 16)) {
                (Some(high), Some(low)) => Reading::IsByte(high << 4 | low),
                _ => Reading::Breaks,
            },
            [b'&'] if byte == b'#' => Reading::Goes,
            [b'&', b'#'] if matches!(byte, b'x' | b'X') => Reading::Goes,
            [b'&', b'#', b'x' | b'X', digits @ ..] => numbered(digits, byte, 16),
            [b'&', b'#', digits @ ..] => numbered(digits, byte, 10),
            [b'&', name @ ..] => named(name, byte),
            _ => Reading::Breaks,
        }
    }

    /// What has come means itself; or what it means already, where nothing need come.
    pub(super) fn give_up(&mut self, read: &mut dyn FnMut(u8, Range)) {
        let end = self.end();
        // A number may end without its mark.
        if let Reading::Means(meant, Whose::Without) = self.reading(b'"') {
            let begin = self.start().unwrap_or(end);
            let blanks = std::mem::take(self).blanks;
            tell(meant, (begin, end), read);
            (0..blanks).for_each(|_| read(b' ', (end, end)));
            return;
        }
        let Self { bytes, blanks } = std::mem::take(self);
        bytes.into_iter().for_each(|(byte, place)| read(byte, place));
        (0..blanks).for_each(|_| read(b' ', (end, end)));
    }

    /// Where what may still become an escape begins.
    pub(super) fn start(&self) -> Option<usize> {
        self.bytes.first().map(|(_, place)| place.0)
    }

    fn end(&self) -> usize {
        self.bytes.last().map_or(0, |(_, place)| place.1)
    }
}

fn tell(meant: char, place: Range, read: &mut dyn FnMut(u8, Range)) {
    let mut bytes = [0; 4];
    meant.encode_utf8(&mut bytes).bytes().for_each(|byte| read(byte, place));
}

fn digit(byte: u8, radix: u32) -> Option<u8> {
    char::from(byte).to_digit(radix).and_then(|digit| u8::try_from(digit).ok())
}

/// The digits of a character, and what comes behind them.
fn numbered(digits: &[u8], next: u8, radix: u32) -> Reading {
    if digit(next, radix).is_some() && digits.len() < MOST_DIGITS {
        return Reading::Goes;
    }
    let add = |sum: u32, byte: &u8| sum.checked_mul(radix)?.checked_add(digit(*byte, radix)?.into());
    let code = digits.iter().try_fold(0_u32, add).filter(|_| !digits.is_empty());
    match code.and_then(char::from_u32) {
        Some(meant) if next == b';' => Reading::Means(meant, Whose::With),
        Some(meant) => Reading::Means(meant, Whose::Without),
        None => Reading::Breaks,
    }
}

fn named(name: &[u8], next: u8) -> Reading {
    if let Some((_, meant)) = NAMES.iter().find(|(known, _)| *known == name && next == b';') {
        return Reading::Means(char::from(*meant), Whose::With);
    }
    let grown = |known: &[u8]| known.starts_with(name) && known.get(name.len()) == Some(&next);
    if NAMES.iter().any(|(known, _)| grown(known)) { Reading::Goes } else { Reading::Breaks }
}
