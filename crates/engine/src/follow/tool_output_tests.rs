use super::*;
use domain::{ResultStatus, SessionId, Timestamp};
use uuid::Uuid;

fn call(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

fn turn() -> TurnId {
    TurnId::from_uuid(Uuid::from_u128(9))
}

fn result_of(number: u128) -> Event {
    Event {
        seq: 1,
        session_id: SessionId::from_uuid(Uuid::from_u128(8)),
        turn_id: Some(turn()),
        at: Timestamp::from_millis(0),
        body: EventBody::ToolResult {
            call_id: call(number),
            name: "bash".to_owned(),
            status: ResultStatus::Ok,
            content: "done".to_owned(),
            order: Vec::new(),
            offset: None,
        },
    }
}

fn said(heard: &[OutputPiece]) -> Vec<(u64, &str)> {
    heard.iter().map(|heard| (heard.offset, heard.text.as_str())).collect()
}

#[test]
fn a_reader_is_told_everything_once_and_a_new_one_all_of_it() {
    let (mut outputs, mut had) = (CallOutputs::default(), Had::default());
    outputs.push(call(1), turn(), "one ");
    outputs.push(call(2), turn(), "zwei ");
    let heard = outputs.after(&had);
    assert_eq!(said(&heard), [(0, "one "), (0, "zwei ")]);
    heard.iter().for_each(|heard| had.add(heard));
    assert!(outputs.after(&had).is_empty());
    outputs.push(call(1), turn(), "two");
    assert_eq!(said(&outputs.after(&had)), [(4, "two")]);
    assert_eq!(said(&outputs.after(&Had::default())), [(0, "one two"), (0, "zwei ")]);
}

#[test]
fn what_has_its_result_is_silent() {
    let mut outputs = CallOutputs::default();
    outputs.push(call(1), turn(), "one");
    outputs.push(call(2), turn(), "two");
    outputs.note(&result_of(1));
    assert_eq!(said(&outputs.after(&Had::default())), [(0, "two")]);
    outputs.note(&result_of(2));
    assert!(outputs.after(&Had::default()).is_empty());
}

#[test]
fn nobody_fills_the_memory() {
    let mut outputs = CallOutputs::default();
    for _ in 0..1_000 {
        outputs.push(call(1), turn(), &"x".repeat(1 << 10));
    }
    assert_eq!(outputs.after(&Had::default())[0].text.len(), MOST_BYTES);
    assert!(!outputs.push(call(2), turn(), &"x".repeat(MOST_BYTES + 1)), "it does not fit");
    assert!(!outputs.push(call(2), turn(), "x"), "and nothing that comes behind it is told");
    assert_eq!(outputs.after(&Had::default()).len(), 1);
}
