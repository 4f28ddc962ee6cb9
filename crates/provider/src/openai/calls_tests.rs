use super::*;
use serde_json::json;

type Piece<'a> = (Option<u64>, &'a str, &'a str, &'a str);

fn assembled(pieces: &[Piece<'_>]) -> Vec<ProposedCall> {
    let mut calls = Calls::default();
    for (index, id, name, arguments) in pieces {
        let delta = CallDelta {
            index: *index,
            id: (*id).into(),
            name: (*name).into(),
            arguments: (*arguments).into(),
        };
        calls.push(&delta).unwrap();
    }
    calls.finish(false)
}

fn call(name: &str, arguments: Value) -> ProposedCall {
    ProposedCall { name: name.to_owned(), arguments: Ok(arguments) }
}

#[test]
fn parallel_calls_are_kept_apart_by_index() {
    let pieces = [
        (Some(0), "a", "add", ""),
        (Some(1), "b", "time", ""),
        (Some(0), "", "", "{\"x\""),
        (Some(1), "", "", "{\"y\":2}"),
        (Some(0), "", "", ":1}"),
    ];
    assert_eq!(assembled(&pieces), [call("add", json!({"x": 1})), call("time", json!({"y": 2}))]);
}

#[test]
fn servers_that_leave_the_index_out_are_understood() {
    let by_id = [(None, "a", "add", "{\"x\":"), (None, "a", "", "1}"), (None, "b", "add", "{\"x\":2}")];
    let by_name = [(None, "", "add", "{\"x\":"), (None, "", "", "1}"), (None, "", "add", "{\"x\":2}")];
    let expected = [call("add", json!({"x": 1})), call("add", json!({"x": 2}))];
    assert_eq!(assembled(&by_id), expected);
    assert_eq!(assembled(&by_name), expected);
}

#[test]
fn whole_calls_that_are_all_numbered_zero_are_several() {
    let with_ids = [(Some(0), "a", "add", "{\"x\":1}"), (Some(0), "b", "add", "{\"x\":2}")];
    let without_ids = [(Some(0), "", "add", "{\"x\":1}"), (Some(0), "", "add", "{\"x\":2}")];
    let expected = [call("add", json!({"x": 1})), call("add", json!({"x": 2}))];
    assert_eq!(assembled(&with_ids), expected);
    assert_eq!(assembled(&without_ids), expected);
}

#[test]
fn repeated_ids_and_names_change_nothing() {
    let repeated = [(Some(0), "a", "add", "{"), (Some(0), "a", "add", "\"x\":1"), (Some(0), "a", "add", "}")];
    let fresh_ids = [(Some(0), "a", "add", "{"), (Some(0), "b", "", "\"x\":1"), (Some(0), "c", "", "}")];
    let late = [(Some(0), "", "", "{"), (Some(0), "a", "add", "\"x\":1"), (Some(0), "", "", "}")];
    let only_names = [(Some(0), "", "add", "{"), (Some(0), "", "add", "\"x\":1"), (Some(0), "", "add", "}")];
    for pieces in [repeated, fresh_ids, late, only_names] {
        assert_eq!(assembled(&pieces), [call("add", json!({"x": 1}))], "{pieces:?}");
    }
}

#[test]
fn no_arguments_are_an_empty_object_and_anything_else_stays_text() {
    for nothing in ["", " ", "null", "{}"] {
        assert_eq!(assembled(&[(Some(0), "a", "now", nothing)]), [call("now", json!({}))]);
    }
    for text in ["[1]", "\"x\"", "{\"x\":", "7", "{} {}"] {
        let raw = ProposedCall { name: "now".into(), arguments: Err(text.into()) };
        assert_eq!(assembled(&[(Some(0), "a", "now", text)]), [raw]);
    }
}

#[test]
fn a_flood_of_calls_or_arguments_is_refused() {
    let mut calls = Calls::default();
    let one = |index| CallDelta { index: Some(index), name: "x".into(), ..CallDelta::default() };
    let refused = (0..10_000).find(|index| calls.push(&one(*index)).is_err());
    assert_eq!(refused, Some(MAX_CALLS as u64));

    let mut calls = Calls::default();
    let megabyte = "x".repeat(1024 * 1024);
    let piece = CallDelta { index: Some(0), arguments: megabyte.as_str().into(), ..CallDelta::default() };
    let refused = (0..100).find(|_| calls.push(&piece).is_err());
    assert_eq!(refused, Some(16));
}

#[test]
fn what_is_too_long_is_not_read_and_the_calls_beside_it_are() {
    let (begin, most) = ("{\"x\":\"", "x".repeat(MOST_ARGUMENT_BYTES));
    let pieces = [
        (Some(0), "a", "add", begin),
        (Some(0), "", "", most.as_str()),
        (Some(0), "", "", most.as_str()),
        (Some(0), "", "", "\"}"),
        (Some(1), "b", "time", "{\"y\":2}"),
    ];
    let calls = assembled(&pieces);
    let kept = calls[0].arguments.as_ref().unwrap_err().len();
    assert_eq!((kept, &calls[1]), (begin.len() + most.len(), &call("time", json!({"y": 2}))));
    let fits = format!("{begin}{}\"}}", "x".repeat(MOST_ARGUMENT_BYTES - begin.len() - 2));
    assert!(assembled(&[(None, "a", "add", &fits)])[0].arguments.is_ok(), "what just fits is read");
}
