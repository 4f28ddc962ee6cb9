use super::*;
use serde_json::json;

fn shown(pieces: impl IntoIterator<Item = Piece>) -> String {
    let mut screen = Screen::new(Vec::new(), Look::plain());
    for piece in pieces {
        screen.show(piece).unwrap();
    }
    screen.end_line().unwrap();
    String::from_utf8(screen.out).unwrap()
}

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

#[test]
fn a_turn_with_thinking_and_a_tool_reads_line_by_line() {
    let call = Piece::Call {
        name: "get_current_time".to_owned(),
        arguments: json!({ "timezone": "UTC" }),
        status: ResultStatus::Ok,
        content: "{\"datetime\":\n\"now\"}".to_owned(),
    };
    let pieces = [
        Piece::Begin,
        Piece::Thinking("hm".to_owned()),
        text("Let me "),
        text("see"),
        call,
        Piece::Begin,
        text("Noon.\n"),
    ];
    let expected = "hm\nLet me see\n⚙ get_current_time timezone: UTC → datetime: now\nNoon.\n";
    assert_eq!(shown(pieces), expected);
}

#[test]
fn an_error_of_a_call_is_shown_as_words() {
    let call = |arguments, status, content: &str| Piece::Call {
        name: "bash".to_owned(),
        arguments,
        status,
        content: content.to_owned(),
    };
    let denied = call(Value::Null, ResultStatus::Denied, "{\"error\":\"The person denied this call.\"}");
    let failed = call(json!({}), ResultStatus::Error, "no such tool");
    let expected = "⚙ bash → denied: The person denied this call.\n⚙ bash → error: no such tool\n";
    assert_eq!(shown([denied, failed]), expected);
    let nested = call(json!({ "a": [1, { "b": "c" }] }), ResultStatus::Ok, "[1, 2]");
    assert_eq!(shown([nested]), "⚙ bash a: [1,{\"b\":\"c\"}] → [1,2]\n");
}

/// A command in the text of a reply that fails is no success, and its exit code is said.
#[test]
fn a_failed_command_of_a_reply_is_shown_as_failed() {
    let ended = |ok, text: &Value| Piece::Outcome {
        kind: "bash".to_owned(),
        ok,
        text: serde_json::to_string_pretty(text).unwrap(),
    };
    let failed =
        json!({ "stdout": "half of it\n", "stderr": "no such file\n", "exit_code": 3, "success": false });
    let expected = "┌ ✗ bash: failed, exit code 3\n│ half of it\n│ no such file\n└\n";
    assert_eq!(shown([ended(false, &failed)]), expected);
    let killed =
        json!({ "stdout": "", "stderr": "", "exit_code": null, "error": "It took longer than 10 s." });
    assert_eq!(shown([ended(false, &killed)]), "┌ ✗ bash: failed\n│ It took longer than 10 s.\n└\n");
    let refused =
        Piece::Outcome { kind: "bash".to_owned(), ok: false, text: "You denied this call.".to_owned() };
    assert_eq!(shown([refused]), "┌ ✗ bash\n│ You denied this call.\n└\n");
    // The control.
    let done = shown([ended(true, &json!({ "stdout": "all of it\n", "exit_code": 0 }))]);
    assert!(done.starts_with("┌ ✓ bash\n") && !done.contains("failed"), "{done}");
}

#[test]
fn a_search_is_a_numbered_list_of_its_sources() {
    let found = |results: Value| Piece::Call {
        name: "web_search".to_owned(),
        arguments: json!({ "query": "boots" }),
        status: ResultStatus::Ok,
        content: json!({ "success": true, "query": "boots", "results": results, "content": "1. Boots" })
            .to_string(),
    };
    let two = found(json!([
        { "title": "Boots\u{1b}[2J", "url": "https://one.example/a?b=c", "snippet": "The\nbest boots" },
        { "title": "", "url": "https://two.example/", "snippet": "" },
    ]));
    let expected = "⚙ web_search query: boots → 2 sources\n  1. Boots␛[2J\n     https://one.example/a?b=c\n     The best boots\n  \
                    2. Untitled\n     https://two.example/\n";
    assert_eq!(shown([two]), expected);
    assert_eq!(shown([found(json!([]))]), "⚙ web_search query: boots → The search found nothing.\n");
}

#[test]
fn nothing_a_model_or_a_tool_says_reaches_the_terminal_as_a_command() {
    let hostile = "\u{1b}[2J\u{9b}31m\r";
    let call = |status| Piece::Call {
        name: hostile.to_owned(),
        arguments: json!({ hostile: hostile }),
        status,
        content: hostile.to_owned(),
    };
    let pieces = [
        text(hostile),
        Piece::Thinking(hostile.to_owned()),
        call(ResultStatus::Ok),
        call(ResultStatus::Unknown),
        Piece::Trouble(hostile.to_owned()),
    ];
    let text = shown(pieces);
    assert!(!text.chars().any(|letter| letter.is_control() && letter != '\n'), "{text:?}");
    assert!(text.contains("␛[2J"), "{text:?}");
}

#[test]
fn what_did_not_go_well_is_said() {
    let text = shown([
        text("Hel"),
        Piece::Stopped(StopReason::Cancelled),
        Piece::Anew(Some("The server restarted.")),
    ]);
    assert!(text.starts_with("Hel\n— Stopped. —\n"), "{text}");
    assert!(
        text.contains("— The server restarted. The reply starts again. Ignore the part above. —"),
        "{text}"
    );
}

#[test]
fn a_plain_look_has_no_colours() {
    let look = Look::plain();
    assert_eq!(look.dim("a") + &look.bold("b") + &look.red("c"), "abc");
}

#[test]
fn what_a_program_says_is_indented_as_it_is_short_and_harmless() {
    let said = |text: &str| shown([Piece::Said(text.to_owned())]);
    assert_eq!(said("  if x:\ty"), "  │   if x:    y\n");
    assert_eq!(said("10%\r20%\r30%\r"), "  │ 30%\n");
    assert_eq!(said("\u{1b}]0;title\u{7}"), "  │ ␛]0;title␇\n");
    let long = said(&"x".repeat(10_000));
    assert_eq!(long.chars().count(), OUTPUT + 6, "{long}");
}

#[test]
fn only_whole_lines_are_taken() {
    let mut screen = Screen::new(Vec::new(), Look::plain());
    screen.show(text("one\ntw")).unwrap();
    assert_eq!(screen.take_lines(), "one\n");
    screen.show(text("o")).unwrap();
    assert_eq!(screen.take_lines(), "");
    screen.end_line().unwrap();
    assert_eq!(screen.take_lines(), "two\n");
}

#[test]
fn whole_replies_are_shown_when_they_are_complete() {
    let mut screen = Screen::new(Vec::new(), Look::plain());
    screen.set_live(false);
    screen.show(Piece::Begin).unwrap();
    screen.show(text("Half a")).unwrap();
    assert!(screen.out.is_empty(), "nothing before it is complete");
    screen.show(Piece::Anew(None)).unwrap();
    screen.show(text("The whole")).unwrap();
    screen.show(text(" reply")).unwrap();
    screen.end_line().unwrap();
    assert_eq!(
        String::from_utf8(screen.out).unwrap(),
        "The whole reply\n",
        "what was begun anew was never seen"
    );
}

#[test]
fn on_a_screen_the_end_of_an_open_block_stands_in_one_row_until_it_is_laid_out() {
    let mut screen = Screen::new(Vec::new(), Look::screen(true)).with_previews();
    screen.show(text("Some **bo")).unwrap();
    let before = String::from_utf8(screen.out.clone()).unwrap();
    assert_eq!(before, "\r\u{1b}[2mSome **bo\u{1b}[0m\u{1b}[K");
    screen.show(text("ld**\n\nMore")).unwrap();
    let after = String::from_utf8(screen.out.split_off(before.len())).unwrap();
    assert_eq!(after, "\r\u{1b}[KSome \u{1b}[1mbold\u{1b}[0m\n\r\u{1b}[2mMore\u{1b}[0m\u{1b}[K");
    screen.out.clear();
    screen.end_line().unwrap();
    assert_eq!(String::from_utf8(screen.out).unwrap(), "\r\u{1b}[K\nMore\n");
}

#[test]
fn a_reply_that_was_cut_off_says_how_to_get_the_rest() {
    let mut screen = Screen::new(Vec::new(), Look::plain());
    screen.show(text("Once upon a")).unwrap();
    screen.show(Piece::Stopped(domain::StopReason::Length)).unwrap();
    screen.end_line().unwrap();
    let shown = String::from_utf8(screen.out).unwrap();
    assert!(shown.contains("Cut off at the length limit. Type Continue to get the rest."), "{shown}");
}
