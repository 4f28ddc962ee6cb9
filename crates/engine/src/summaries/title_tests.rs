use super::*;

#[test]
fn an_answer_becomes_a_title() {
    for (answer, title) in [
        ("Dinner plans for Friday", Some("Dinner plans for Friday")),
        ("\n\n  \"Dinner plans.\"\n\nI hope this helps!", Some("Dinner plans")),
        ("Title: “Abendessen am Freitag”", Some("Abendessen am Freitag")),
        ("**Dinner**", Some("Dinner")),
        ("# Dinner\u{202e}\u{7}  plans", Some("Dinner plans")),
        ("  \n ", None),
        ("\"\"", None),
    ] {
        assert_eq!(clean(answer).as_deref(), title, "{answer:?}");
    }
    let long = clean(&"word ".repeat(100)).unwrap();
    assert!(long.chars().count() <= TITLE_CHARS && long.ends_with("word…"), "{long}");
}

#[test]
fn the_first_words_are_a_title_too() {
    assert_eq!(first_words("What's for\ndinner?").as_deref(), Some("What's for dinner?"));
    let long = first_words("Could you please tell me what we are going to have for dinner tonight?").unwrap();
    assert_eq!(long, "Could you please tell me what we are going to…");
    assert_eq!(first_words(&"x".repeat(1_000)).unwrap().chars().count(), FALLBACK_CHARS);
    assert_eq!(first_words(" \n"), None);
}
