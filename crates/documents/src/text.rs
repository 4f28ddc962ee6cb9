//! Plain text in the encodings that can be told: by a mark at its beginning, by being UTF-8, or else Windows-1252.

use crate::{DocumentPart, Unreadable, html, limits::Remaining};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

const HEAD: usize = 2_048;
/// What Windows-1252 has no sign for, and two controls that pictures begin with.
const NO_LETTERS: [u8; 7] = [0x08, 0x1a, 0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// Does it look like text at all?
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding == UTF_8 && !bytes.contains(&0)
            || encoding != UTF_8 && bytes.len().is_multiple_of(2);
    }
    if bytes.contains(&0) {
        return false;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => !text.bytes().take(HEAD).any(is_control),
        // Where it is not UTF-8, bytes that Windows-1252 does not know speak against a text, and so do control signs.
        Err(_) => !bytes.iter().any(|byte| is_control(*byte) || NO_LETTERS.contains(byte)),
    }
}

/// Signs that no text has; a terminal's colours and a form feed may be in one.
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !b"\t\n\r\x0b\x0c\x1b\x08\x1a".contains(&byte)
}

pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, skip)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(bytes.get(skip..).unwrap_or_default()).0;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}

/// The beginning, for those who want to know what it is.
pub(crate) fn head(bytes: &[u8]) -> String {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    match Encoding::for_bom(head) {
        Some((encoding, skip)) => {
            encoding.decode_without_bom_handling(head.get(skip..).unwrap_or_default()).0.into_owned()
        }
        None => String::from_utf8_lossy(head).into_owned(),
    }
}

pub(crate) fn read(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let mut text = String::new();
    let whole = decode(bytes);
    match whole.contains('\r') {
        true => remaining.say(&mut text, &whole.replace("\r\n", "\n").replace('\r', "\n")),
        false => remaining.say(&mut text, &whole),
    }
    Ok(vec![DocumentPart { title: None, text }])
}

pub(crate) fn html(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let page = declared(bytes).unwrap_or_else(|| decode(bytes));
    if page.len() > html::MOST_BYTES {
        remaining.leave_out();
    }
    let mut text = String::new();
    remaining.say(&mut text, &html::text(&page, true));
    Ok(vec![DocumentPart { title: None, text }])
}

/// A page can say in itself which encoding it has; UTF-8 is believed before it.
fn declared(bytes: &[u8]) -> Option<Cow<'_, str>> {
    if Encoding::for_bom(bytes).is_some() || std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let head = head(bytes).to_ascii_lowercase();
    let (_, after) = head.split_once("charset=")?;
    let label: String = after
        .trim_start_matches(['"', '\''])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_:".contains(*c))
        .collect();
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(encoding.decode_without_bom_handling(bytes).0)
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
