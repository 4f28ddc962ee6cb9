use super::*;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

fn ids(number: u128) -> (AgentId, SessionId, CallId) {
    let id = Uuid::from_u128(number);
    (AgentId::from_uuid(id), SessionId::from_uuid(id), CallId::from_uuid(id))
}

#[test]
fn one_spelling_for_one_value() {
    let one = r#"{ "b": [1, 1.0, "x\u0041"], "a": {"d": null, "c": true} }"#;
    let other = r#"{"a":{"c":true,"d":null},"b":[1,1.0,"xA"]}"#;
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(canonical(&read(one)), other);
    assert!(same(&read(one), &read(other)));
    assert!(!same(&json!({ "n": 1 }), &json!({ "n": 1.0 })), "a number stays as it is");
    assert!(!same(&json!({ "n": "1" }), &json!({ "n": 1 })));
}

#[test]
fn a_digest_names_one_call_and_no_other() {
    let (agent, session, call) = ids(1);
    let (other_agent, other_session, other_call) = ids(2);
    let arguments = json!({ "command": "ls" });
    let first = digest("bash", agent, session, call, &arguments);
    assert_eq!(first.len(), 64);
    assert_eq!(first, digest("bash", agent, session, call, &arguments));
    for other in [
        digest("bash2", agent, session, call, &arguments),
        digest("bash", other_agent, session, call, &arguments),
        digest("bash", agent, other_session, call, &arguments),
        digest("bash", agent, session, other_call, &arguments),
        digest("bash", agent, session, call, &json!({ "command": "ls " })),
        digest("bash", agent, session, call, &json!({})),
    ] {
        assert_ne!(other, first);
    }
}

proptest! {
    #[test]
    fn reading_the_canonical_form_gives_the_value_back(text in ".*", number in any::<i64>()) {
        let value = json!({ "t": text, "n": number, "l": [text, { "x": number }] });
        let read: Value = serde_json::from_str(&canonical(&value)).unwrap();
        prop_assert_eq!(&read, &value);
        prop_assert_eq!(canonical(&read), canonical(&value));
    }
}
