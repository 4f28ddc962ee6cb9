//! What is known to be secret goes out of every result of a tool, before anybody reads it.
//!
//! THREAT[secret-01]: a tool may come upon a key of ours: in a page that was told it, in a file somebody pasted it into. A
//! model that never sees it cannot pass it on.

use crate::{engine::Engine, guards, scrubber::Scrubber};
use secrecy::{ExposeSecret, SecretString};

/// A shorter one is a placeholder such as `x`; replacing it would only garble the text.
const SHORTEST: usize = 8;

impl Engine {
    pub(crate) fn without_secrets(&self, text: String) -> String {
        scrubbed(text, &self.secret_words())
    }

    /// For a text that comes in pieces: a secret that is cut in two is none of the pieces.
    pub(crate) fn scrubber(&self) -> Scrubber {
        Scrubber::new(self.secret_words().iter().map(ExposeSecret::expose_secret))
    }

    fn secret_words(&self) -> Vec<SecretString> {
        if guards::secrets_are_off() {
            return Vec::new();
        }
        let keys = self.models().api_keys();
        words(keys.iter().chain(&self.inner.settings.outside.secrets))
    }
}

/// Also as JSON writes them, which is how results are kept.
fn words<'a>(secrets: impl Iterator<Item = &'a SecretString>) -> Vec<SecretString> {
    let mut words = Vec::new();
    for secret in secrets.map(|secret| secret.expose_secret().trim()) {
        if secret.len() < SHORTEST {
            continue;
        }
        let escaped = serde_json::Value::from(secret).to_string();
        let escaped = escaped.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(secret);
        words.push(SecretString::from(secret));
        if escaped != secret {
            words.push(SecretString::from(escaped));
        }
    }
    words
}

fn scrubbed(text: String, words: &[SecretString]) -> String {
    if !words.iter().any(|word| text.contains(word.expose_secret())) {
        return text;
    }
    let mut scrubber = Scrubber::new(words.iter().map(ExposeSecret::expose_secret));
    let mut clean = scrubber.push(text);
    clean.push_str(&scrubber.finish());
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_secrets_go_and_nothing_else() {
        let secrets = [
            SecretString::from("sk-0123456789"),
            SecretString::from("with \"quotes\""),
            SecretString::from("x"),
        ];
        let scrub = |text: &str| scrubbed(text.to_owned(), &words(secrets.iter()));
        assert_eq!(scrub("a sk-0123456789 b sk-0123456789c"), "a [secret] b [secret]c");
        assert_eq!(scrub(r#"{"said":"with \"quotes\""}"#), r#"{"said":"[secret]"}"#);
        assert_eq!(scrub("x marks sk-012345678"), "x marks sk-012345678");
    }
}
