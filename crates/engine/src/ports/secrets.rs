//! The engine removes known secrets from every result of a tool, before the model, a person or the log gets it.
//!
//! THREAT[secret-01]: a tool may find a key of this server: in a page that was sent it, in a file that a person pasted it into. A
//! model that never sees it cannot pass it on.

use crate::{engine::Engine, faults::guards_off};
use provider::Scrubber;
use sandbox::process::Captured;
use secrecy::{ExposeSecret, SecretString};

/// What a secret is overwritten with: as much of it as fits, then [`MASK`].
const INSTEAD: &str = "[secret]";
const MASK: char = '*';
/// So many characters of a text are looked at together, with [`BESIDE`] more at both ends: more than a secret has in any spelling.
const TOGETHER: usize = 1 << 20;
pub(crate) const BESIDE: usize = 16 << 10;

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

    /// What a program said, as far as it was kept. A secret that the cut goes through is none of what is left, so its halves go first.
    pub(crate) fn said_without_secrets(&self, said: &mut Captured) -> String {
        let words = self.secret_words();
        said_without(said, &words)
    }

    /// Overwrites each secret of a text character for character, so that lines and places in it stay what they are. A tool that gives parts
    /// of a text takes them from this: a half of a secret is none, and a search must not tell where one stands.
    pub(crate) fn secrets_masked(&self) -> impl Fn(String) -> String + Send + Sync + 'static {
        let words = self.secret_words();
        move |text| masked(text, &words)
    }

    fn secret_words(&self) -> Vec<SecretString> {
        if guards_off::secrets_are_off() {
            return Vec::new();
        }
        let keys = self.models().api_keys();
        words(keys.iter().chain(&self.inner.settings.outside.secrets))
    }
}

/// In every plain spelling.
fn words<'a>(secrets: impl Iterator<Item = &'a SecretString>) -> Vec<SecretString> {
    let known = secrets.map(|secret| secret.expose_secret().trim());
    known.filter(|secret| secret.len() >= SHORTEST).flat_map(provider::spellings).collect()
}

fn said_without(said: &mut Captured, words: &[SecretString]) -> String {
    let scrubber = || Scrubber::new(words.iter().map(ExposeSecret::expose_secret));
    said.drop_halves(|bytes| scrubber().places(bytes));
    scrubber().whole(said.text())
}

fn scrubbed(text: String, words: &[SecretString]) -> String {
    if words.is_empty() {
        return text;
    }
    Scrubber::new(words.iter().map(ExposeSecret::expose_secret)).whole(text)
}

fn masked(text: String, words: &[SecretString]) -> String {
    if words.is_empty() {
        return text;
    }
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    while from < text.len() {
        let until = text.floor_char_boundary(from.saturating_add(TOGETHER));
        let (before, after) = (
            text.floor_char_boundary(from.saturating_sub(BESIDE)),
            text.floor_char_boundary(until.saturating_add(BESIDE)),
        );
        mask_part(&text, (before, after), (from, until), words, &mut clean);
        from = until;
    }
    clean
}

/// Adds what is between `from` and `until`, after a look at what is around it.
fn mask_part(
    text: &str,
    (before, after): (usize, usize),
    (from, until): (usize, usize),
    words: &[SecretString],
    clean: &mut String,
) {
    let Some(looked_at) = text.get(before..after) else { return };
    let scrubber = Scrubber::new(words.iter().map(ExposeSecret::expose_secret));
    let mut places = scrubber.places(looked_at.as_bytes()).into_iter().peekable();
    let mut mask = INSTEAD.chars();
    for (at, character) in looked_at.char_indices() {
        while places.next_if(|place| place.end <= at).is_some() {
            mask = INSTEAD.chars();
        }
        let is_secret = places.peek().is_some_and(|place| place.contains(&at));
        // A line that ends inside of a secret still ends there.
        let shown = match character {
            '\r' | '\n' => character,
            _ if is_secret => mask.next().unwrap_or(MASK),
            _ => character,
        };
        if (from..until).contains(&before.saturating_add(at)) {
            clean.push(shown);
        }
    }
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

    /// ATTACK: a program says a key so often that the cut goes through it, and little else is left of what it said.
    #[test]
    fn no_part_of_a_secret_is_left_beside_a_cut() {
        let secret = "sk-0123456789abcdefghijklmnopqrstuvwxyz";
        let words = words([SecretString::from(secret)].iter());
        let percent: String = secret.bytes().map(|byte| format!("%25{byte:02x}")).collect();
        for spelt in [secret.to_owned(), percent] {
            // Four characters of it.
            let parts: Vec<&str> =
                (0..spelt.len()).filter_map(|at| spelt.get(at..at + spelt.len() / 9)).collect();
            let part = |text: &str| parts.iter().any(|part| text.contains(part));
            let mut halves = 0;
            for shift in 0..spelt.len() {
                let mut said = Captured::new(512);
                let (around, secrets) = ("-".repeat(shift), format!("{spelt} ").repeat(100));
                [&around, &secrets, &around].into_iter().for_each(|text| said.push(text.as_bytes()));
                halves += usize::from(part(&scrubbed(said.text(), &words)));
                let told = said_without(&mut said, &words);
                assert!(!part(&told) && told.contains("left out"), "{shift}: {told}");
            }
            assert!(halves > spelt.len() / 2, "the control: {halves} times a half would be left");
        }
    }

    /// ATTACK: a secret stands where a text is cut, or where its parts are looked at one by one.
    #[test]
    fn a_masked_text_keeps_its_places() {
        let secret = "sk-0123456789abcdef";
        let mask = |text: &str| masked(text.to_owned(), &words([SecretString::from(secret)].iter()));
        assert_eq!(mask("ü sk-0123456789abcdef ü"), "ü [secret]*********** ü");
        assert_eq!(mask("sk-01234\n56789abcdef\nb"), "[secret]\n***********\nb");
        assert_eq!(mask("sk-0123456789 is none"), "sk-0123456789 is none", "the control");
        for shift in 0..=secret.len() {
            let before = "ü".repeat((TOGETHER - shift) / 2);
            let told = mask(&format!("{before}{secret}ü"));
            assert_eq!(told, format!("{before}[secret]***********ü"), "{shift}");
        }
    }

    /// ATTACK: a program or a page spells a key out, as `base64`, `xxd`, `od` and a URL do.
    #[test]
    fn plain_spellings_go_too() {
        let secret = "sk-0123456789abcdef";
        let scrub = |text: &str| scrubbed(text.to_owned(), &words([SecretString::from(secret)].iter()));
        for (spelt, left) in [
            ("c2stMDEyMzQ1Njc4OWFiY2RlZgo=", "[secret]"),
            ("QSBrZXk6IHNrLTAxMjM0NTY3ODlhYmNkZWY=", "[secret]"),
            ("736b2d30313233343536373839616263646566", "[secret]"),
            ("736b 2d30 3132 3334\n3536 3738 3961 6263 6465 66", "[secret]"),
            ("%73%6b%2d%30%31%32%33%34%35%36%37%38%39%61%62%63%64%65%66", "[secret]"),
            ("sk%2d0123%34%3567%389abcd%65f", "[secret]"),
            // A tool cuts lines that are too long.
            ("%73%6b%2d%30%31%32%33%34%35%36%37%38%39%61%62%63%64%65…", "[secret]…"),
            ("736b2d3031323334353637…", "[secret]…"),
            ("fedcba9876543210-ks", "[secret]"),
            ("c2stMDEyMzQ1\nNjc4OWFiY2RlZgo=", "[secret]"),
        ] {
            let clean = scrub(&format!("here: {spelt}"));
            assert!(clean.contains(left) && clean.len() < 30, "{spelt} became {clean}");
        }
        let innocent = "736b2d is no key, and neither is c2stMDEy";
        assert_eq!(scrub(innocent), innocent, "the control");
    }
}
