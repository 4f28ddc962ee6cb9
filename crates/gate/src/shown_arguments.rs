//! Arguments for the eyes of a person, whole, with whatever could mislead them spelt out.
//!
//! THREAT[gate-13] A call is approved by a person who reads it. What cannot be seen (controls, escape sequences, marks of
//! direction, characters without width), what pushes the rest out of sight (long runs of blanks, many empty lines) and what
//! looks like another character is written as `⟨U+XXXX⟩`, a run of it as `⟨U+XXXX×n⟩`. The brackets themselves and the signs
//! that frame a request in the terminal are written so too, so nothing else can look like them. Nothing is left out.
//!
//! Text of several lines (commands, programs, contents) keeps its line breaks, tabs and indentation: a program is read by
//! its layout. A path, an address, a recipient or a name has one line, so a break or a tab in it is spelt out.

use crate::{
    argument_digest::canonical,
    shown_blanks::{Layout, is_gap, show_gap},
};
use domain::{ArgumentKind, ShownArgument};
use regex::Regex;
use serde_json::Value;
use std::{fmt::Write as _, sync::LazyLock};

/// Each argument on its own, in the order of their names. `spell_out` is `false` only where a test has taken the guard away:
/// then they are shown as they came.
pub fn arguments(kinds: &[(&str, ArgumentKind)], arguments: &Value, spell_out: bool) -> Vec<ShownArgument> {
    let shown = |value: &str, strict: bool, layout: Layout| match spell_out {
        true => laid_out(value, strict, layout),
        false => value.to_owned(),
    };
    let Some(object) = arguments.as_object() else {
        return vec![ShownArgument {
            name: String::new(),
            value: shown(&canonical(arguments), true, Layout::OneLine),
        }];
    };
    let mut names: Vec<&String> = object.keys().collect();
    names.sort_unstable();
    let argument = |name: &String| {
        let kind = kinds.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind);
        // Where every character counts, a letter that looks like another is spelt out wherever it stands.
        let strict = kind.is_some();
        let value = match object.get(name) {
            Some(Value::String(value)) => shown(value, strict, layout(kind)),
            Some(value) => shown(&canonical(value), strict, Layout::OneLine),
            None => String::new(),
        };
        ShownArgument { name: shown(name, true, Layout::OneLine), value }
    };
    names.into_iter().map(argument).collect()
}

/// A name or another text of one line with everything visible, unless `spell_out` is `false` (see [`arguments()`]). `strict`:
/// every letter that looks like another one is spelt out, also in a word of one alphabet.
pub fn text(text: &str, strict: bool, spell_out: bool) -> String {
    if spell_out { laid_out(text, strict, Layout::OneLine) } else { text.to_owned() }
}

const fn layout(kind: Option<ArgumentKind>) -> Layout {
    match kind {
        None | Some(ArgumentKind::Command | ArgumentKind::Sql) => Layout::Lines,
        Some(ArgumentKind::Path | ArgumentKind::Url | ArgumentKind::Recipient) => Layout::OneLine,
    }
}

fn laid_out(text: &str, strict: bool, layout: Layout) -> String {
    let mut shown = String::with_capacity(text.len());
    for piece in pieces(text, is_gap) {
        if piece.chars().next().is_some_and(is_gap) {
            show_gap(&mut shown, piece, layout);
            continue;
        }
        for word in pieces(piece, char::is_alphanumeric) {
            let mixed = strict || is_suspicious(word);
            for run in runs(word) {
                let hidden = |character: char| is_hidden(character) || (mixed && looks_latin(character));
                match run.chars().next() {
                    Some(character) if hidden(character) => spell(&mut shown, character, run.chars().count()),
                    _ => shown.push_str(run),
                }
            }
        }
    }
    shown
}

/// Writes a run of one character by its number.
pub(crate) fn spell(shown: &mut String, character: char, run: usize) {
    let code = u32::from(character);
    let written = match run {
        1 => write!(shown, "⟨U+{code:04X}⟩"),
        _ => write!(shown, "⟨U+{code:04X}×{run}⟩"),
    };
    // Writing to a string does not fail.
    written.unwrap_or_default();
}

/// Runs of one character each, in order.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive({
        let mut following = text.chars().skip(1);
        move |character: char| following.next() != Some(character)
    })
}

/// What is of the kind and what is not, by turns and in order.
fn pieces(text: &str, is: impl Fn(char) -> bool) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let inside = is(first);
        let end = rest.find(|character: char| is(character) != inside).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
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

pub(crate) fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let mut buffer = [0; 4];
    let encoded: &str = character.encode_utf8(&mut buffer);
    is_ours(character)
        || character.is_whitespace()
        // A class that could not be compiled would hide nothing: then everything beyond ASCII is spelt out.
        || HIDDEN.as_ref().is_none_or(|hidden| hidden.is_match(encoded))
}

/// The notation itself, and the frame that a terminal draws around a request.
pub(crate) const fn is_ours(character: char) -> bool {
    matches!(character, '⟨' | '⟩' | '┏' | '┃' | '┗')
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
