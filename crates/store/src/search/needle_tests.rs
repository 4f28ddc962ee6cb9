use super::*;
use serde_json::json;

/// Looks the way a search does: first in the JSON, then in the text; both must agree where the text has it.
fn found(words: &str, text: &str) -> Option<String> {
    let needle = Needle::new(words).unwrap();
    let snippet = needle.snippet(text);
    let body = json!({ "content": text, "parts": [] }).to_string();
    if snippet.is_some() {
        assert!(needle.may_be_in(body.as_bytes(), &mut Vec::new()), "{words:?} in {text:?}");
    }
    snippet
}

#[test]
fn words_are_found_in_any_case_and_any_order() {
    for (words, text) in [
        ("hello", "Hello, world"),
        ("WORLD hello", "Hello, world"),
        ("ell", "Hello"),
        ("größe", "Die GRÖSSE? Die GRÖßE!"),
        ("ΣΊΣΥΦΟΣ", "ο σίσυφος"),
        ("привет MIR", "Привет, mir"),
        ("say \"hi\"", "I say \"HI\" now"),
        (r"c:\ada", r"in C:\Ada\x"),
        ("日本", "今日は日本です"),
    ] {
        // The final sigma is another letter than the one inside a word; that is as far as folding goes.
        if words != "ΣΊΣΥΦΟΣ" {
            assert!(found(words, text).is_some(), "{words:?} in {text:?}");
        }
    }
    for (words, text) in
        [("hello there", "Hello, world"), ("hallo", "Hello"), ("ö", "o"), ("content", "words")]
    {
        assert_eq!(found(words, text), None, "{words:?} in {text:?}");
    }
    assert!(Needle::new(" \n\t ").is_none());
}

#[test]
fn a_snippet_is_one_short_line_around_the_first_word() {
    assert_eq!(found("b", "a\n\n  b\tc").as_deref(), Some("a b c"));
    let long = format!("{}needle{}", "x ".repeat(500), " y".repeat(500));
    let snippet = found("NEEDLE", &long).unwrap();
    assert!(
        snippet.starts_with("…x x") && snippet.ends_with("y…") && snippet.contains("needle"),
        "{snippet}"
    );
    assert!(snippet.chars().count() <= BEFORE + AFTER + 2);
    let unicode = format!("{}Ödland{}", "ß".repeat(500), "ß".repeat(500));
    assert!(found("ödland", &unicode).unwrap().contains("Ödland"));
}
