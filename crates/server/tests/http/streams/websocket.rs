//! The WebSocket, once it is open: what each message does.

use crate::support::{House, Socket, refusal};
use domain::{Scope, UserRole};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};
use testkit::model::Reply;
use tokio::sync::Notify;

async fn connect(house: &House) -> Socket {
    house.socket_of(&house.key).await
}

fn types(told: &[Value]) -> Vec<&str> {
    let mut types: Vec<&str> = told.iter().map(|told| told["type"].as_str().unwrap()).collect();
    types.dedup();
    types
}

fn text(told: &[Value]) -> String {
    let pieces = told.iter().filter(|told| told["type"] == "text");
    pieces.map(|told| told["data"]["text"].as_str().unwrap()).collect()
}

async fn say(house: &House, session: &str, content: &str) {
    let path = format!("/v1/sessions/{session}/messages");
    house.call("POST", &path).json(&json!({ "content": content })).send().await.expect(200);
}

#[tokio::test]
async fn hello_says_who_is_there_and_how_their_sessions_stand() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let (first, second, archived) = (house.session().await, house.session().await, house.session().await);
    say(&house, &first, "Hi").await;
    house.call("POST", &format!("/v1/sessions/{archived}/archive")).send().await.expect(200);
    let (_, other) = house.person("Bob", UserRole::Member).await;
    let hello = connect(&house).await.hello;
    assert_eq!(hello["user"]["name"], "Ada");
    assert_eq!(hello["user"]["role"], "owner");
    let expected = json!([
        { "session_id": first, "last_seq": 9, "status": "idle" },
        { "session_id": second, "last_seq": 0, "status": "idle" },
    ]);
    assert_eq!(hello["sessions"], expected);
    assert_eq!(house.socket_of(&other).await.hello["sessions"], json!([]));
}

#[tokio::test]
async fn a_message_is_sent_and_its_turn_followed() {
    let house = House::new().await;
    let session = house.session().await;
    // Whoever reads when the message is complete gets it without its live text.
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::pieces(["Hel", "lo"]).gate_after_pieces(2, gate.clone()));
    let mut socket = connect(&house).await;
    let ack = socket.subscribe(&session, None).await;
    assert_eq!(ack, json!({ "type": "ack", "of": "subscribe", "session_id": session, "cursor": "0.0" }));
    socket
        .say(&json!({ "type": "send", "session_id": session, "content": "Hi", "idempotency_key": "k1" }))
        .await;
    let mut told = Vec::new();
    while text(&told) != "Hello" {
        told.push(socket.next().await);
    }
    gate.notify_one();
    told.extend(socket.until("turn_ended").await);
    let ack = told.iter().find(|told| told["type"] == "ack").unwrap().clone();
    let turn = &ack["turn_id"];
    assert_eq!(
        ack,
        json!({ "type": "ack", "of": "send", "session_id": session, "idempotency_key": "k1", "turn_id": turn })
    );
    let events: Vec<Value> = told.into_iter().filter(|told| told["type"] != "ack").collect();
    assert_eq!(
        types(&events),
        [
            "input_accepted",
            "turn_started",
            "user_message",
            "agent_status",
            "message_start",
            "text",
            "message_complete",
            "usage",
            "agent_status",
            "turn_ended"
        ]
    );
    assert_eq!(text(&events), "Hello");
    // The same envelopes as everywhere else.
    let path = format!("/v1/sessions/{session}/events");
    let log = house.call("GET", &path).send().await.expect(200);
    let durable: Vec<&Value> = events.iter().filter(|event| event["type"] != "text").collect();
    assert_eq!(durable, log["items"].as_array().unwrap().iter().collect::<Vec<_>>());
    assert!(durable.iter().all(|event| event["turn_id"] == *turn));

    // The key was used: nothing happens again, and other words under it are refused.
    let again = socket.send(&session, "k1", "Hi").await;
    assert_eq!((&again["of"], &again["turn_id"]), (&json!("send"), turn));
    let other = socket.send(&session, "k1", "Something else").await;
    assert_eq!(refusal(&other), (422, "idempotency_mismatch"));
    assert_eq!(other["idempotency_key"], "k1");
    assert_eq!(house.model.requests().len(), 1);
    // Batch and WebSocket share their keys.
    let path = format!("/v1/sessions/{session}/messages");
    let batch = house.call("POST", &path).header("idempotency-key", "k1").json(&json!({ "content": "Hi" }));
    assert_eq!(batch.send().await.expect(200)["turn_id"], *turn);
}

#[tokio::test]
async fn a_turn_is_stopped() {
    let house = House::new().await;
    let session = house.session().await;
    house.model.script(Reply::pieces(["One", "two"]).gate_after_pieces(1, Arc::new(Notify::new())));
    let mut socket = connect(&house).await;
    socket.subscribe(&session, None).await;
    let idle = socket.ask(&json!({ "type": "abort", "session_id": session })).await;
    assert_eq!(idle, json!({ "type": "ack", "of": "abort", "session_id": session }));
    let sent = socket.send(&session, "k", "Count").await;
    socket.until("text").await;
    socket.say(&json!({ "type": "abort", "session_id": session })).await;
    let told = socket.until("turn_ended").await;
    let ack = told.iter().find(|told| told["type"] == "ack");
    let ack = match ack {
        Some(ack) => ack.clone(),
        None => socket.answer().await,
    };
    assert_eq!(ack["turn_id"], sent["turn_id"]);
    assert_eq!(
        told.iter().find(|told| told["type"] == "turn_ended").unwrap()["data"]["outcome"],
        "cancelled"
    );
}

#[tokio::test]
async fn words_join_the_running_turn_when_they_are_to() {
    let house = House::new().await;
    let session = house.session().await;
    let gate = Arc::new(Notify::new());
    house.model.queue([Reply::text("First.").gate(gate.clone()), Reply::text("Second.")]);
    let mut socket = connect(&house).await;
    socket.subscribe(&session, None).await;
    let turn = socket.send(&session, "k1", "One").await["turn_id"].clone();
    house.model.wait_for(1).await;
    let steer = json!({
        "type": "send", "session_id": session, "content": "Two", "mode": "steer", "idempotency_key": "k2"
    });
    assert_eq!(socket.ask(&steer).await["turn_id"], turn, "no turn of its own");
    gate.notify_one();
    socket.until("turn_ended").await;
}

#[tokio::test]
async fn a_cursor_resumes_in_the_middle_of_a_word() {
    let house = House::new().await;
    let session = house.session().await;
    let gate = Arc::new(Notify::new());
    let reply = Reply::pieces(["Grüße aus At", "hen"]).gate_after_pieces(1, gate.clone());
    house.model.script(reply.gate_after_pieces(2, gate.clone()));
    let mut first = connect(&house).await;
    first.subscribe(&session, Some("0")).await;
    first.send(&session, "k", "Hi").await;
    let mut seen = first.until("text").await;
    drop(first);
    let cursor = seen.last().unwrap()["cursor"].as_str().unwrap().to_owned();
    let mut second = connect(&house).await;
    assert_eq!(second.subscribe(&session, Some(&cursor)).await["cursor"], json!(cursor));
    gate.notify_one();
    while !text(&seen).ends_with("hen") {
        seen.push(second.next().await);
    }
    gate.notify_one();
    seen.extend(second.until("turn_ended").await);
    assert_eq!(text(&seen), "Grüße aus Athen");
}

#[tokio::test]
async fn what_is_not_followed_is_noticed() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let (followed, other) = (house.session().await, house.session().await);
    let mut socket = connect(&house).await;
    socket.subscribe(&followed, None).await;
    say(&house, &other, "Hi").await;
    say(&house, &followed, "Hi").await;
    let told = socket.until("turn_ended").await;
    let notices: Vec<&Value> = told.iter().filter(|told| told["type"] == "notice").collect();
    let expected = |seq: usize, kind: &str, status: &str| json!({ "type": "notice", "session_id": other, "last_seq": seq, "status": status, "event_type": kind });
    let kinds = [
        ("input_accepted", "idle"),
        ("turn_started", "idle"),
        ("user_message", "idle"),
        ("agent_status", "working"),
        ("message_start", "working"),
        ("message_complete", "working"),
        ("usage", "working"),
        ("agent_status", "idle"),
        ("turn_ended", "idle"),
    ];
    let expected: Vec<Value> =
        (1..).zip(kinds).map(|(seq, (kind, status))| expected(seq, kind, status)).collect();
    assert_eq!(notices, expected.iter().collect::<Vec<_>>());
    assert!(told.iter().all(|told| told["session_id"] != json!(followed) || told["type"] != "notice"));

    // What is not followed any more is noticed from then on.
    let ack = socket.ask(&json!({ "type": "unsubscribe", "session_id": followed })).await;
    assert_eq!(ack, json!({ "type": "ack", "of": "unsubscribe", "session_id": followed }));
    say(&house, &followed, "Hi").await;
    let told = socket.until("notice").await;
    assert_eq!(told.last().unwrap()["session_id"], json!(followed));
    assert_eq!(told.len(), 1, "{told:?}");
}

/// Another device of the person shows them, and no stranger hears of it.
#[tokio::test]
async fn folders_and_prompts_that_change_are_told_of() {
    let house = House::new().await;
    let mut socket = connect(&house).await;
    let changed = json!({ "type": "lists_changed" });
    let folder = json!({ "name": "House", "instructions": "" });
    let folder = house.call("POST", "/v1/folders").json(&folder).send().await.expect(201);
    assert_eq!(socket.next().await, changed);
    let path = format!("/v1/folders/{}", folder["id"].as_str().unwrap());
    house.call("PATCH", &path).json(&json!({ "name": "Garden" })).send().await.expect(200);
    assert_eq!(socket.next().await, changed);
    let prompt = json!({ "name": "hello", "content": "Hi", "description": "" });
    let prompt = house.call("POST", "/v1/saved-prompts").json(&prompt).send().await.expect(201);
    assert_eq!(socket.next().await, changed);
    let prompt = format!("/v1/saved-prompts/{}", prompt["id"].as_str().unwrap());
    for path in [prompt, path] {
        house.call("DELETE", &path).send().await.expect(204);
        assert_eq!(socket.next().await, changed);
    }
    // Another person's are their own: the next thing heard here is a session.
    let bob = house.resident("bob", domain::UserRole::Member).await;
    let theirs = json!({ "name": "Theirs", "instructions": "" });
    bob.call("POST", "/v1/folders").json(&theirs).send().await.expect(201);
    house.session().await;
    assert_eq!(socket.next().await["event_type"], "session_created");
}

#[tokio::test]
async fn sessions_that_come_and_go_are_noticed() {
    let house = House::new().await;
    let mut socket = connect(&house).await;
    let session = house.session().await;
    let created = socket.next().await;
    assert_eq!(
        created,
        json!({
            "type": "notice", "session_id": session, "last_seq": 0, "status": "idle",
            "event_type": "session_created"
        })
    );
    socket.subscribe(&session, None).await;
    house.call("DELETE", &format!("/v1/sessions/{session}")).send().await.expect(204);
    let deleted = socket.next().await;
    assert_eq!((&deleted["type"], &deleted["event_type"]), (&json!("notice"), &json!("session_deleted")));
    let unsubscribed = socket.ask(&json!({ "type": "unsubscribe", "session_id": session })).await;
    assert_eq!(refusal(&unsubscribed), (404, "not_found"));
}

#[tokio::test]
async fn many_sessions_at_once_stay_apart_and_in_order() {
    let house = House::new().await;
    house.model.respond(|request| Reply::text(format!("You said {}", request.last_user())).in_pieces_of(3));
    let mut socket = connect(&house).await;
    let agent = house.main_agent().await;
    let mut sessions = Vec::new();
    for _ in 0..8 {
        let session = house.session_with(&agent).await;
        socket.subscribe(&session, Some("0")).await;
        sessions.push(session);
    }
    for (number, session) in sessions.iter().enumerate() {
        socket
            .say(&json!({
                "type": "send", "session_id": session, "content": format!("n{number}"), "idempotency_key": "k"
            }))
            .await;
    }
    let mut seen: HashMap<String, Vec<Value>> = HashMap::new();
    let mut ended = 0;
    while ended < sessions.len() {
        let told = socket.next().await;
        ended += usize::from(told["type"] == "turn_ended");
        if told["seq"].is_u64() {
            seen.entry(told["session_id"].as_str().unwrap().to_owned()).or_default().push(told);
        }
    }
    for (number, session) in sessions.iter().enumerate() {
        let events = &seen[session];
        let whole = format!("You said n{number}");
        let complete = events.iter().find(|event| event["type"] == "message_complete").unwrap();
        assert_eq!(complete["data"]["content"], json!(whole));
        assert!(whole.starts_with(&text(events)), "what was shown is the beginning of what is stored");
        let durable: Vec<u64> = events
            .iter()
            .filter(|event| event["type"] != "text")
            .map(|event| event["seq"].as_u64().unwrap())
            .collect();
        assert_eq!(durable, (1..=9).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_long_log_is_caught_up_with() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let session = house.session().await;
    for _ in 0..70 {
        say(&house, &session, "Hi").await;
    }
    let mut socket = connect(&house).await;
    socket.subscribe(&session, Some("0")).await;
    for seq in 1..=630 {
        let event = socket.next().await;
        assert_eq!((event["seq"].as_u64(), &event["type"] == "problem"), (Some(seq), false), "{event}");
    }
    // Once more from the middle, on the same connection.
    assert_eq!(socket.subscribe(&session, Some("621")).await["cursor"], "621.0");
    let again: Vec<u64> =
        socket.until("turn_ended").await.iter().map(|e| e["seq"].as_u64().unwrap()).collect();
    assert_eq!(again, (622..=630).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_key_that_only_reads_does_not_speak() {
    let house = House::new().await;
    let session = house.session().await;
    let owner = house.owner().await;
    let mut reader = house.socket_of(&house.issue(owner, Scope::Read).await).await;
    reader.subscribe(&session, None).await;
    assert_eq!(refusal(&reader.send(&session, "k", "Hi").await), (403, "scope_insufficient"));
    let abort = json!({ "type": "abort", "session_id": session, });
    assert_eq!(refusal(&reader.ask(&abort).await), (403, "scope_insufficient"));
    let question = "question_01980000000070008000000000000003";
    let answer = json!({ "type": "question_response", "question_id": question, "answer": "yes" });
    assert_eq!(refusal(&reader.ask(&answer).await), (403, "scope_insufficient"));
    // What a client says of itself changes nothing.
    reader.say(&json!({ "type": "hello", "scopes": ["full"] })).await;
    assert_eq!(refusal(&reader.next().await), (400, "unknown_type"));
    let claimed = json!({
        "type": "send", "session_id": session, "content": "Hi", "idempotency_key": "k", "scope": "full"
    });
    assert_eq!(refusal(&reader.ask(&claimed).await), (400, "bad_field"));
    assert_eq!(refusal(&reader.send(&session, "k", "Hi").await), (403, "scope_insufficient"));

    // The control: with a key that may, the same words get through.
    house.model.script(Reply::text("Hello"));
    let mut talker = house.socket_of(&house.issue(owner, Scope::Chat).await).await;
    assert_eq!(talker.send(&session, "k", "Hi").await["type"], "ack");
    reader.until("turn_ended").await;
}

#[tokio::test]
async fn somebody_elses_session_looks_like_none() {
    let house = House::new().await;
    let session = house.session().await;
    let (_, other) = house.person("Bob", UserRole::Member).await;
    let mut socket = house.socket_of(&other).await;
    for message in [
        json!({ "type": "subscribe", "session_id": session }),
        json!({ "type": "subscribe", "session_id": "session_01980000000070008000000000000001" }),
        json!({ "type": "subscribe", "session_id": "nothing" }),
        json!({ "type": "unsubscribe", "session_id": session }),
        json!({ "type": "abort", "session_id": session }),
        json!({ "type": "send", "session_id": session, "content": "Hi", "idempotency_key": "k" }),
        json!({ "type": "question_response", "question_id": "question_1", "answer": "yes" }),
        json!({
            "type": "approval_response", "approval_id": "approval_1", "decision": "approve", "scope": "once",
            "digest": "d"
        }),
    ] {
        let told = socket.ask(&message).await;
        assert_eq!(refusal(&told), (404, "not_found"), "{message}");
        assert_eq!(told["of"], message["type"]);
    }
    // Nothing of the other's sessions is noticed either.
    house.model.script(Reply::text("Hello"));
    say(&house, &session, "Hi").await;
    assert_eq!(socket.ask(&json!({ "type": "ping" })).await, json!({ "type": "pong" }));
}

#[tokio::test]
async fn refused_words_are_refused_as_everywhere() {
    let house = House::new().await;
    let session = house.session().await;
    let mut socket = connect(&house).await;
    assert_eq!(refusal(&socket.send(&session, "k", "  ").await), (400, "empty_message"));
    assert_eq!(refusal(&socket.send(&session, "", "Hi").await), (400, "bad_idempotency_key"));
    assert_eq!(refusal(&socket.send(&session, &"k".repeat(256), "Hi").await), (400, "bad_idempotency_key"));
    let long = "x".repeat((1 << 20) + 1);
    assert_eq!(refusal(&socket.send(&session, "k", &long).await), (413, "too_large"));
    let ahead = json!({ "type": "subscribe", "session_id": session, "after": "99" });
    assert_eq!(refusal(&socket.ask(&ahead).await), (400, "bad_cursor"));
    house.call("POST", &format!("/v1/sessions/{session}/archive")).send().await.expect(200);
    assert_eq!(refusal(&socket.send(&session, "k", "Hi").await), (409, "session_archived"));
}
