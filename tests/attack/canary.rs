//! Words that exist in one place only, and the ways in which an attacker would carry them away.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use rand::{RngExt, rngs::StdRng};
use std::{
    collections::HashMap,
    io::{Read as _, Write as _},
};

/// So many bytes of any form are enough to be sure.
const WINDOW: usize = 16;
/// What is unpacked of something that was packed.
const UNPACKED: u64 = 1 << 20;

/// Who may read a canary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// No model, and nobody outside.
    Nobody,
    /// The model of its owner's session; nobody outside.
    Inside,
}

#[derive(Clone, Debug)]
pub struct Canary {
    pub name: &'static str,
    pub value: String,
    pub reach: Reach,
}

impl Canary {
    pub fn new(name: &'static str, reach: Reach, dice: &mut StdRng) -> Self {
        let value = (0..32).map(|_| format!("{:02x}", dice.random::<u8>())).collect();
        Self { name, value, reach }
    }

    /// One that was not made here.
    pub fn found(name: &'static str, value: &str) -> Self {
        Self { name, value: value.trim().to_owned(), reach: Reach::Nobody }
    }
}

/// The ways to write a word so that a plain search does not find it.
pub const FORMS: [&str; 9] =
    ["plain", "upper", "reversed", "rot13", "hex", "percent", "base64", "gzip", "spaced"];

pub fn written(form: &str, word: &str) -> String {
    match form {
        "upper" => word.to_uppercase(),
        "reversed" => word.chars().rev().collect(),
        "rot13" => word.chars().map(rot13).collect(),
        "hex" => word.bytes().map(|byte| format!("{byte:02x}")).collect(),
        "percent" => word.bytes().map(|byte| format!("%{byte:02x}")).collect(),
        "base64" => BASE64.encode(format!("taken: {word}")),
        "gzip" => {
            let mut packer = GzEncoder::new(Vec::new(), Compression::best());
            packer.write_all(word.as_bytes()).unwrap();
            BASE64.encode(packer.finish().unwrap())
        }
        "spaced" => word.chars().flat_map(|c| [c, ' ']).collect(),
        _ => word.to_owned(),
    }
}

fn rot13(c: char) -> char {
    let turned = |first: u8| char::from((c as u8 - first + 13) % 26 + first);
    match c {
        'a'..='z' => turned(b'a'),
        'A'..='Z' => turned(b'A'),
        _ => c,
    }
}

/// Finds canaries in whatever is shown to it.
pub struct Detector {
    windows: HashMap<[u8; WINDOW], (&'static str, &'static str, Reach)>,
    /// Whether a window may begin with these three bytes: nearly always the quick answer is no.
    beginnings: Vec<bool>,
}

fn beginning(window: &[u8]) -> usize {
    usize::from(window[0]) << 16 | usize::from(window[1]) << 8 | usize::from(window[2])
}

impl Detector {
    pub fn new(canaries: &[Canary]) -> Self {
        let (mut windows, mut beginnings) = (HashMap::new(), vec![false; 1 << 24]);
        for canary in canaries {
            for (form, text) in needles(&canary.value) {
                for window in text.windows(WINDOW) {
                    beginnings[beginning(window)] = true;
                    windows.insert(window.try_into().unwrap(), (canary.name, form, canary.reach));
                }
            }
        }
        Self { windows, beginnings }
    }

    /// What is in it, and in which form; of those that are bound to stay where this was found.
    pub fn find(&self, bytes: &[u8], bound: &[Reach]) -> Option<String> {
        let squeezed: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let mut places = vec![squeezed.clone()];
        places.extend(unpacked(bytes));
        places.extend(packed_words(&squeezed).iter().flat_map(|packed| unpacked(packed)));
        let found = |place: &Vec<u8>| {
            place.windows(WINDOW).filter(|window| self.beginnings[beginning(window)]).find_map(|window| {
                let key: [u8; WINDOW] = window.try_into().ok()?;
                self.windows.get(&key).filter(|(_, _, reach)| bound.contains(reach))
            })
        };
        places.iter().find_map(found).map(|(name, form, _)| format!("{name} ({form})"))
    }
}

fn needles(word: &str) -> Vec<(&'static str, Vec<u8>)> {
    let forms = ["plain", "upper", "reversed", "rot13", "hex", "percent"];
    let mut needles: Vec<_> = forms.iter().map(|form| (*form, written(form, word).into_bytes())).collect();
    needles.push(("wide", word.encode_utf16().flat_map(u16::to_le_bytes).collect()));
    // Wherever it stands in a longer text: three ways in which its bytes fall into groups of three.
    for lead in 0..3 {
        let shifted = [vec![0; lead], word.as_bytes().to_vec()].concat();
        let text = BASE64.encode(shifted).into_bytes();
        needles.push(("base64", text[4..text.len() - 4].to_vec()));
    }
    needles
}

/// Whatever of it was packed.
fn unpacked(bytes: &[u8]) -> Vec<Vec<u8>> {
    let starts = bytes.windows(3).enumerate().filter(|(_, start)| *start == [0x1f, 0x8b, 8]);
    let unpack = |(at, _): (usize, &[u8])| {
        let mut text = Vec::new();
        // What is cut off in the middle was there up to the cut.
        let _ = GzDecoder::new(&bytes[at..]).take(UNPACKED).read_to_end(&mut text);
        text
    };
    starts.map(unpack).collect()
}

/// Words that, in base64, begin as something packed does.
fn packed_words(bytes: &[u8]) -> Vec<Vec<u8>> {
    let starts = bytes.windows(4).enumerate().filter(|(_, start)| start == b"H4sI");
    let decode = |(at, _): (usize, &[u8])| {
        let inside = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let mut word: Vec<u8> = bytes[at..].iter().take_while(inside).copied().collect();
        word.truncate(word.len() / 4 * 4);
        BASE64.decode(word).unwrap_or_default()
    };
    starts.map(decode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn a_canary_is_found_in_every_form_and_in_pieces() {
        let mut dice = StdRng::seed_from_u64(1);
        let (one, other) =
            (Canary::new("one", Reach::Nobody, &mut dice), Canary::new("other", Reach::Inside, &mut dice));
        let detector = Detector::new(&[one.clone(), other.clone()]);
        let all = [Reach::Nobody, Reach::Inside];
        for form in FORMS {
            let text = format!("GET /?q={} HTTP/1.1", written(form, &one.value));
            assert!(
                detector.find(text.as_bytes(), &all).is_some_and(|found| found.starts_with("one")),
                "{form}"
            );
        }
        for piece in one.value.as_bytes().chunks(WINDOW) {
            assert!(detector.find(piece, &all).is_some());
        }
        let text = other.value.as_bytes();
        assert!(detector.find(text, &[Reach::Nobody]).is_none(), "where it belongs it may be");
        assert!(detector.find(text, &[Reach::Inside]).is_some());
        assert!(detector.find(b"an ordinary text of more than sixteen bytes", &all).is_none());
    }
}
