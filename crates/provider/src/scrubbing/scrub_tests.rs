use super::*;

fn key(text: &str) -> SecretString {
    SecretString::from(text.to_owned())
}

#[test]
fn the_key_is_gone_wherever_it_stands() {
    let text = "bad key sk-secret-1, header Bearer sk-secret-1\nsk-secret-1";
    assert_eq!(
        scrub(text, Some(&key(" sk-secret-1\n"))),
        "bad key [secret], header Bearer [secret] [secret]"
    );
    assert!(scrub(text, None).contains("sk-secret-1"));
}

#[test]
fn a_key_across_the_cut_leaves_no_half() {
    let text = format!("{}sk-secret-1", "x".repeat(MAX_CHARACTERS - 3));
    let clean = scrub(&text, Some(&key("sk-secret-1")));
    assert!(!clean.contains("sk-"), "{clean}");
}

#[test]
fn long_and_unprintable_text_is_tamed() {
    let clean = scrub(&"é\u{0}\n\t".repeat(10_000), None);
    assert!(clean.ends_with('…') && clean.chars().count() <= 2 * MAX_CHARACTERS + 1, "{}", clean.len());
    assert!(!clean.chars().any(char::is_control));
}

/// ATTACK: a provider, or an attacker in its place, spells the key out.
#[test]
fn a_key_in_another_spelling_is_gone_too() {
    let secret = "sk-secret-0123456789";
    for spelt in [
        "c2stc2VjcmV0LTAxMjM0NTY3ODk",
        "736b2d7365637265742d30313233343536373839",
        "%73%6B%2d%73%65%63%72%65%74%2D%30%31%32%33%34%35%36%37%38%39",
        "sk%2Dsecret%2d01%3234567%389",
        "sk-secret-0123456",
    ] {
        let clean = scrub(&format!("bad key {spelt}!"), Some(&key(secret)));
        assert!(clean.starts_with("bad key [secret]") && clean.len() < 24, "{clean}");
    }
}
