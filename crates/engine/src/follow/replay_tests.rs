//! What is read from the log, beside what was told when it happened.

use super::*;
use domain::{CallId, InputMode, Message, Origin, Part, ResultStatus, Role};

/// Every kind of entry that a turn makes, and some with words that JSON has to escape.
fn entries() -> Vec<Entry> {
    let turn = TurnId::from_uuid(Uuid::from_u128(5));
    let call_id = CallId::from_uuid(Uuid::from_u128(6));
    let said = |role: Role, content: &str, part: Part| Message {
        content: content.to_owned(),
        parts: vec![part],
        stop_reason: (role == Role::Assistant).then_some(StopReason::Completed),
        markup: (role == Role::Assistant).then(Default::default),
        ..Message::new(message(), turn, role, domain::Timestamp::from_millis(7))
    };
    let words = "He said \"so\",\n<thinking>and</thinking> left. 世界";
    let text = Part::Text { text: words.to_owned() };
    let result = Part::Result {
        call_id,
        name: "look".to_owned(),
        status: ResultStatus::Ok,
        content: words.to_owned(),
    };
    let bodies = [
        EventBody::TurnStarted { source: Source::Web, attempt: 1 },
        status(),
        EventBody::InputAccepted {
            input_id: domain::InputId::from_uuid(Uuid::from_u128(8)),
            turn_id: turn,
            mode: InputMode::Queue,
            source: Source::Web,
        },
        EventBody::ToolUseStart {
            message_id: message(),
            call_id,
            name: "look".to_owned(),
            origin: Origin::Native,
            element_id: None,
            arguments: serde_json::json!({ "z": [1.5, words], "a": { "y": null, "b": true } }),
            offset: Some(3),
        },
        EventBody::SessionUpdated(serde_json::json!({ "name": words })),
        EventBody::Usage(Usage::default()),
        EventBody::TurnEnded { outcome: TurnOutcome::Completed, error: None, usage: Usage::default() },
    ];
    let events = bodies.into_iter().map(|body| Entry::Event { turn_id: Some(turn), body });
    let untold = Entry::Event { turn_id: None, body: status() };
    let messages = [
        said(Role::User, words, text.clone()),
        said(Role::Assistant, words, text),
        said(Role::Tool, words, result),
    ];
    events.chain([untold]).chain(messages.map(Entry::Message)).collect()
}

/// What is copied from the log to a client is to the byte what clients were told when it happened.
#[tokio::test]
async fn what_is_replayed_is_what_was_told() {
    let scene = Scene::new().await;
    let mut live = scene.whole_log().await;
    let mut told = Vec::new();
    for entry in entries() {
        let mut event = scene.commit_entry(entry).await;
        event.body = crate::reply::elements::shown(event.body);
        scene.publish(&[&event]);
        let frame = next_frame(&mut live).await;
        // The whole way over the objects, for comparison.
        assert_eq!(frame.json().unwrap(), serde_json::to_string(&frame.envelope().unwrap()).unwrap());
        told.push(frame.json().unwrap());
    }
    // With its last reader the feed is gone, so a new one reads the log.
    drop(live);
    let mut replay = scene.whole_log().await;
    for told in told {
        assert_eq!(next_frame(&mut replay).await.json().unwrap(), told);
    }
    assert!(has_nothing(&mut replay));
}
