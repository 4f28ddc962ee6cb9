use super::*;

#[test]
fn commands_are_recognised() {
    for text in ["/help", " /session list ", "/nope", "/", "/quit now"] {
        assert_eq!(Line::parse(text), Line::Command(text.trim().to_owned()), "{text}");
    }
    for text in ["/quit", " /exit "] {
        assert_eq!(Line::parse(text), Line::Quit, "{text}");
    }
    assert_eq!(Line::parse("/stream"), Line::Stream(None));
    assert_eq!(Line::parse(" /stream on"), Line::Stream(Some(true)));
    assert_eq!(Line::parse("/stream  off "), Line::Stream(Some(false)));
    assert_eq!(
        Line::parse("/stream of"),
        Line::Command("/stream of".to_owned()),
        "which says that there is none"
    );
    assert_eq!(Line::parse("/model once a/b"), Line::ModelOnce("a/b".to_owned()));
    for text in ["/model", "/model a/b", "/model once"] {
        assert_eq!(Line::parse(text), Line::Command(text.to_owned()), "the server's");
    }
    assert_eq!(Line::parse("/attach"), Line::Attach(None));
    assert_eq!(Line::parse("/attach  My notes.txt "), Line::Attach(Some("My notes.txt".to_owned())));
    assert_eq!(Line::parse("/attach '/tmp/a b'"), Line::Attach(Some("/tmp/a b".to_owned())));
    assert_eq!(Line::parse("/attached"), Line::Command("/attached".to_owned()));
    assert_eq!(name("/session list"), "session");
    assert_eq!(name("/"), "");
}

#[test]
fn everything_else_is_a_message() {
    assert_eq!(Line::parse("  \n "), Line::Nothing);
    assert_eq!(Line::parse("hello /help"), Line::Message("hello /help".to_owned()));
    for path in ["/etc/hosts is empty", "/usr/bin", "/a-b"] {
        assert_eq!(Line::parse(path), Line::Message(path.to_owned()), "a path is none");
    }
    assert_eq!(Line::parse("//help"), Line::Message("/help".to_owned()));
    assert_eq!(Line::parse("///help"), Line::Message("//help".to_owned()));
}

#[test]
fn a_backslash_at_the_end_of_a_line_joins_the_next_with_a_line_break() {
    assert_eq!(Line::parse("one\\\ntwo\\\nthree"), Line::Message("one\ntwo\nthree".to_owned()));
    assert_eq!(Line::parse("a\\b"), Line::Message("a\\b".to_owned()));
}
