use super::*;

fn call(number: u128) -> CallId {
    CallId::from_uuid(uuid::Uuid::from_u128(number))
}

#[test]
fn lines_are_shown_when_they_are_complete_and_what_is_left_with_the_end() {
    let mut outputs = ShownOutputs::default();
    assert!(outputs.take(call(1), 0, "one").is_empty());
    assert_eq!(outputs.take(call(1), 3, " line\ntwo\nthr"), ["one line", "two"]);
    assert_eq!(outputs.end(call(1)), Some(vec!["thr".to_owned()]));
    assert_eq!(outputs.end(call(1)), None, "it is over");
}

#[test]
fn what_is_told_once_more_is_shown_once() {
    let mut outputs = ShownOutputs::default();
    assert_eq!(outputs.take(call(1), 0, "a\nb\n"), ["a", "b"]);
    assert_eq!(outputs.take(call(1), 0, "a\nb\nc\n"), ["c"]);
    assert!(outputs.take(call(1), 0, "a\n").is_empty());
    assert_eq!(outputs.take(call(2), 0, "a\n"), ["a"], "another call says what it says");
}

#[test]
fn a_flood_is_cut_and_said_to_be() {
    let mut outputs = ShownOutputs::default();
    let flood: String = (0..1_000).map(|line| format!("{line}\n")).collect();
    let shown = outputs.take(call(1), 0, &flood);
    assert_eq!(shown.len(), MOST_LINES + 1);
    assert_eq!(shown.last().map(String::as_str), Some("…"));
    assert!(outputs.take(call(1), u64::try_from(flood.len()).unwrap(), "more\n").is_empty());
    assert_eq!(outputs.end(call(1)), Some(Vec::new()));
}

#[test]
fn exactly_as_much_as_is_shown_is_not_said_to_be_more() {
    let mut outputs = ShownOutputs::default();
    let lines: String = (0..MOST_LINES).map(|line| format!("{line}\n")).collect();
    assert_eq!(outputs.take(call(1), 0, &lines).len(), MOST_LINES);
    assert_eq!(outputs.take(call(1), u64::try_from(lines.len()).unwrap(), "one\n"), ["…"]);
}

#[test]
fn a_line_without_an_end_is_not_kept_for_ever() {
    let mut outputs = ShownOutputs::default();
    let endless = "x".repeat(MOST_BYTES + 1);
    assert_eq!(outputs.take(call(1), 0, &endless).concat(), endless);
    assert_eq!(outputs.end(call(1)), Some(Vec::new()));
}
