//! THREAT[terminal]: a model, a tool or another person's text can hold escape sequences that repaint the screen, rewrite
//! the title, fill the clipboard or answer as if the person had typed. Nothing of that reaches the terminal.

use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Line feed and tab stay; every other control character, and what turns the direction of writing around, is shown
/// instead of obeyed.
pub fn neutral(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            _ if !is_hostile(letter) => shown.push(letter),
            // Unicode has a picture for each of the old control characters.
            '\0'..='\u{1f}' => shown.push(char::from_u32(0x2400 + u32::from(letter)).unwrap_or('\u{fffd}')),
            '\u{7f}' => shown.push('\u{2421}'),
            other => shown.push_str(&format!("<{:04X}>", u32::from(other))),
        }
    }
    Cow::Owned(shown)
}

fn is_hostile(letter: char) -> bool {
    let turns_direction = matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (letter.is_control() && !matches!(letter, '\n' | '\t')) || turns_direction
}

/// On one line, and no longer than `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let flat = neutral(&flat);
    match flat.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", flat.get(..end).unwrap_or_default().trim_end()),
        None => flat.into_owned(),
    }
}

/// The end of it, in at most so many columns.
pub fn tail(text: &str, columns: usize) -> String {
    // No letter has more bytes than this, and few have less than one column.
    let from = text.len().saturating_sub(columns.saturating_mul(8));
    let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let flat: String = text.get(from..).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let flat = neutral(&flat);
    let mut used = 0;
    let mut letters: Vec<&str> = Vec::new();
    for letter in flat.graphemes(true).rev() {
        used += letter.width();
        if used > columns {
            break;
        }
        letters.push(letter);
    }
    letters.into_iter().rev().collect()
}

#[cfg(test)]
#[path = "escape_tests.rs"]
mod tests;
