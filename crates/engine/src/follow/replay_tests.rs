//! What is read from the log, beside what was told when it happened.

use super::*;
use crate::{
    follow::{frame::RecentEvent, log_page::LogPage},
    reply::elements,
};
use domain::{
    Asker, CallId, InputMode, Label, MarkupMode, MarkupSettings, Message, MessageKind, Meta, Origin, Part,
    ResultStatus, Role, Sender, UploadId,
};
use proptest::{
    prelude::*,
    strategy::{Strategy, ValueTree as _},
    test_runner::TestRunner,
};
use store::log::EventFilter;

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

fn call() -> CallId {
    CallId::from_uuid(Uuid::from_u128(6))
}

/// With and without markup, and with what JSON escapes.
fn contents() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "words ",
        "\"so\"\n",
        "\u{1}",
        "世界",
        "\\",
        "`code`",
        "<todo>",
        "</todo>",
        "@system(\"a\")",
        "```json\n[]\n```",
    ]);
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn parts(content: String) -> impl Strategy<Value = Vec<Part>> {
    let upload_id = UploadId::from_uuid(Uuid::from_u128(9));
    let result = Part::Result {
        call_id: call(),
        name: "look".to_owned(),
        status: ResultStatus::Ok,
        content: content.clone(),
    };
    let made = Part::Call {
        call_id: call(),
        name: "look".to_owned(),
        arguments: serde_json::json!({ "text": "a" }),
        origin: Origin::Element,
        element_id: Some("1".to_owned()),
        target: None,
        reference: None,
    };
    let native = Part::Native { model: "a/b".to_owned(), json: serde_json::json!([1]), replaces: 0 };
    let thinks = contents().prop_map(|text| Part::Thinking { text });
    let part = prop_oneof![
        8 => Just(Part::Text { text: content }),
        4 => contents().prop_map(|text| Part::Text { text }),
        4 => thinks,
        1 => prop::sample::select(vec![Part::Image { upload_id }, result, made, native]),
    ];
    prop::collection::vec(part, 0..4)
}

fn details() -> impl Strategy<Value = (Meta, Option<Sender>, Option<Asker>)> {
    let asker = Asker {
        agent_id: domain::AgentId::from_uuid(Uuid::from_u128(3)),
        name: "cook".to_owned(),
        session_id: SessionId::from_uuid(Uuid::from_u128(4)),
        waits: true,
    };
    let sender = Sender { source: "signal".to_owned(), name: Some("Bob \"B\"".to_owned()) };
    let shown = prop::option::weighted(0.1, Just(Box::from("instead <todo>")));
    let kind = prop::option::of(prop::sample::select(vec![MessageKind::Limit, MessageKind::Reminder]));
    let meta = (shown, prop::option::of(Just(Box::from("a/b"))), kind, prop::option::of(0..5_u32));
    let meta = meta.prop_map(|(shown, model, kind, duration)| Meta {
        duration,
        kind,
        number: kind.filter(|kind| *kind == MessageKind::Reminder).map(|_| 7),
        shown,
        model,
        order: Vec::new(),
    });
    (meta, prop::option::of(Just(sender)), prop::option::of(Just(asker)))
}

/// Messages as they may be stored.
fn messages() -> impl Strategy<Value = Message> {
    let role = prop::sample::select(vec![
        Role::User,
        Role::User,
        Role::Assistant,
        Role::Assistant,
        Role::System,
        Role::Tool,
    ]);
    let markup = prop::option::of((
        prop::sample::select(vec![MarkupMode::Off, MarkupMode::Display, MarkupMode::On]),
        any::<bool>(),
    ));
    let label = prop::sample::select(vec![Label::TRUSTED_PRIVATE, Label::UNTRUSTED_PUBLIC]);
    let reason = prop::option::of(prop::sample::select(vec![StopReason::Completed, StopReason::Length]));
    let usage = prop::option::of(Just(Usage { input_tokens: 1, ..Usage::default() }));
    let answered = prop::bool::weighted(0.1);
    let worded = contents().prop_flat_map(|content| (Just(content.clone()), parts(content)));
    let all = (role, worded, details(), markup, label, reason, usage, answered);
    all.prop_map(
        |(role, (content, parts), (meta, sender, asker), markup, label, stop_reason, usage, answered)| {
            let turn = TurnId::from_uuid(Uuid::from_u128(5));
            Message {
                content,
                parts,
                meta,
                sender,
                asker,
                markup: markup.map(|(mode, assertions)| MarkupSettings { mode, assertions }),
                label,
                stop_reason,
                usage,
                answers: answered.then(|| ("a".to_owned(), "b".to_owned())).into_iter().collect(),
                ..Message::new(message(), turn, role, domain::Timestamp::from_millis(7))
            }
        },
    )
}

/// The words of most messages are copied from the log. To the byte it is what comes of reading them.
#[tokio::test]
async fn what_is_copied_is_what_is_read() {
    const COUNT: u32 = 600;
    let scene = Scene::new().await;
    let mut runner = TestRunner::deterministic();
    let generated: Vec<Message> =
        (0..COUNT).map(|_| messages().new_tree(&mut runner).unwrap().current()).collect();
    let ids = |(number, message): (u128, Message)| {
        Entry::Message(Message { id: MessageId::from_uuid(Uuid::from_u128(number)), ..message })
    };
    let entries: Vec<Entry> = (100..).zip(generated).map(ids).collect();
    let (user, session, now) = (scene.user, scene.session, scene.engine.now());
    let key = scene.engine.store().data_key(user).await.unwrap();
    let sealing = key.clone();
    let write = move |tx: &mut store::Tx| {
        let numbers = sessions::take_seq(tx, user, session, u64::from(COUNT), now)?;
        log::append(tx, &sealing, numbers, now, entries)
    };
    scene.engine.store().write(write).await.unwrap();
    let engine = scene.engine.clone();
    let read = move |tx: &mut store::Tx| {
        let read = log::read(tx, &key, session, 0, COUNT, EventFilter::default())?;
        let mut page = LogPage::new(engine.registry(), session, Default::default());
        log::visit(tx, &key, session, (0, COUNT), EventFilter::default(), &mut |event| page.add(event))?;
        Ok((read.events, page.copied, page.finish()))
    };
    let (events, copied, replayed) = scene.engine.store().read(read).await.unwrap();
    assert_eq!((events.len(), replayed.len()), (COUNT as usize, COUNT as usize));
    for (mut event, replayed) in events.into_iter().zip(replayed) {
        event.body = elements::shown(event.body);
        let recent = Arc::new(RecentEvent::new(&event));
        assert!(!recent.is_written());
        let told = recent.durable(scene.engine.registry()).unwrap();
        assert!(recent.is_written(), "and only that is kept of it");
        assert_eq!(replayed.frame().json().unwrap(), told.frame().json().unwrap());
        assert_eq!((replayed.kind, replayed.seq), (told.kind, told.seq));
        assert_eq!(replayed.facts().unwrap(), told.facts().unwrap());
    }
    assert!((100..500).contains(&copied), "both ways are tried: {copied} were copied");
}
