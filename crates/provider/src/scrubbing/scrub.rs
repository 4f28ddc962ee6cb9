//! Text from outside, made fit for an error message: bounded, printable, without the key.

use crate::scrubbing::{scrubber::Scrubber, spelling::spellings};
use secrecy::{ExposeSecret, SecretString};

/// What a person will read of a provider's own words.
const MAX_CHARACTERS: usize = 500;

/// A key shorter than this is a placeholder such as `x`; replacing it would only garble the text.
const SHORTEST_SECRET: usize = 4;

/// THREAT[key leak]: some providers repeat the key they were given in the error they answer with. The key goes before
/// the text is cut, so that no half of it survives the cut.
pub(crate) fn scrub(text: &str, key: Option<&SecretString>) -> String {
    let without_key = match key.map(|key| key.expose_secret().trim()) {
        Some(key) if key.len() >= SHORTEST_SECRET && !is_off() => without(text, key),
        _ => text.to_owned(),
    };
    let mut clean = String::new();
    let mut written = 0;
    for word in without_key.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()) {
        if !clean.is_empty() {
            clean.push(' ');
        }
        for character in word.chars() {
            if written == MAX_CHARACTERS {
                clean.push('…');
                return clean;
            }
            clean.push(character);
            written += 1;
        }
    }
    clean
}

fn without(text: &str, key: &str) -> String {
    Scrubber::new(spellings(key).iter().map(ExposeSecret::expose_secret)).whole(text.to_owned())
}

/// A test takes this away to show what it is good for; nothing in the shipped program can.
fn is_off() -> bool {
    fail::fail_point!("guard_secrets", |_| true);
    false
}

#[cfg(test)]
#[path = "scrub_tests.rs"]
mod tests;
