use super::*;

#[test]
fn comments_and_literals_are_blanked_and_lines_stay() {
    for (text, left) in [
        ("a // b\nc", "a c"),
        ("a /* b /* c */ d */ e", "a e"),
        ("f(\"x\\\"y\", g)", "f( , g)"),
        ("f(r#\"a \"b\" {\"#, g)", "f( , g)"),
        ("f(br\"\\\", g)", "f( , g)"),
        ("c = '{'; d = '\\''; e = '\\\\'; g", "c = ; d = ; e = ; g"),
        ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        ("\"two\nlines\" x", "x"),
        ("r#type", "r#type"),
        ("// \"open\nx", "x"),
    ] {
        let blanked = blank(text);
        assert_eq!(blanked.split_whitespace().collect::<Vec<_>>().join(" "), left, "{text}");
        let lengths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
        assert_eq!(lengths(&blanked), lengths(text), "{text}");
    }
}

#[test]
fn what_is_never_closed_ends_with_the_text() {
    for text in ["\"open", "/* open", "r#\"open", "'\\", "'", "'\\u{41"] {
        assert_eq!(blank(text).chars().count(), text.chars().count(), "{text}");
    }
}

#[test]
fn functions_are_measured_with_their_bodies() {
    let code = "fn one() {}\n\npub async fn two(\n    a: [u8; 2],\n) -> u8 {\n    if a { b }\n}\ntrait T { fn none(&self); }\n";
    assert_eq!(
        functions(code),
        [
            Function { name: "one".to_owned(), line: 1, lines: 1 },
            Function { name: "two".to_owned(), line: 3, lines: 5 },
        ]
    );
}

#[test]
fn words_are_whole() {
    assert_eq!(find_word("a fn b", "fn"), Some(2));
    assert_eq!(find_word("afn fn_b", "fn"), None);
}
