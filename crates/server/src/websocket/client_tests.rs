use super::*;
use serde_json::{Map, Value, json};

const SESSION: &str = "session_01980000000070008000000000000001";
const UPLOAD: &str = "upload_01980000000070008000000000000002";
const APPROVAL: &str = "approval_01980000000070008000000000000004";
const QUESTION: &str = "question_01980000000070008000000000000003";

fn question_response() -> ClientMessage {
    ClientMessage::QuestionResponse { question_id: QUESTION.parse().unwrap(), answer: "yes".to_owned() }
}

fn messages() -> Vec<Value> {
    vec![
        json!({ "type": "subscribe", "session_id": SESSION, "after": "41.1380" }),
        json!({ "type": "unsubscribe", "session_id": SESSION }),
        json!({
            "type": "send", "session_id": SESSION, "content": "Hi", "mode": "steer", "attachments": [{ "upload_id": UPLOAD }],
            "idempotency_key": "k", "answers": { "question_id": QUESTION }
        }),
        json!({ "type": "abort", "session_id": SESSION }),
        json!({ "type": "question_response", "question_id": QUESTION, "answer": "yes" }),
        json!({
            "type": "approval_response", "approval_id": APPROVAL, "decision": "approve", "scope": "once",
            "digest": "d", "reason": "because"
        }),
        json!({ "type": "ping" }),
    ]
}

/// Fields that may be absent, and null.
const OPTIONAL: [&str; 6] = ["after", "mode", "attachments", "answers", "scope", "reason"];

fn read(message: &Value) -> Result<ClientMessage, Problem> {
    understand(&message.to_string()).1
}

fn code(message: &Value) -> &'static str {
    read(message).unwrap_err().code
}

fn with(message: &Value, change: impl FnOnce(&mut Map<String, Value>)) -> Value {
    let mut changed = message.clone();
    change(changed.as_object_mut().unwrap());
    changed
}

fn approval_response() -> ClientMessage {
    let answer = ApprovalAnswer {
        decision: ApprovalDecision::Approve,
        scope: RuleScope::Once,
        digest: "d".to_owned(),
        reason: Some("because".to_owned()),
    };
    ClientMessage::ApprovalResponse { approval_id: APPROVAL.parse().unwrap(), answer }
}

#[test]
fn every_message_is_understood() {
    let session_id = SESSION.parse().unwrap();
    let start = Start::After(Cursor { seq: 41, offset: 1380 });
    let send = Outgoing {
        session_id,
        content: "Hi".to_owned(),
        attachments: vec![UPLOAD.parse().unwrap()],
        mode: InputMode::Steer,
        answers: Some(Answers::QuestionId(QUESTION.parse().unwrap())),
        idempotency_key: Some("k".to_owned()),
        typed: false,
        model: None,
    };
    let expected = [
        ClientMessage::Subscribe { session_id, start },
        ClientMessage::Unsubscribe { session_id },
        ClientMessage::Send(send),
        ClientMessage::Abort { session_id },
        question_response(),
        approval_response(),
        ClientMessage::Ping,
    ];
    for (message, expected) in messages().iter().zip(expected) {
        assert_eq!(read(message).unwrap(), expected);
    }
    let other_name = json!({ "type": "question_answer", "question_id": QUESTION, "answer": "yes" });
    assert_eq!(read(&other_name).unwrap(), question_response());
}

#[test]
fn a_command_needs_no_more_than_its_line() {
    let line = "/session list".to_owned();
    let alone = json!({ "type": "command", "line": line });
    let typed = TypedCommand { session_id: None, line: line.clone(), idempotency_key: None };
    assert_eq!(read(&alone).unwrap(), ClientMessage::Command(typed));
    let whole = json!({ "type": "command", "line": line, "session_id": SESSION, "idempotency_key": "k" });
    let (session_id, idempotency_key) = (Some(SESSION.parse().unwrap()), Some("k".to_owned()));
    assert_eq!(
        read(&whole).unwrap(),
        ClientMessage::Command(TypedCommand { session_id, line, idempotency_key })
    );
    assert_eq!(code(&json!({ "type": "command" })), "bad_field");
    assert_eq!(code(&json!({ "type": "command", "line": ["x"] })), "bad_field");
    assert_eq!(code(&json!({ "type": "command", "line": "x", "session_id": "y" })), "not_found");
    assert_eq!(code(&json!({ "type": "command", "line": "x".repeat(SMALL) })), "too_large");
}

#[test]
fn where_to_begin_is_said_in_three_ways() {
    let subscribe = |after: Value| {
        let message = json!({ "type": "subscribe", "session_id": SESSION, "after": after });
        read(&message).map(|message| match message {
            ClientMessage::Subscribe { start, .. } => start,
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(subscribe(json!(null)).unwrap(), Start::Now);
    for after in [json!(7), json!("7"), json!("7.0")] {
        assert_eq!(subscribe(after).unwrap(), Start::After(Cursor { seq: 7, offset: 0 }));
    }
    for after in ["", "x", "-1", "1.2.3", "7.", "99999999999999999999"] {
        assert_eq!(subscribe(json!(after)).unwrap_err().code, "bad_cursor", "{after}");
    }
    for after in [json!(-1), json!(1.5), json!([]), json!({}), json!(true)] {
        assert_eq!(subscribe(after.clone()).unwrap_err().code, "bad_field", "{after}");
    }
}

#[test]
fn every_field_is_needed_unless_it_is_not() {
    for message in messages() {
        for field in message.as_object().unwrap().keys() {
            let absent = with(&message, |fields| drop(fields.remove(field)));
            let null = with(&message, |fields| drop(fields.insert(field.clone(), Value::Null)));
            if OPTIONAL.contains(&field.as_str()) {
                assert!(read(&absent).is_ok(), "{absent}");
                assert!(read(&null).is_ok(), "{null}");
                continue;
            }
            assert_eq!(code(&absent), "bad_field", "{absent}");
            assert_eq!(code(&null), "bad_field", "{null}");
        }
    }
}

#[test]
fn every_field_has_its_type() {
    for message in messages() {
        for field in message.as_object().unwrap().keys() {
            for wrong in [json!(true), json!(1.5), json!({ "a": 1 }), json!([[1]])] {
                let changed = with(&message, |fields| drop(fields.insert(field.clone(), wrong)));
                assert_eq!(code(&changed), "bad_field", "{changed}");
            }
        }
        let further = with(&message, |fields| drop(fields.insert("scopes".to_owned(), json!(["full"]))));
        assert_eq!(code(&further), "bad_field", "{further}");
    }
}

#[test]
fn a_field_that_comes_twice_is_refused() {
    for message in messages() {
        let text = message.to_string();
        for (field, value) in message.as_object().unwrap() {
            let doubled = format!("{},\"{field}\":{value}}}", &text[..text.len() - 1]);
            assert_eq!(understand(&doubled).1.unwrap_err().code, "bad_field", "{doubled}");
        }
    }
}

#[test]
fn strange_characters_are_words_or_name_nothing() {
    for strange in ["\u{0}", "\u{202e}", "\u{feff}", "é", "👋"] {
        let send = with(&messages()[2], |fields| drop(fields.insert("content".to_owned(), json!(strange))));
        assert!(matches!(read(&send), Ok(ClientMessage::Send(outgoing)) if outgoing.content == strange));
        let named = with(&messages()[0], |fields| {
            drop(fields.insert("session_id".to_owned(), json!(format!("{SESSION}{strange}"))));
        });
        assert_eq!(code(&named), "not_found");
    }
    for text in [
        format!(r#"{{"type":"abort","session_id":"{SESSION}\ud800"}}"#),
        r#"{"type":"\udfff"}"#.to_owned(),
        r#"{"type":"ping\ud800\u0041"}"#.to_owned(),
    ] {
        assert_eq!(understand(&text).1.unwrap_err().status.as_u16(), 400, "{text}");
    }
}

#[test]
fn what_is_no_object_is_refused() {
    for (text, code) in [
        ("", "bad_json"),
        ("{", "bad_json"),
        ("not json", "bad_json"),
        ("{\"type\":\"ping\"} {}", "bad_json"),
        ("[]", "bad_field"),
        ("null", "bad_field"),
        ("\"ping\"", "bad_field"),
        ("[\"ping\"]", "bad_field"),
        ("{}", "bad_field"),
        ("{\"type\":\"hello\",\"scopes\":[\"full\"]}", "unknown_type"),
        ("{\"type\":\"PING\"}", "unknown_type"),
        ("{\"type\":\"\"}", "unknown_type"),
    ] {
        let (_, outcome) = understand(text);
        assert_eq!(outcome.unwrap_err().code, code, "{text}");
    }
    let deep = format!("{{\"type\":\"ping\",\"x\":{}", "[".repeat(100_000));
    assert_eq!(understand(&deep).1.unwrap_err().code, "bad_json");
}

#[test]
fn only_words_may_be_long() {
    let long = "x".repeat(SMALL);
    let send = with(&messages()[2], |fields| drop(fields.insert("content".to_owned(), json!(long))));
    assert!(read(&send).is_ok());
    for index in [0, 1, 3, 4, 5, 6] {
        let padded = with(&messages()[index], |fields| drop(fields.insert("answer".to_owned(), json!(long))));
        assert_eq!(code(&padded), "too_large");
    }
}

#[test]
fn a_refusal_says_what_it_refuses() {
    let text = format!(r#"{{"type":"send","session_id":"{SESSION}","idempotency_key":"k","content":5}}"#);
    let (about, outcome) = understand(&text);
    assert_eq!(outcome.unwrap_err().code, "bad_field");
    let expected = About {
        of: Some("send".to_owned()),
        session_id: Some(SESSION.to_owned()),
        idempotency_key: Some("k".to_owned()),
    };
    assert_eq!(about, expected);
    let (about, _) =
        understand(&json!({ "type": "x".repeat(500), "session_id": "y".repeat(500) }).to_string());
    assert_eq!(about, About { of: Some("x".repeat(64)), ..About::default() });
}
