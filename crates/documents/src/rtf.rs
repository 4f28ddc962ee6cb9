//! RTF: its words in order, without what fonts, colours and pictures are made of.

use crate::{DocumentKind, DocumentPart, Unreadable, limits::Remaining, office::tidied};
use encoding_rs::{Encoding, WINDOWS_1252};

const KIND: DocumentKind = DocumentKind::Rtf;

/// Groups that hold no words of the document.
const SILENT: [&str; 19] = [
    "fonttbl",
    "colortbl",
    "stylesheet",
    "info",
    "pict",
    "object",
    "listtable",
    "listoverridetable",
    "rsidtbl",
    "generator",
    "themedata",
    "colorschememapping",
    "latentstyles",
    "datastore",
    "xmlnstbl",
    "fldinst",
    "pgdsctbl",
    "nonshppict",
    "filetbl",
];

pub(crate) fn read(bytes: &[u8], remaining: &mut Remaining) -> Result<Vec<DocumentPart>, Unreadable> {
    let mut reader = Rtf {
        bytes,
        at: 0,
        groups: vec![Group { silent: false, skip: 1 }],
        encoding: WINDOWS_1252,
        pending: Vec::new(),
        surrogate: None,
        left: 0,
        out: String::new(),
    };
    reader.run(remaining).ok_or(Unreadable::Broken(KIND))?;
    Ok(vec![DocumentPart { title: None, text: tidied(&reader.out) }])
}

#[derive(Clone, Copy)]
struct Group {
    silent: bool,
    /// Signs that stand for older programs behind each `\u`.
    skip: usize,
}

struct Rtf<'a> {
    bytes: &'a [u8],
    at: usize,
    groups: Vec<Group>,
    encoding: &'static Encoding,
    /// Bytes in the encoding of the file, until something else comes: a sign may have two of them.
    pending: Vec<u8>,
    surrogate: Option<u16>,
    /// Signs still to be passed behind a `\u`.
    left: usize,
    out: String,
}

impl Rtf<'_> {
    fn run(&mut self, remaining: &mut Remaining) -> Option<()> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            if !remaining.step() {
                break;
            }
            self.at += 1;
            match byte {
                b'{' => {
                    self.flush(remaining);
                    let group = *self.groups.last()?;
                    // Deeper groups than any program writes are taken as part of the one they are in.
                    if self.groups.len() > 10_000 {
                        return None;
                    }
                    self.groups.push(group);
                }
                b'}' => {
                    self.flush(remaining);
                    if self.groups.len() > 1 {
                        self.groups.pop();
                    }
                }
                b'\\' => self.control(remaining)?,
                b'\r' | b'\n' => {}
                byte => self.byte(byte),
            }
        }
        self.flush(remaining);
        Some(())
    }

    fn byte(&mut self, byte: u8) {
        if self.left > 0 {
            self.left -= 1;
        } else if !self.silent() {
            self.pending.push(byte);
        }
    }

    fn silent(&self) -> bool {
        self.groups.last().is_some_and(|group| group.silent)
    }

    fn flush(&mut self, remaining: &mut Remaining) {
        if !self.pending.is_empty() {
            let bytes = std::mem::take(&mut self.pending);
            let words = self.encoding.decode_without_bom_handling(&bytes).0;
            remaining.say(&mut self.out, &words);
        }
    }

    fn say(&mut self, words: &str, remaining: &mut Remaining) {
        if !self.silent() {
            self.flush(remaining);
            remaining.say(&mut self.out, words);
        }
    }

    fn control(&mut self, remaining: &mut Remaining) -> Option<()> {
        let first = self.bytes.get(self.at).copied()?;
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            match first {
                b'\'' => {
                    let hex =
                        self.bytes.get(self.at..self.at + 2).and_then(|hex| std::str::from_utf8(hex).ok());
                    let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
                    self.at += 2;
                    self.byte(byte.unwrap_or(b'?'));
                }
                b'\\' | b'{' | b'}' => self.byte(first),
                b'~' => self.say("\u{a0}", remaining),
                b'_' => self.say("\u{2011}", remaining),
                b'*' => self.quiet(),
                b'\r' | b'\n' => self.say("\n", remaining),
                _ => {}
            }
            return Some(());
        }
        let rest = self.bytes.get(self.at..)?;
        let letters = rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = std::str::from_utf8(rest.get(..letters)?).ok()?;
        let rest = rest.get(letters..)?;
        let sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.iter().skip(sign).take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let length = if digits > 0 { sign + digits } else { 0 };
        let number = rest.get(..length).and_then(|text| std::str::from_utf8(text).ok()?.parse::<i64>().ok());
        self.at += letters + length + usize::from(rest.get(length) == Some(&b' '));
        self.word(word, number, remaining);
        Some(())
    }

    fn quiet(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            group.silent = true;
        }
    }

    fn word(&mut self, word: &str, number: Option<i64>, remaining: &mut Remaining) {
        match word {
            "par" | "line" | "sect" | "page" | "row" => self.say("\n", remaining),
            "cell" | "nestcell" => self.say(" | ", remaining),
            "tab" => self.say("\t", remaining),
            "emdash" => self.say("\u{2014}", remaining),
            "endash" => self.say("\u{2013}", remaining),
            "lquote" => self.say("\u{2018}", remaining),
            "rquote" => self.say("\u{2019}", remaining),
            "ldblquote" => self.say("\u{201c}", remaining),
            "rdblquote" => self.say("\u{201d}", remaining),
            "bullet" => self.say("\u{2022}", remaining),
            "ansicpg" => {
                let label = format!("windows-{}", number.unwrap_or(1_252));
                self.encoding = Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252);
            }
            "uc" => {
                let skip = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(1).min(16);
                if let Some(group) = self.groups.last_mut() {
                    group.skip = skip;
                }
            }
            "u" => self.unicode(number.unwrap_or(0), remaining),
            "bin" => {
                let length = number.and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
                self.at = self.at.saturating_add(length);
            }
            word if SILENT.contains(&word) => self.quiet(),
            _ => {}
        }
    }

    fn unicode(&mut self, number: i64, remaining: &mut Remaining) {
        let unit = (number & 0xffff) as u16;
        self.left = self.groups.last().map_or(1, |group| group.skip);
        let first = self.surrogate.take();
        if (0xd800..0xdc00).contains(&unit) {
            self.surrogate = Some(unit);
            return;
        }
        let units: Vec<u16> = first.into_iter().chain([unit]).collect();
        let words = String::from_utf16_lossy(&units);
        self.say(&words, remaining);
    }
}

#[cfg(test)]
#[path = "rtf_tests.rs"]
mod tests;
