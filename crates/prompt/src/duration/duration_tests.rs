use super::unexpired;
use domain::{CallId, Message, MessageId, Meta, Origin, Part, ResultStatus, Role, Timestamp, TurnId};
use serde_json::json;
use uuid::Uuid;

fn message(seq: u64, role: Role, duration: Option<u32>, parts: Vec<Part>) -> Message {
    Message {
        seq,
        content: format!("{seq}"),
        parts,
        meta: Meta { duration, ..Meta::default() },
        ..Message::new(
            MessageId::from_uuid(Uuid::from_u128(u128::from(seq))),
            TurnId::from_uuid(Uuid::from_u128(1)),
            role,
            Timestamp::from_millis(0),
        )
    }
}

fn call(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

fn calls(numbers: &[u128]) -> Vec<Part> {
    let part = |number: &u128| Part::Call {
        call_id: call(*number),
        name: "look".to_owned(),
        arguments: json!({}),
        origin: Origin::Native,
        element_id: None,
        target: None,
        reference: None,
    };
    numbers.iter().map(part).collect()
}

fn result(number: u128) -> Vec<Part> {
    let (name, content) = ("look".to_owned(), String::new());
    vec![Part::Result { call_id: call(number), name, status: ResultStatus::Ok, content }]
}

/// A transcript by role, duration and parts; answers with the numbers of those that are left.
fn left(messages: Vec<(Role, Option<u32>, Vec<Part>)>) -> Vec<u64> {
    let numbered =
        (1..).zip(messages).map(|(seq, (role, duration, parts))| message(seq, role, duration, parts));
    unexpired(numbered.collect()).into_iter().map(|message| message.seq).collect()
}

/// TIDGI-50
#[test]
fn a_message_takes_part_in_as_many_model_calls_as_it_says() {
    let talk = |duration| {
        move |later: usize| {
            let mut all = vec![(Role::User, duration, Vec::new())];
            for _ in 0..later {
                all.push((Role::Assistant, None, Vec::new()));
                all.push((Role::User, None, Vec::new()));
            }
            left(all).contains(&1)
        }
    };
    assert_eq!([0, 1, 2].map(talk(Some(0))), [false, false, false], "in none");
    assert_eq!([0, 1, 2].map(talk(Some(1))), [true, false, false], "in the next one");
    assert_eq!([0, 1, 2].map(talk(Some(2))), [true, true, false], "rounds are counted, not messages");
    assert_eq!([0, 1, 2].map(talk(None)), [true, true, true], "in all");
}

/// TIDGI-51
#[test]
fn a_call_and_its_result_stay_or_go_together() {
    let pair = |number, duration| {
        [(Role::Assistant, duration, calls(&[number])), (Role::Tool, duration, result(number))]
    };
    let end = (Role::Assistant, None, Vec::new());
    assert_eq!(left(pair(1, Some(1)).to_vec()), [1, 2], "the next call sees both");
    assert_eq!(
        left([pair(1, Some(1)).to_vec(), vec![end.clone()]].concat()),
        [3],
        "the one after it neither"
    );
    // Two calls of one tool: each goes with its own result.
    let two = [pair(1, Some(1)).to_vec(), pair(2, Some(1)).to_vec()].concat();
    assert_eq!(left(two), [3, 4]);
}

/// TIDGI-51
#[test]
fn the_longest_life_counts_for_a_call_and_all_its_results() {
    let one = |first, second| {
        vec![
            (Role::Assistant, Some(1), calls(&[1, 2])),
            (Role::Tool, first, result(1)),
            (Role::Tool, second, result(2)),
            (Role::Assistant, None, Vec::new()),
        ]
    };
    assert_eq!(left(one(Some(1), Some(1))), [4]);
    assert_eq!(left(one(Some(1), Some(2))), [1, 2, 3, 4]);
    assert_eq!(left(one(Some(1), None)), [1, 2, 3, 4]);
}

/// TIDGI-51
#[test]
fn a_result_that_was_stored_before_its_message_goes_with_it() {
    let early = vec![(Role::Tool, Some(1), result(1)), (Role::Assistant, Some(1), calls(&[1]))];
    assert_eq!(left(early.clone()), [1, 2]);
    assert_eq!(left([early, vec![(Role::Assistant, None, Vec::new())]].concat()), [3]);
}
