//! What the names of glyphs stand for, and the encodings that fonts name.

use encoding_rs::{MACINTOSH, WINDOWS_1252};
use std::rc::Rc;

/// By name, in the order of bytes.
const LIST: &str = include_str!("glyph_names.txt");

/// The sign of a glyph; of `a.sc` and `f_i` too.
pub(super) fn sign(name: &[u8]) -> Option<Rc<str>> {
    let name = std::str::from_utf8(name).ok()?;
    let name = name.split('.').next().filter(|name| !name.is_empty())?;
    if let Some(sign) = known(name).or_else(|| by_number(name)) {
        return Some(Rc::from(sign.encode_utf8(&mut [0; 4]) as &str));
    }
    let parts: Option<String> = name.split('_').map(|part| known(part).or_else(|| by_number(part))).collect();
    parts.filter(|_| name.contains('_')).map(Rc::from)
}

fn known(name: &str) -> Option<char> {
    let (mut low, mut high) = (0, LIST.len());
    // The list is one text: a search halves it at the beginning of a line.
    while low < high {
        let middle = (low + high) / 2;
        let start = LIST.get(..middle)?.rfind('\n').map_or(0, |at| at + 1).max(low);
        let end = LIST.get(start..)?.find('\n').map_or(LIST.len(), |at| start + at + 1);
        let (found, code) = LIST.get(start..end)?.trim_end().split_once(' ')?;
        match found.cmp(name) {
            std::cmp::Ordering::Equal => return char::from_u32(u32::from_str_radix(code, 16).ok()?),
            std::cmp::Ordering::Less => low = end,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

/// `uni20AC`, `u1F600`, and the plain numbers of `afii`-like names are signs by their number.
fn by_number(name: &str) -> Option<char> {
    let hex = name.strip_prefix("uni").filter(|hex| hex.len() == 4);
    let hex = hex.or_else(|| name.strip_prefix('u').filter(|hex| (4..=6).contains(&hex.len())))?;
    char::from_u32(u32::from_str_radix(hex, 16).ok()?)
}

/// An encoding by its name. Without one it is the standard one, which differs from ASCII in its quotes.
pub(super) fn base(name: Option<&[u8]>) -> fn(u8) -> Option<char> {
    match name {
        Some(b"WinAnsiEncoding") => windows,
        Some(b"MacRomanEncoding") => mac,
        _ => standard,
    }
}

fn windows(code: u8) -> Option<char> {
    let text = WINDOWS_1252.decode_without_bom_handling(&[code]).0.chars().next();
    text.filter(|sign| !sign.is_control())
}

fn mac(code: u8) -> Option<char> {
    let text = MACINTOSH.decode_without_bom_handling(&[code]).0.chars().next();
    text.filter(|sign| !sign.is_control())
}

/// What the standard encoding has above ASCII, from 0xa1 on; a space where there is nothing.
const HIGH: &str =
    "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß";

fn standard(code: u8) -> Option<char> {
    match code {
        0x27 => Some('’'),
        0x60 => Some('‘'),
        0x20..=0x7e => Some(char::from(code)),
        0xa1.. => HIGH.chars().nth(usize::from(code - 0xa1)).filter(|sign| *sign != ' '),
        _ => None,
    }
}

#[cfg(test)]
#[path = "glyph_names_tests.rs"]
mod tests;
