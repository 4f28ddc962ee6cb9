use super::*;
use serde_json::json;

fn loose(words: &str) -> String {
    text(words, false, true)
}

#[test]
fn plain_words_of_any_language_stay_as_they_are() {
    for words in ["ls -l /notes", "Καλημέρα, κόσμε", "привет мир", "早上好", "naïve café", "a  b", "👍 ok"]
    {
        assert_eq!(loose(words), words);
    }
}

#[test]
fn what_cannot_be_seen_is_spelt_out() {
    for (hidden, shown) in [
        ("rm\u{202e}x", "rm⟨U+202E⟩x"),
        ("a\u{200b}b", "a⟨U+200B⟩b"),
        ("\u{1b}[2K\u{1b}[1A", "⟨U+001B⟩[2K⟨U+001B⟩[1A"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\u{a0}b", "a⟨U+00A0⟩b"),
        ("a\u{feff}", "a⟨U+FEFF⟩"),
        ("\u{e0041}", "⟨U+E0041⟩"),
        ("a\u{fe0f}b", "a⟨U+FE0F⟩b"),
        ("\u{3164}", "⟨U+3164⟩"),
        ("nul\0", "nul⟨U+0000⟩"),
        ("\u{2028}", "⟨U+2028⟩"),
        ("\u{e000}", "⟨U+E000⟩"),
    ] {
        assert_eq!(loose(hidden), shown);
    }
}

#[test]
fn a_line_is_seen_and_stays_a_line() {
    assert_eq!(loose("one\ntwo"), "one⟨U+000A⟩\ntwo");
}

#[test]
fn nothing_is_pushed_out_of_sight() {
    assert_eq!(loose(&format!("ls{}; rm -rf /", " ".repeat(5_000))), "ls⟨U+0020×5000⟩; rm -rf /");
    assert_eq!(loose(&format!("ls{}rm", "\n".repeat(900))), "ls⟨U+000A×900⟩\nrm");
    assert_eq!(loose("ls        rm"), "ls        rm");
}

#[test]
fn the_notation_cannot_be_imitated() {
    assert_eq!(loose("⟨U+202E⟩"), "⟨U+27E8⟩U+202E⟨U+27E9⟩");
}

#[test]
fn a_letter_that_looks_like_another_is_spelt_out_where_it_misleads() {
    assert_eq!(loose("p\u{0430}ypal"), "p⟨U+0430⟩ypal");
    assert_eq!(loose("\u{0441}\u{043e}\u{0440}"), "⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩");
    assert_eq!(text("rm\u{2010}rf", true, true), "rm⟨U+2010⟩rf");
    let shown =
        arguments(&[("url", ArgumentKind::Url)], &json!({ "url": "https://\u{043f}р\u{0438}вет/" }), true);
    assert_eq!(
        shown[0].value,
        "https://⟨U+043F⟩⟨U+0440⟩\u{0438}⟨U+0432⟩\u{0435}\u{0442}/"
            .replace('\u{0435}', "⟨U+0435⟩")
            .replace('\u{0442}', "⟨U+0442⟩")
    );
}

#[test]
fn every_argument_is_there_whole_and_in_order() {
    let long = "x".repeat(100_000);
    let shown =
        arguments(&[], &json!({ "zeta": 1, "alpha": { "b": [1.0, 1], "a": null }, "text": long }), true);
    let names: Vec<&str> = shown.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["alpha", "text", "zeta"]);
    assert_eq!(shown[0].value, r#"{"a":null,"b":[1.0,1]}"#);
    assert_eq!(shown[1].value.len(), 100_000, "nothing is cut");
}

#[test]
fn two_texts_that_differ_are_shown_differently() {
    let pairs = [("a\u{200b}", "a"), ("\u{430}", "a"), (" ", "\u{a0}"), ("\n", " "), ("⟨", "<")];
    for (left, right) in pairs {
        assert_ne!(text(left, true, true), text(right, true, true));
    }
}
