//! Sentences and times as people read them.

use chrono::{DateTime, Datelike as _, Local, NaiveDateTime, TimeZone as _};
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

/// In the time zone of this machine, as people say it: `today 14:05`.
pub fn moment(at: Timestamp) -> String {
    in_words(local(at).naive_local(), Local::now().naive_local())
}

/// A point in time of an answer, as a person reads it; what is no point in time stays as it is.
pub fn shown_moment(text: &str) -> String {
    serde_json::from_value(text.into()).map_or_else(|_| text.to_owned(), moment)
}

/// With the day and the time zone, where it matters which clock it is.
pub fn moment_in_zone(at: Timestamp) -> String {
    local(at).format("%Y-%m-%d %H:%M (UTC%:z)").to_string()
}

fn local(at: Timestamp) -> DateTime<Local> {
    Local.from_utc_datetime(&at.to_utc().naive_utc())
}

fn in_words(at: NaiveDateTime, now: NaiveDateTime) -> String {
    let days = at.date().signed_duration_since(now.date()).num_days();
    let form = match days {
        0 => "today %H:%M",
        1 => "tomorrow %H:%M",
        -1 => "yesterday %H:%M",
        -6..=6 => "%A %-d %B %H:%M",
        _ if at.year() == now.year() => "%-d %B %H:%M",
        _ => "%-d %B %Y %H:%M",
    };
    at.format(form).to_string()
}

#[cfg(test)]
#[path = "phrase_tests.rs"]
mod tests;
