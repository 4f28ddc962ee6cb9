use super::*;

#[test]
fn names_between_marks_are_found() {
    let found = |text: &'static str| next_macro(text);
    assert_eq!(found("a !!FOO_1!! b"), Some(("a ", "FOO_1", " b")));
    assert_eq!(found("!!!FOO!!"), Some(("!", "FOO", "")));
    assert_eq!(found("!!a!! !!B!!"), Some(("!!a!! ", "B", "")));
    for nothing in ["", "!!", "!!!!", "!! FOO !!", "!!foo!!", "!!FOO", "!!FOO!", "ä!!Ä!!"] {
        assert_eq!(found(nothing), None, "{nothing}");
    }
}
