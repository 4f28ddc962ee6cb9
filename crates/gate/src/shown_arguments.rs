//! Arguments for the eyes of a person, whole, with whatever could mislead them spelt out.
//!
//! THREAT[gate-13] A call is approved by a person who reads it. What cannot be seen (controls, escape sequences, marks of
//! direction, characters without width), what pushes the rest out of sight (long runs of spaces or lines) and what looks
//! like another character is written as `⟨U+XXXX⟩`, a run of it as `⟨U+XXXX×n⟩`. The brackets themselves are written so
//! too, so nothing else can look like this notation. Nothing is left out.

use crate::arguments::canonical;
use domain::{ArgumentKind, ShownArgument};
use regex::Regex;
use serde_json::Value;
use std::{fmt::Write as _, sync::LazyLock};

/// Spaces in a row that are still read as spaces.
const SPACES: usize = 8;

/// Each argument on its own, in the order of their names. `spell_out` is `false` only where a test has taken the guard away:
/// then they are shown as they came.
pub fn arguments(kinds: &[(&str, ArgumentKind)], arguments: &Value, spell_out: bool) -> Vec<ShownArgument> {
    let shown = |value: &str, strict: bool| text(value, strict, spell_out);
    let Some(object) = arguments.as_object() else {
        return vec![ShownArgument { name: String::new(), value: shown(&canonical(arguments), true) }];
    };
    let mut names: Vec<&String> = object.keys().collect();
    names.sort_unstable();
    let argument = |name: &String| {
        // Where every character counts, a letter that looks like another is spelt out wherever it stands.
        let strict = kinds.iter().any(|(known, _)| known == name);
        let value = match object.get(name) {
            Some(Value::String(value)) => shown(value, strict),
            Some(value) => shown(&canonical(value), strict),
            None => String::new(),
        };
        ShownArgument { name: shown(name, true), value }
    };
    names.into_iter().map(argument).collect()
}

/// A text with everything visible, unless `spell_out` is `false` (see [`arguments()`]). `strict`: every letter that looks like
/// another one is spelt out, also in a word of one alphabet.
pub fn text(text: &str, strict: bool, spell_out: bool) -> String {
    if !spell_out {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for word in words(text) {
        let mixed = strict || is_suspicious(word);
        let mut characters = word.chars().peekable();
        while let Some(character) = characters.next() {
            let mut run = 1_usize;
            while characters.next_if_eq(&character).is_some() {
                run = run.saturating_add(1);
            }
            show(&mut shown, character, run, mixed);
        }
    }
    shown
}

fn show(shown: &mut String, character: char, run: usize, mixed: bool) {
    let code = u32::from(character);
    let hidden = match character {
        ' ' => run > SPACES,
        _ => is_hidden(character) || (mixed && looks_latin(character)),
    };
    let written = match (hidden, run) {
        (false, _) => {
            shown.extend(std::iter::repeat_n(character, run));
            Ok(())
        }
        (true, 1) => write!(shown, "⟨U+{code:04X}⟩"),
        (true, _) => write!(shown, "⟨U+{code:04X}×{run}⟩"),
    };
    // Writing to a string does not fail.
    written.unwrap_or_default();
    if character == '\n' {
        shown.push('\n');
    }
}

/// Runs of letters and digits, and what stands between them, in order.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let inside = first.is_alphanumeric();
        let end = rest.find(|character: char| character.is_alphanumeric() != inside).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

/// A word of two alphabets, or one that could be read as Latin from its first letter to its last.
fn is_suspicious(word: &str) -> bool {
    let latin = word.chars().any(|character| character.is_ascii_alphabetic());
    let foreign = word.chars().any(looks_latin);
    foreign && (latin || word.chars().all(|character| looks_latin(character) || character.is_ascii_digit()))
}

/// Categories and characters of which nothing, or nothing definite, is seen.
static HIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let class = r"[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}\x{34F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{2800}\x{3164}\x{FFA0}]";
    Regex::new(class).ok()
});

fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let mut buffer = [0; 4];
    let encoded: &str = character.encode_utf8(&mut buffer);
    matches!(character, '⟨' | '⟩')
        || character.is_whitespace()
        // A class that could not be compiled would hide nothing: then everything beyond ASCII is spelt out.
        || HIDDEN.as_ref().is_none_or(|hidden| hidden.is_match(encoded))
}

/// Letters and signs beyond ASCII that are easily taken for ASCII.
fn looks_latin(character: char) -> bool {
    const CYRILLIC: &str = "аеорсухѕіјԁԛԝһӏвгкмнтпАВЕКМНОРСТУХЅІЈԌԚԜҺӀУьЬ";
    const GREEK: &str = "αβγεικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";
    const OTHERS: &str = "օոսցհԱՏՕıȷɑɡɩʏᴀᴄᴇᴏᴘᴛᴠᴡᴢℓ℮ⅰⅼⅽⅾⅿꓐꓑꓒꓓꓔ";
    const SIGNS: &str = "‐‑‒–—−․⁄∕⧸꞉∶ʹʼ‘’“”′″‚＂＇";
    let fullwidth_or_mathematical =
        matches!(character, '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' | '\u{2100}'..='\u{214f}');
    fullwidth_or_mathematical || [CYRILLIC, GREEK, OTHERS, SIGNS].iter().any(|set| set.contains(character))
}

#[cfg(test)]
#[path = "shown_arguments_tests.rs"]
mod tests;
