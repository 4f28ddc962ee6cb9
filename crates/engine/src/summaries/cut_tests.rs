use super::*;
use domain::{MessageId, Origin, Part, ResultStatus, Role, Timestamp, TurnId};
use serde_json::json;
use uuid::Uuid;

/// A conversation in short: a letter per message, `u` and `a` for words, `c` for a call and `r` for its result; turns are
/// parted by spaces.
fn said(turns: &str) -> Vec<Message> {
    let (mut messages, mut calls, mut results) = (Vec::new(), 0, 0);
    for (turn, words) in (1_u128..).zip(turns.split(' ')) {
        for letter in words.chars() {
            let (role, parts) = match letter {
                'u' => (Role::User, Vec::new()),
                'c' => {
                    calls += 1;
                    (Role::Assistant, vec![call(calls)])
                }
                'r' => {
                    results += 1;
                    (Role::Tool, vec![result(results)])
                }
                _ => (Role::Assistant, Vec::new()),
            };
            let seq = messages.len() as u64 + 1;
            let id = MessageId::from_uuid(Uuid::from_u128(u128::from(seq)));
            let turn = TurnId::from_uuid(Uuid::from_u128(turn));
            messages.push(Message { seq, parts, ..Message::new(id, turn, role, Timestamp::from_millis(0)) });
        }
    }
    messages
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

fn result(number: u128) -> Part {
    let (name, content) = ("look".to_owned(), String::new());
    let call_id = CallId::from_uuid(Uuid::from_u128(number));
    Part::Result { call_id, name, status: ResultStatus::Ok, content }
}

/// How many messages are replaced, of which each weighs one; and whether there is more to do.
fn replaced(turns: &str, all: bool, keep: Keep, most: u64) -> Option<(usize, bool)> {
    let said = said(turns);
    portion(&said, all, keep, most, |_| 1).map(|portion| (portion.replaced.len(), portion.more))
}

/// STAVROBOT-24
#[test]
fn whole_turns_are_replaced_and_the_newest_are_kept() {
    let keep = Keep::Tokens;
    assert_eq!(replaced("ua ua ua ua", true, keep(4), 100), Some((4, false)));
    assert_eq!(replaced("ua ua ua ua", true, keep(5), 100), Some((4, false)), "a turn is kept whole");
    assert_eq!(replaced("ua ua ua ua", true, keep(0), 100), Some((6, false)), "the newest is always kept");
    assert_eq!(replaced("ua ua ua ua", true, keep(8), 100), None, "all of it is kept");
    assert_eq!(replaced("ucra ua", true, keep(2), 100), Some((4, false)));
}

#[test]
fn by_half_something_is_replaced_whatever_may_be_kept() {
    assert_eq!(replaced("ua ua ua ua", true, Keep::Half(100), 100), Some((4, false)));
    assert_eq!(replaced("ua ua", true, Keep::Half(100), 100), Some((2, false)));
    assert_eq!(replaced("ua", true, Keep::Half(100), 100), None);
    let said = portion(&[], true, Keep::Half(100), 100, |_| 1);
    assert_eq!(said, None);
}

#[test]
fn more_than_one_request_can_take_is_replaced_in_portions() {
    assert_eq!(replaced("ua ua ua ua", true, Keep::Tokens(0), 4), Some((4, true)));
    assert_eq!(replaced("ua ua ua ua", true, Keep::Tokens(0), 1), Some((2, true)), "always a turn");
    // The last turn that was read may go on behind it.
    assert_eq!(replaced("ua ua ua", false, Keep::Tokens(100), 100), Some((4, true)));
    assert_eq!(replaced("ua", false, Keep::Tokens(100), 100), None);
}

/// STAVROBOT-37
#[test]
fn a_call_is_not_parted_from_its_result_whatever_the_turns_say() {
    // A person's message between a call and its result is part of the same turn.
    assert_eq!(replaced("ucura ua", true, Keep::Tokens(0), 100), Some((5, false)));
    // A result that stands in a later turn keeps its call with it.
    assert_eq!(replaced("ua uc ra ua", true, Keep::Tokens(2), 100), Some((6, false)));
    assert_eq!(replaced("ua uc ra ua", true, Keep::Tokens(4), 100), Some((2, true)));
    assert_eq!(replaced("uc ra ua", true, Keep::Tokens(4), 100), None);
}
