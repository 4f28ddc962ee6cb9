//! Sending: all at once, or as a stream; and sending the same thing twice.

use crate::support::{House, shape};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{model::Reply, sse::SseEvent};
use tokio::sync::Notify;

/// A session with an agent that can count.
async fn counting(house: &House) -> String {
    let agent = json!({ "name": "counter", "capabilities": ["test_math"] });
    let agent = house.call("POST", "/v1/agents").json(&agent).send().await.expect(201);
    format!("/v1/sessions/{}", house.session_with(agent["id"].as_str().unwrap()).await)
}

fn types(events: &[SseEvent]) -> Vec<&str> {
    let mut types: Vec<&str> = events.iter().map(|event| event.event.as_str()).collect();
    types.dedup();
    types
}

#[tokio::test]
async fn a_batch_answers_with_the_whole_turn() {
    let house = House::new().await;
    let path = counting(&house).await;
    house.model.script(Reply::calls([("add", json!({ "a": 1, "b": 2 }))]));
    house.model.script(Reply::text("It is 3."));
    let body = json!({ "content": "What is 1 + 2?" });
    let answer = house.call("POST", &format!("{path}/messages")).json(&body).send().await.expect(200);
    let usage = json!({ "input_tokens": 100, "output_tokens": 10, "cached_tokens": 0, "cost_microusd": 0 });
    let expected = json!({
        "turn_id": "<turn>",
        "outcome": "completed",
        "message": {
            "id": "<message>", "seq": answer["message"]["seq"], "turn_id": "<turn>", "role": "assistant",
            "content": "It is 3.", "parts": [{ "type": "text" }], "elements": [],
            "label": { "integrity": "trusted", "confidentiality": "private" }, "meta": { "model": "test/scripted" },
            "stop_reason": "completed", "usage": usage, "created_at": "<time>",
        },
        "reply": "It is 3.", "calls": [{
            "call_id": "<call>", "message_id": "<message>", "name": "add", "origin": "native",
            "arguments": { "a": 1, "b": 2 }, "status": "ok", "content": answer["calls"][0]["content"], "duration_ms": 0,
        }],
        "usage": { "input_tokens": 200, "output_tokens": 20, "cached_tokens": 0, "cost_microusd": 0 },
    });
    assert_eq!(shape(&answer), expected);
    assert!(answer["calls"][0]["content"].as_str().unwrap().contains('3'));
}

#[tokio::test]
async fn a_stream_shows_the_same_turn_event_by_event() {
    let house = House::new().await;
    let path = counting(&house).await;
    house.model.script(Reply::calls([("add", json!({ "a": 1, "b": 2 }))]));
    // Whoever reads when the message is complete gets it without its live text.
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::text("It is 3.").gate_after_pieces(1, gate.clone()));
    let body = json!({ "content": "What is 1 + 2?", "mode": "queue" });
    let mut stream = house.call("POST", &format!("{path}/messages/stream")).json(&body).events().await;
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    assert_eq!(stream.headers["cache-control"], "no-cache");
    assert_eq!(stream.headers["x-accel-buffering"], "no");
    let mut events = stream.until("text").await;
    gate.notify_one();
    events.extend(stream.collect().await);
    assert_eq!(
        types(&events),
        [
            "input_accepted",
            "turn_started",
            "user_message",
            "agent_status",
            "message_start",
            "message_complete",
            "usage",
            "tool_use_start",
            "tool_result",
            "message_start",
            "text",
            "message_complete",
            "usage",
            "agent_status",
            "turn_ended",
        ]
    );
    for event in &events {
        assert_eq!(event.data["type"], event.event.as_str());
        assert_eq!(event.data["cursor"], event.id.as_str());
        assert_eq!(event.data["turn_id"], events[0].data["turn_id"]);
    }
    assert_eq!(events[0].data["data"]["source"], "web");

    // The batch is a fold of the very same events.
    let log = house.call("GET", &format!("{path}/events?limit=1000")).send().await.expect(200);
    let durable: Vec<&Value> =
        events.iter().map(|event| &event.data).filter(|data| data["type"] != "text").collect();
    let seq = |data: &Value| (data["seq"].clone(), data["type"].clone(), data["data"].clone());
    let logged: Vec<_> = log["items"].as_array().unwrap().iter().map(seq).collect();
    assert_eq!(durable.into_iter().map(seq).collect::<Vec<_>>(), logged);
}

#[tokio::test]
async fn a_failed_turn_is_an_answer_too() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    house.model.script(Reply::status(401));
    let answer = house.call("POST", &path).json(&json!({ "content": "Hello" })).send().await.expect(200);
    assert_eq!(answer["outcome"], "failed");
    assert_eq!(answer["calls"], json!([]));
    assert!(answer["error"]["code"].is_string(), "{answer}");
    assert_eq!(answer["message"]["role"], "assistant");
}

#[tokio::test]
async fn the_same_key_is_the_same_message() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let stream = format!("{path}/stream");
    house.model.script(Reply::text("Once."));
    let send = |path: &str, content: &str| {
        house.call("POST", path).json(&json!({ "content": content })).header("idempotency-key", "k-1")
    };
    let first = send(&path, "Hello").send().await.expect(200);
    assert_eq!(send(&path, "Hello").send().await.expect(200), first);
    let replay = send(&stream, "Hello").events().await.collect().await;
    assert_eq!(replay.first().unwrap().event, "input_accepted");
    assert_eq!(replay.last().unwrap().event, "turn_ended");
    assert_eq!(replay.last().unwrap().data["turn_id"], first["turn_id"]);
    send(&path, "Something else").send().await.refused(422, "idempotency_mismatch");
    send(&stream, "Something else").send().await.refused(422, "idempotency_mismatch");
    assert_eq!(house.model.requests().len(), 1);
    let list = house.call("GET", &path).send().await.expect(200);
    assert_eq!(list["total"], 2);

    // Elsewhere the key means something else.
    let other = format!("/v1/sessions/{}/messages", house.session().await);
    house.model.script(Reply::text("Twice."));
    assert_ne!(send(&other, "Hello").send().await.expect(200)["turn_id"], first["turn_id"]);
}

#[tokio::test]
async fn a_repeated_stream_joins_a_turn_that_still_runs() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages/stream", house.session().await);
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::pieces(["Hel", "lo"]).gate_after_pieces(1, gate.clone()));
    let send = || house.call("POST", &path).json(&json!({ "content": "Hi" })).header("idempotency-key", "k");
    let mut first = send().events().await;
    first.until("text").await;
    drop(first);
    let mut second = send().events().await;
    let seen = second.until("text").await;
    assert_eq!(seen[0].event, "input_accepted");
    assert_eq!(seen.last().unwrap().data["data"]["text"], "Hel");
    gate.notify_one();
    assert_eq!(second.collect().await.last().unwrap().event, "turn_ended");
}

#[tokio::test]
async fn a_client_that_hangs_up_stops_nothing() {
    let house = House::new().await;
    let session = house.session().await;
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::text("Done all the same.").gate(gate.clone()));
    let batch =
        house.call("POST", &format!("/v1/sessions/{session}/messages")).json(&json!({ "content": "Go" }));
    let asking = tokio::spawn(batch.send());
    house.model.wait_for(1).await;
    asking.abort();
    assert!(asking.await.is_err_and(|error| error.is_cancelled()));
    gate.notify_one();
    let follow = format!("/v1/sessions/{session}/events/stream?after=0");
    let events = house.call("GET", &follow).events().await.until("turn_ended").await;
    assert_eq!(events.last().unwrap().data["data"]["outcome"], "completed");
}

#[tokio::test]
async fn steering_joins_the_running_turn() {
    let house = House::new().await;
    let path = counting(&house).await;
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::calls([("add", json!({ "a": 1, "b": 2 }))]).gate(gate.clone()));
    house.model.script(Reply::text("Three, in words."));
    let send = |body: Value| house.call("POST", &format!("{path}/messages")).json(&body);
    let first = tokio::spawn(send(json!({ "content": "1 + 2?" })).send());
    house.model.wait_for(1).await;
    let second = tokio::spawn(send(json!({ "content": "In words!", "mode": "steer" })).send());
    let follow = format!("{path}/events/stream?after=0");
    let mut events = house.call("GET", &follow).events().await;
    loop {
        let accepted = events.until("input_accepted").await.pop().unwrap();
        if accepted.data["data"]["mode"] == "steer" {
            break;
        }
    }
    gate.notify_one();
    let (first, second) = (first.await.unwrap().expect(200), second.await.unwrap().expect(200));
    assert_eq!(first["turn_id"], second["turn_id"]);
    assert_eq!(second["message"]["content"], "Three, in words.");
    assert_eq!(house.model.last_request().unwrap().last_user(), "In words!");
}

#[tokio::test]
async fn the_transcript_is_paged_both_ways() {
    let house = House::new().await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    house.model.respond(|request| Reply::text(format!("You said {}", request.last_user())));
    for content in ["one", "two", "three"] {
        house.call("POST", &path).json(&json!({ "content": content })).send().await.expect(200);
    }
    let page = async |query: &str| {
        let page = house.call("GET", &format!("{path}{query}")).send().await.expect(200);
        let contents =
            page["items"].as_array().unwrap().iter().map(|item| item["content"].as_str().unwrap().to_owned());
        (contents.collect::<Vec<_>>(), page["next_cursor"].as_str().map(str::to_owned))
    };
    let (newest, before) = page("?limit=2").await;
    assert_eq!(newest, ["three", "You said three"]);
    let (older, _) = page(&format!("?limit=2&before_seq={}", before.unwrap())).await;
    assert_eq!(older, ["two", "You said two"]);
    let (oldest, after) = page("?limit=2&after_seq=0").await;
    assert_eq!(oldest, ["one", "You said one"]);
    let (next, _) = page(&format!("?limit=2&after_seq={}", after.unwrap())).await;
    assert_eq!(next, ["two", "You said two"]);
    assert_eq!(page("").await.0.len(), 6);
}

/// A call in the text is done while the agent writes on: its result is stored before its message is.
#[tokio::test]
async fn what_came_of_a_call_is_listed_behind_the_message_that_made_it() {
    let house = House::new().await;
    let path = counting(&house).await;
    let rest = Arc::new(Notify::new());
    let call = "@system(add, {a: 1, b: 2})\n";
    house.model.queue([
        Reply::pieces([call, call, "And on."]).gate_after_pieces(2, rest.clone()),
        Reply::text("Twice 3."),
    ]);
    let body = json!({ "content": "Add" });
    let mut stream = house.call("POST", &format!("{path}/messages/stream")).json(&body).events().await;
    stream.until("tool_result").await;
    stream.until("tool_result").await;
    rest.notify_one();
    stream.until("turn_ended").await;
    let roles = |list: &Value| -> Vec<(String, u64)> {
        let items = list["items"].as_array().unwrap().iter();
        items.map(|one| (one["role"].as_str().unwrap().to_owned(), one["seq"].as_u64().unwrap())).collect()
    };
    let list = house.call("GET", &format!("{path}/messages")).send().await.expect(200);
    let all = roles(&list);
    let said: Vec<&str> = all.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(said, ["user", "assistant", "tool", "tool", "assistant"]);
    assert!(all[1].1 > all[2].1, "it was stored later, so the order has to be made");
    for limit in 1..=5 {
        for (way, cursor) in [("before_seq", "0"), ("after_seq", "0")] {
            let mut found = Vec::new();
            let mut next = (way == "after_seq").then(|| cursor.to_owned());
            loop {
                let from = next.take().map(|next| format!("&{way}={next}")).unwrap_or_default();
                let path = format!("{path}/messages?limit={limit}{from}");
                let list = house.call("GET", &path).send().await.expect(200);
                let page = roles(&list);
                assert!(!page.is_empty() && page.len() <= limit);
                match way {
                    "after_seq" => found.extend(page),
                    _ => drop(found.splice(0..0, page)),
                }
                match list["next_cursor"].as_str() {
                    Some(cursor) => next = Some(cursor.to_owned()),
                    None => break,
                }
            }
            assert_eq!(found.len(), 5, "{way} {limit}: each once");
            if limit >= 4 {
                assert_eq!(found, all, "{way} {limit}");
            }
        }
    }
}
