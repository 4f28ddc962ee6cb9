//! What is known to be secret goes out of every result of a tool, before anybody reads it.
//!
//! THREAT[secret-01]: a tool may come upon a key of ours: in a page that was told it, in a file somebody pasted it into. A
//! model that never sees it cannot pass it on.

use crate::engine::Engine;
use secrecy::{ExposeSecret as _, SecretString};

/// A shorter one is a placeholder such as `x`; replacing it would only garble the text.
const SHORTEST: usize = 8;
const INSTEAD: &str = "[secret]";

impl Engine {
    pub(crate) fn without_secrets(&self, text: String) -> String {
        let keys = self.models().api_keys();
        scrubbed(text, keys.iter().chain(&self.inner.settings.outside.secrets))
    }
}

/// Also as JSON writes it, which is how results are kept.
fn scrubbed<'a>(mut text: String, secrets: impl Iterator<Item = &'a SecretString>) -> String {
    for secret in secrets {
        let secret = secret.expose_secret().trim();
        if secret.len() < SHORTEST {
            continue;
        }
        if text.contains(secret) {
            text = text.replace(secret, INSTEAD);
        }
        let escaped = serde_json::Value::from(secret).to_string();
        let escaped = escaped.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(secret);
        if escaped != secret && text.contains(escaped) {
            text = text.replace(escaped, INSTEAD);
        }
    }
    text
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
        let scrub = |text: &str| scrubbed(text.to_owned(), secrets.iter());
        assert_eq!(scrub("a sk-0123456789 b sk-0123456789c"), "a [secret] b [secret]c");
        assert_eq!(scrub(r#"{"said":"with \"quotes\""}"#), r#"{"said":"[secret]"}"#);
        assert_eq!(scrub("x marks sk-012345678"), "x marks sk-012345678");
    }
}
