use super::*;

#[test]
fn commands_are_recognised() {
    let known = [
        ("/help", Command::Help),
        (" /new ", Command::New),
        ("/sessions", Command::Sessions),
        ("/session  session_1 ", Command::Session("session_1".to_owned())),
        ("/stop", Command::Stop),
        ("/retry", Command::Retry),
        ("/quit", Command::Quit),
    ];
    for (text, command) in known {
        assert_eq!(Line::parse(text), Line::Command(command), "{text}");
    }
}

#[test]
fn everything_else_is_a_message_or_a_slip() {
    assert_eq!(Line::parse("  \n "), Line::Nothing);
    assert_eq!(Line::parse("hello /help"), Line::Message("hello /help".to_owned()));
    assert_eq!(Line::parse("//help"), Line::Message("/help".to_owned()));
    for slip in ["/session", "/helpme", "/new now", "/"] {
        assert_eq!(Line::parse(slip), Line::Unknown(slip.to_owned()));
    }
}

#[test]
fn a_backslash_at_the_end_of_a_line_joins_the_next_with_a_line_break() {
    assert_eq!(Line::parse("one\\\ntwo\\\nthree"), Line::Message("one\ntwo\nthree".to_owned()));
    assert_eq!(Line::parse("a\\b"), Line::Message("a\\b".to_owned()));
}

#[test]
fn the_help_names_every_command() {
    for word in ["/new", "/sessions", "/session ID", "/stop", "/retry", "/help", "/quit"] {
        assert!(HELP.contains(word), "{word}");
    }
}
