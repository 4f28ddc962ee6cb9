//! The plain spellings of a secret: what a program, a page or a provider makes of it without meaning to hide it, and what a
//! model can be talked into.
//!
//! THREAT[secret-02]: a key in base64 or hexadecimal digits is the key. What is packed or encrypted has no plain spelling;
//! that a program may not send it anywhere is the gate's.

use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD},
};
use secrecy::SecretString;
use std::fmt::Write as _;

/// A spelling that is shorter stands everywhere by chance.
const SHORTEST: usize = 8;

/// So long are the lines of a text in base64.
const LINE: usize = 76;

/// Itself, reversed, as JSON and HTML escape it, in hexadecimal digits, and what is certain of it wherever it stands in a text
/// in base64; and of these digits what is certain wherever they stand in a text in base64. Less than sixty, each once. What is
/// escaped with `%` or `&`, [`crate::Scrubber`] reads in each of them.
pub fn spellings(secret: &str) -> Vec<SecretString> {
    let bytes = secret.as_bytes();
    let each = |spell: &dyn Fn(&mut String, u8)| {
        bytes.iter().fold(String::new(), |mut text, byte| {
            spell(&mut text, *byte);
            text
        })
    };
    let mut texts = vec![
        secret.to_owned(),
        secret.chars().rev().collect(),
        escaped(secret),
        each(&|text, byte| append(text, format_args!("{byte:02x}"))),
        each(&|text, byte| append(text, format_args!("{byte:02X}"))),
        each(&|text, byte| append(text, format_args!("\\x{byte:02x}"))),
        each(&|text, byte| append(text, format_args!("\\x{byte:02X}"))),
    ];
    let units = |spell: &dyn Fn(&mut String, u16)| {
        secret.encode_utf16().fold(String::new(), |mut text, unit| {
            spell(&mut text, unit);
            text
        })
    };
    texts.extend([
        units(&|text, unit| append(text, format_args!("\\u{unit:04x}"))),
        units(&|text, unit| append(text, format_args!("\\u{unit:04X}"))),
        units(&|text, unit| append(text, format_args!("&#{unit};"))),
        units(&|text, unit| append(text, format_args!("&#x{unit:x};"))),
        units(&|text, unit| append(text, format_args!("&#x{unit:X};"))),
    ]);
    let once: Vec<String> = in_base64(bytes);
    // A text in base64 is broken into lines, and their ends are encoded with it.
    let lines = in_lines(&BASE64_STANDARD_NO_PAD.encode(bytes));
    let digits = each(&|text, byte| append(text, format_args!("{byte:02x}")));
    let twice = once.iter().chain([&lines, &digits]).flat_map(|text| in_base64(text.as_bytes()));
    texts.extend(twice);
    texts.extend(once);
    texts.retain(|text| text == secret || text.len() >= SHORTEST);
    texts.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    texts.dedup();
    texts.into_iter().map(SecretString::from).collect()
}

/// Appending to a text does not fail.
fn append(text: &mut String, what: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(what);
}

fn escaped(secret: &str) -> String {
    let quoted = serde_json::Value::from(secret).to_string();
    let inner = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.unwrap_or(secret).to_owned()
}

/// What is certain of these bytes, wherever they stand in a text in base64.
fn in_base64(bytes: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    for shift in 0..3 {
        let shifted = [&[0_u8; 3][..shift], bytes].concat();
        texts.extend(certain(&BASE64_STANDARD_NO_PAD.encode(&shifted), shift, shifted.len()));
        texts.extend(certain(&BASE64_URL_SAFE_NO_PAD.encode(&shifted), shift, shifted.len()));
    }
    texts
}

fn in_lines(encoded: &str) -> String {
    let mut text = String::new();
    for (at, digit) in encoded.chars().enumerate() {
        if at > 0 && at % LINE == 0 {
            text.push('\n');
        }
        text.push(digit);
    }
    text
}

/// What of it does not depend on the bytes before and behind the secret: a digit is six bits.
fn certain(encoded: &str, before: usize, length: usize) -> Option<String> {
    let first = (before * 8).div_ceil(6);
    encoded.get(first..length * 8 / 6).map(str::to_owned)
}

#[cfg(test)]
#[path = "spelling_tests.rs"]
mod tests;
