//! Sentences and times as people read them.

use chrono::{Local, TimeZone as _};
use domain::Timestamp;

/// Words that a sentence begins with and that are no names.
const OPENINGS: [&str; 18] = [
    "a", "all", "an", "at", "did", "every", "in", "it", "its", "no", "not", "nothing", "one", "only", "that",
    "the", "there", "this",
];

/// With a capital and a full stop, also where the text of a library or of the system has none. A first word that may be a
/// name, such as an agent, a file or a key of the settings, stays as it is.
pub fn sentence(text: &str) -> String {
    let text = text.trim_end();
    let first = text.split([' ', '\n']).next().unwrap_or_default();
    let mut letters = text.chars();
    let mut sentence = match letters.next().filter(|_| OPENINGS.contains(&first)) {
        Some(letter) => format!("{}{}", letter.to_ascii_uppercase(), letters.as_str()),
        None => text.to_owned(),
    };
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '…', ':']) {
        sentence.push('.');
    }
    sentence
}

/// In the time zone of this machine, which is named because a terminal may be on another one.
pub fn moment(at: Timestamp) -> String {
    Local.from_utc_datetime(&at.to_utc().naive_utc()).format("%Y-%m-%d %H:%M (UTC%:z)").to_string()
}

#[cfg(test)]
#[path = "phrase_tests.rs"]
mod tests;
