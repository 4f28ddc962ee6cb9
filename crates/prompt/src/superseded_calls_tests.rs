use super::*;
use domain::{MessageId, Origin, ResultStatus, Role, Timestamp, TurnId};
use uuid::Uuid;

fn call_id(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

fn message(role: Role, parts: Vec<Part>, content: &str) -> Message {
    Message {
        content: content.to_owned(),
        parts,
        ..Message::new(
            MessageId::from_uuid(Uuid::from_u128(1)),
            TurnId::from_uuid(Uuid::from_u128(1)),
            role,
            Timestamp::from_millis(0),
        )
    }
}

fn called(number: u128, name: &str) -> Message {
    let arguments = json!({ "todos": [number as u64] });
    let call = Part::Call {
        call_id: call_id(number),
        name: name.to_owned(),
        arguments,
        origin: Origin::Native,
        element_id: None,
        reference: None,
        target: None,
    };
    message(Role::Assistant, vec![call], "")
}

fn answered(number: u128, name: &str, status: ResultStatus) -> Message {
    let content = format!("list {number}");
    let result =
        Part::Result { call_id: call_id(number), name: name.to_owned(), status, content: content.clone() };
    message(Role::Tool, vec![result], &content)
}

fn pair(number: u128, name: &str) -> [Message; 2] {
    [called(number, name), answered(number, name, ResultStatus::Ok)]
}

fn told(messages: &[Message]) -> Vec<String> {
    messages.iter().flat_map(Message::results).map(|(_, content)| content.to_owned()).collect()
}

fn shortened(mut messages: Vec<Message>) -> Vec<Message> {
    shorten(&mut messages, |name| name == "plan");
    messages
}

#[test]
fn only_the_newest_list_stays_whole() {
    let messages = [pair(1, "plan"), pair(2, "other"), pair(3, "plan"), pair(4, "plan")].concat();
    let shorter = shortened(messages.clone());
    assert_eq!(told(&shorter), [TOLD, "list 2", TOLD, "list 4"]);
    let arguments: Vec<_> = shorter.iter().flat_map(Message::calls).map(|(.., it)| it.clone()).collect();
    assert_eq!(arguments, [json!({}), json!({ "todos": [2] }), json!({}), json!({ "todos": [4] })]);
    assert_eq!(shorter.len(), messages.len(), "no call is split from its result");
    assert!(shorter.iter().all(|message| message.role != Role::Tool || !message.content.is_empty()));
}

#[test]
fn what_failed_or_never_ended_replaces_nothing() {
    let failed = [called(2, "plan"), answered(2, "plan", ResultStatus::Error)];
    let mut messages = [pair(1, "plan"), failed].concat();
    messages.push(called(3, "plan"));
    assert_eq!(shortened(messages.clone()), messages);
}

#[test]
fn one_list_and_none_are_left_alone() {
    assert_eq!(shortened(Vec::new()), Vec::new());
    let messages = pair(1, "plan").to_vec();
    assert_eq!(shortened(messages.clone()), messages);
}
