//! What may still become markup is not shown; everything else is told at once; memory is bounded.

use markup::{Event, Limits, Options, Parser};

/// Text outside of elements that has been told of an unfinished text.
fn shown(text: &str, options: Options) -> String {
    let mut shown = String::new();
    let mut parser = Parser::new(options);
    parser.push(text, |event| {
        if let Event::Text(text) | Event::ElementDelta { text, .. } = event {
            shown.push_str(text);
        }
    });
    shown
}

#[test]
fn text_is_held_exactly_as_long_as_it_may_become_markup() {
    // HERO-40
    for (text, held) in [
        ("a <", "<"),
        ("a </", "</"),
        ("a <b", "<b"),
        ("a <bx", ""),
        ("a <bash", "<bash"),
        ("a <bash-", ""),
        ("a <BaSh ", "<BaSh "),
        ("a <bash x=\"</bash>", "<bash x=\"</bash>"),
        ("a <bash <", "<"),
        ("a < ", ""),
        ("a <1", ""),
        ("a <<", "<"),
        ("a </bash ", "</bash "),
        ("a </bash x", ""),
        ("a </interaction", ""),
        ("a </tool_use", ""),
        ("a <option", ""),
        ("a <hml-prompt", "<hml-prompt"),
        ("a @system(", ""),
        ("@", "@"),
        ("@s", "@s"),
        ("@sx", ""),
        ("  @system(he", "@system(he"),
        ("@system(help, {", "@system(help, {"),
        ("@system(help, {a: 'x", "@system(help, {a: 'x"),
        ("@system(help, {1", ""),
        ("@system(help, [", ""),
        ("<interaction>", "<interaction>"),
        ("<interaction>x", ""),
        ("<interaction>{", "<interaction>{"),
        ("<interaction>{a", ""),
        ("<interaction>{\"a\" 1", ""),
        ("<interaction>{} x", ""),
        ("<interaction>{}</inter", "<interaction>{}</inter"),
        ("<tool_use>", ""),
        ("<tool_use name=x>anything", "<tool_use name=x>anything"),
        ("`<bash>", ""),
        ("```\n<bash>", ""),
        ("    <bash>", ""),
        ("> <bash>", ""),
        ("    @", ""),
        ("```", ""),
        ("- ", ""),
    ] {
        let expected = text.strip_suffix(held).unwrap();
        assert_eq!(shown(text, Options::default()), expected, "{text:?}");
    }
}

#[test]
fn the_content_of_an_element_is_told_as_it_grows() {
    // HERO-40
    for (text, told) in [
        ("<bash>ls -", "ls -"),
        ("<bash>a <b", "a <b"),
        ("<bash>a </ba", "a "),
        ("<bash>a </bax", "a </bax"),
        ("<bash>a </todo", "a </todo"),
        ("<todo>a </it", "a "),
        ("<hml-prompt>Q?<opti", "Q?"),
        ("<hml-prompt>Q?<option>R", "Q?"),
    ] {
        assert_eq!(shown(text, Options::default()), told, "{text:?}");
    }
}

#[test]
fn where_a_form_is_not_read_it_is_not_held() {
    assert_eq!(shown("<interaction", Options::display()), "<interaction");
    assert_eq!(shown("@sys", Options::display()), "@sys");
    assert_eq!(shown("```json\n[{\"id\":\"1\"", Options::default()), "```json\n[{\"id\":\"1\"");
    let assertions = Options { assertions: true, ..Options::default() };
    assert_eq!(shown("```json\n[{\"id\":\"1\"", assertions), "");
    assert_eq!(shown("```json\n[{\"id\":1x", assertions), "```json\n[{\"id\":1x");
    assert_eq!(shown("Hello", assertions), "Hello");
}

#[test]
fn at_the_end_everything_held_is_released() {
    // HERO-41
    for text in [
        "a <",
        "a <bash",
        "a <bash x='<",
        "@system(help, {",
        "<interaction>{\"a\":",
        "<tool_use name=x>y <",
        "a </b",
    ] {
        assert_eq!(crate::told::told(text), [format!("text {text:?}")]);
    }
}

fn small() -> Options {
    Options { limits: Limits { tag: 64, call: 128, content: 32, depth: 3 }, ..Options::default() }
}

#[test]
fn too_long_a_tag_or_call_is_text() {
    // HERO-42
    let value = "x".repeat(200);
    for text in [
        format!("<item a='{value}"),
        format!("</item {}", " ".repeat(200)),
        format!("@system(help, {{a: '{value}"),
        format!("<tool_use name=x>{value}"),
        format!("<interaction>{{\"a\":\"{value}"),
    ] {
        assert_eq!(shown(&text, small()), text);
    }
    assert_eq!(shown(&format!("<item a='{}", "x".repeat(40)), small()), "", "within the limit it is held");
}

#[test]
fn a_limit_inside_of_a_character_waits_for_its_end() {
    use crate::told::told_in_pieces;
    let limits =
        |tag, call| Options { limits: Limits { tag, call, ..Limits::default() }, ..Options::default() };
    for limit in 16..40 {
        for text in [
            "<item a='日本語日本語日本語日本語日本語",
            "<tool_use name=x>日本語日本語日本語日本語日本語",
            "@system(a, {日本語日本語日本語日本語日本語",
        ] {
            let text = format!("{text} <copy/>");
            let lines = told_in_pieces([text.as_bytes()], limits(limit, limit));
            assert_eq!(lines, told_in_pieces(text.as_bytes().chunks(1), limits(limit, limit)), "{limit}");
            assert_eq!(lines[0], format!("text {:?}", text.trim_end_matches("<copy/>")), "{limit}");
        }
    }
    let long = format!("@system(a, {{{} <copy/>", "é".repeat(300));
    assert_eq!(crate::told::told(&long)[0], format!("text {:?}", long.trim_end_matches("<copy/>")));
}

#[test]
fn too_long_a_content_is_shown_and_never_used() {
    // HERO-42
    use crate::told::told_in_pieces;
    let content = "x".repeat(33);
    assert_eq!(
        told_in_pieces([format!("<bash>{content}<todo></bash>!").as_bytes()], small()),
        [
            "start e1 bash runs".to_owned(),
            format!("update e1 \"{content}<todo>\""),
            "error e1 Element <bash> is longer than 32 bytes and is not used; write less, or write it to a file".to_owned(),
            r#"text "!""#.to_owned(),
        ]
    );
}

#[test]
fn too_deep_a_tag_is_text_of_what_it_stands_in() {
    use crate::told::told_in_pieces;
    let lines = told_in_pieces([b"<todo><todo><todo><item>x".as_slice()], small());
    assert_eq!(lines[3], r#"update e3 "<item>x""#);
}
