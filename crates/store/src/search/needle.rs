//! What is looked for: words, all of which must occur in the same text, in any case.
//!
//! Folding costs more than the cipher, so words in ASCII are found in bytes that are folded in place, before anything
//! is parsed; only for others the text is folded as Unicode.

use memchr::memmem::Finder;

/// How much of a text is shown around what was found.
const BEFORE: usize = 50;
const AFTER: usize = 110;

pub struct Needle {
    words: Vec<Word>,
}

struct Word {
    /// In lower case.
    text: String,
    /// The word as it stands in JSON; none where case is more than ASCII.
    in_json: Option<Finder<'static>>,
}

impl Needle {
    /// `None` when there is no word in it.
    pub fn new(text: &str) -> Option<Self> {
        let words: Vec<Word> = text.split_whitespace().map(Word::new).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// May this be the JSON of a text that has the words? `scratch` is for folding.
    pub(crate) fn may_be_in(&self, json: &[u8], scratch: &mut Vec<u8>) -> bool {
        scratch.clear();
        scratch.extend_from_slice(json);
        scratch.make_ascii_lowercase();
        self.words
            .iter()
            .filter_map(|word| word.in_json.as_ref())
            .all(|finder| finder.find(scratch).is_some())
    }

    /// The text around the first word, if all of them are in it.
    pub(crate) fn snippet(&self, text: &str) -> Option<String> {
        let ascii = self.words.iter().all(|word| word.text.is_ascii());
        let folded = if ascii { text.to_ascii_lowercase() } else { text.to_lowercase() };
        let mut places = self.words.iter().map(|word| folded.find(&word.text));
        let first = places.next()??;
        if places.any(|place| place.is_none()) {
            return None;
        }
        // Folding keeps the number of characters almost always, and a snippet may be off by one.
        let at = folded.get(..first).map_or(0, |before| before.chars().count());
        Some(around(text, at))
    }
}

impl Word {
    fn new(text: &str) -> Self {
        let text = text.to_lowercase();
        let json = serde_json::to_string(&text).unwrap_or_default();
        let inside = json.get(1..json.len().saturating_sub(1)).filter(|inside| inside.is_ascii());
        let in_json = inside.map(|inside| Finder::new(inside.as_bytes()).into_owned());
        Self { text, in_json }
    }
}

/// One line of text around the character at this place.
pub(super) fn around(text: &str, at: usize) -> String {
    let start = at.saturating_sub(BEFORE);
    let mut characters = text.chars().skip(start);
    let shown: String = characters.by_ref().take(at.saturating_sub(start).saturating_add(AFTER)).collect();
    let line = shown.split(|c: char| c.is_whitespace() || c.is_control());
    let line = line.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let before = if start > 0 { "…" } else { "" };
    let after = if characters.next().is_some() { "…" } else { "" };
    format!("{before}{line}{after}")
}

#[cfg(test)]
#[path = "needle_tests.rs"]
mod tests;
