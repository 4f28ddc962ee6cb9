use super::*;
use domain::{MessageId, Origin, ResultStatus, Role, Timestamp, TurnId};
use serde_json::Value;
use uuid::Uuid;

fn call(number: u128) -> CallId {
    CallId::from_uuid(Uuid::from_u128(number))
}

fn message(seq: u64, role: Role, parts: Vec<Part>) -> Message {
    let (id, turn) = (MessageId::from_uuid(Uuid::from_u128(seq.into())), TurnId::from_uuid(Uuid::nil()));
    let mut message = Message::new(id, turn, role, Timestamp::from_millis(0));
    message.seq = seq;
    message.parts = parts;
    message
}

fn asks(seq: u64, numbers: &[u128]) -> Message {
    let part = |number: &u128| Part::Call {
        call_id: call(*number),
        name: "look".to_owned(),
        arguments: Value::Null,
        origin: Origin::Element,
        element_id: None,
        target: None,
        reference: None,
    };
    message(seq, Role::Assistant, numbers.iter().map(part).collect())
}

/// While its message was being written.
fn early(seq: u64, number: u128) -> Message {
    Message { offset: Some(1), ..came(seq, number) }
}

fn came(seq: u64, number: u128) -> Message {
    let (name, content) = ("look".to_owned(), String::new());
    let part = Part::Result { call_id: call(number), name, status: ResultStatus::Ok, content };
    message(seq, Role::Tool, vec![part])
}

fn page(items: Vec<Message>, more: bool, forward: bool) -> (Vec<u64>, Option<String>) {
    let total = 99;
    let next_cursor = more.then(|| "0".to_owned());
    let page = in_order(Paged { items, total, total_is_more: false, next_cursor }, forward);
    (page.items.iter().map(|message| message.seq).collect(), page.next_cursor)
}

fn said(seq: u64) -> Message {
    message(seq, Role::User, Vec::new())
}

#[test]
fn a_result_stands_behind_the_message_that_made_the_call() {
    let turn = vec![said(1), early(3, 1), early(4, 2), asks(6, &[1, 2, 3]), came(8, 3), asks(10, &[])];
    assert_eq!(page(turn, false, false).0, [1, 6, 3, 4, 8, 10]);
    let native = vec![said(1), asks(2, &[1]), came(3, 1), asks(4, &[2]), came(5, 2)];
    assert_eq!(page(native, false, false).0, [1, 2, 3, 4, 5]);
    // Its message is still being written.
    assert_eq!(page(vec![said(1), early(3, 1)], false, false).0, [1, 3]);
}

#[test]
fn a_page_is_cut_where_nothing_is_parted() {
    let (one, two, next) = (early(3, 1), early(4, 2), asks(10, &[]));
    let newest = vec![two.clone(), asks(6, &[1, 2]), next.clone()];
    assert_eq!(page(newest, true, false), (vec![10], Some("10".to_owned())));
    let before = vec![said(1), one.clone(), two.clone(), asks(6, &[1, 2])];
    assert_eq!(page(before, true, false), (vec![1, 6, 3, 4], Some("1".to_owned())));
    let forward = vec![said(1), one.clone(), two.clone()];
    assert_eq!(page(forward, true, true), (vec![1], Some("1".to_owned())));
    assert_eq!(page(vec![one.clone(), two], true, true).0, [3, 4], "a page is never empty");
    assert_eq!(page(vec![asks(6, &[1, 2])], true, false).0, [6]);
    let whole = vec![said(1), one, asks(6, &[1]), next];
    assert_eq!(page(whole, true, true), (vec![1, 6, 3, 10], Some("10".to_owned())));
}
