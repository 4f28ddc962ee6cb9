use super::*;
use domain::{MessageId, Origin, ResultStatus, Timestamp};
use serde_json::json;
use uuid::Uuid;

fn turn(number: u128) -> TurnId {
    TurnId::from_uuid(Uuid::from_u128(number))
}

fn message(number: u128, role: Role, content: String, parts: Vec<Part>) -> Message {
    let id = MessageId::from_uuid(Uuid::now_v7());
    Message { content, parts, ..Message::new(id, turn(number), role, Timestamp::from_millis(0)) }
}

fn call(number: u128) -> Part {
    Part::Call {
        call_id: CallId::from_uuid(Uuid::from_u128(number)),
        name: "look".to_owned(),
        arguments: json!({}),
        origin: Origin::Native,
        element_id: None,
        target: None,
        reference: None,
    }
}

fn result(turn: u128, number: u128, length: usize) -> Message {
    let (name, content) = ("look".to_owned(), "r".repeat(length));
    let call_id = CallId::from_uuid(Uuid::from_u128(number));
    let part = Part::Result { call_id, name, status: ResultStatus::Ok, content: content.clone() };
    message(turn, Role::Tool, content, vec![part])
}

fn spoken(turn: u128, role: Role, length: usize) -> Message {
    message(turn, role, "w".repeat(length), Vec::new())
}

fn lengths(messages: &[Message]) -> Vec<usize> {
    messages.iter().map(|message| message.content.len()).collect()
}

fn bytes(message: &Message) -> u64 {
    message.content.len() as u64
}

#[test]
fn what_fits_is_not_touched() {
    let mut messages = vec![spoken(1, Role::User, 50_000), spoken(2, Role::User, 50_000)];
    assert!(!shorten(&mut messages, 100_000, turn(2), bytes));
    assert_eq!(lengths(&messages), [50_000, 50_000]);
}

#[test]
fn the_longest_are_cut_first_and_no_more_than_is_needed() {
    let mut messages =
        vec![spoken(1, Role::User, 3_000), result(1, 1, 60_000), spoken(1, Role::Assistant, 9_000)];
    assert!(shorten(&mut messages, 30_000, turn(2), bytes));
    assert_eq!(lengths(&messages), [3_000, 16_000, 9_000]);
    assert!(messages[1].content.ends_with(TRUNCATED));
    let Part::Result { content, .. } = &messages[1].parts[0] else { panic!("no result") };
    assert_eq!(*content, messages[1].content, "what is told is what was weighed");
    // The same words are cut at the same place next time.
    let before = messages.clone();
    assert!(!shorten(&mut messages, 30_000, turn(2), bytes));
    assert_eq!(messages, before);
}

#[test]
fn what_people_say_now_and_what_was_just_asked_for_stays_whole() {
    let calls = |number| message(2, Role::Assistant, String::new(), vec![call(number)]);
    let mut messages = vec![
        spoken(1, Role::User, 10_000),
        spoken(2, Role::User, 40_000),
        calls(7),
        result(2, 7, 30_000),
        calls(8),
        result(2, 8, 30_000),
    ];
    assert!(shorten(&mut messages, 10, turn(2), bytes));
    assert_eq!(lengths(&messages), [2_000, 40_000, 0, 2_000, 0, 30_000]);
}

#[test]
fn nothing_is_cut_inside_of_a_character() {
    let mut messages = vec![message(1, Role::User, "ö".repeat(40_000), Vec::new())];
    assert!(shorten(&mut messages, 10, turn(2), bytes));
    assert!(messages[0].content.len() <= 2_000 && messages[0].content.ends_with("ö\n[truncated]"));
}
