//! A conversation over the API with an OpenAI-compatible server: what people see, and what the model was sent.

use crate::world::{self, Backend, World, quiet};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use testkit::{client::SseStream, model::Reply, sse::SseEvent};
use tokio::sync::Notify;

fn types(events: &[SseEvent]) -> Vec<&str> {
    events.iter().map(|event| event.event.as_str()).collect()
}

/// Runs of the same type, once each: live text may come in any number of pieces.
fn shape(events: &[SseEvent]) -> Vec<&str> {
    let mut shape = types(events);
    shape.dedup();
    shape
}

fn text(events: &[SseEvent]) -> String {
    let pieces = events.iter().filter(|event| event.event == "text");
    pieces.map(|event| event.data["data"]["text"].as_str().unwrap()).collect()
}

/// Reads on until the agent has said this, which it is held behind, and lets it go on. Whoever reads after the message is
/// complete gets it without its live text.
async fn hear(stream: &mut SseStream, events: &mut Vec<SseEvent>, words: &str, held: &Notify) {
    while text(events) != words {
        let next = tokio::time::timeout(Duration::from_secs(60), stream.next()).await;
        events.push(next.expect("nothing came").unwrap().expect("the stream ended early"));
    }
    held.notify_one();
}

async fn parallel_calls(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    let held = Arc::new(Notify::new());
    let first = Reply::text("Let me see. ").in_pieces_of(3).gate_after_pieces(4, held.clone());
    world.model.queue([
        first.then_calls([
            ("add", json!({ "a": 2, "b": 3 })),
            ("divide", json!({ "a": 1, "b": 0 })),
            ("get_current_time", json!({ "timezone": "Europe/Athens" })),
        ]),
        Reply::text("It is five.").in_pieces_of(2).gate_after_pieces(6, held.clone()),
    ]);
    let running = world.serve().await;
    let client = running.client(&world.key);
    let fields = json!({
        "name": "tutor", "system_prompt": "You teach.", "capabilities": ["test_math", "current_time"],
        "parameters": { "temperature": 0.5 }
    });
    let agent = world::agent(&client, fields).await;
    let session = world::new_session(&client, &agent).await;
    let mut stream = client.send_message(&session, "k1", &json!({ "content": "2+3?" })).await.unwrap();
    let mut events = Vec::new();
    hear(&mut stream, &mut events, "Let me see. ", &held).await;
    hear(&mut stream, &mut events, "Let me see. It is five.", &held).await;
    events.extend(stream.collect().await.unwrap());
    assert_eq!(
        shape(&events),
        [
            "input_accepted",
            "turn_started",
            "user_message",
            "agent_status",
            "message_start",
            "text",
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
    assert_eq!(text(&events), "Let me see. It is five.");
    assert_eq!(events.last().unwrap().data["data"]["outcome"], "completed");

    let requests = world.model.requests();
    assert_eq!(requests.len(), 2);
    let first = &requests[0].body;
    assert_eq!(first["model"], "scripted");
    assert_eq!(first["stream"], true);
    assert_eq!(first["temperature"], 0.5);
    let names = |tools: &Value| -> Vec<String> {
        let tools = tools.as_array().unwrap();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&first["tools"]), ["add", "subtract", "multiply", "divide", "get_current_time"]);
    let second = requests[1].messages();
    let roles: Vec<&str> = second.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool"]);
    assert!(second[0]["content"].as_str().unwrap().ends_with("You teach."));
    let calls = second[2]["tool_calls"].as_array().unwrap();
    for (call, result) in calls.iter().zip(&second[3..]) {
        assert_eq!(call["id"], result["tool_call_id"], "results stand in call order");
    }
    assert!(second[3]["content"].as_str().unwrap().contains('5'));
    assert!(second[4]["content"].as_str().unwrap().contains("error"));

    // The batch endpoint is the same turn, folded; a repeated key is the same turn again.
    world.model.script(Reply::text("Gladly."));
    let path = format!("/v1/sessions/{session}/messages");
    let batch = client.post(&path, &json!({ "content": "Thanks" })).await.unwrap().expect(200);
    assert_eq!(batch["outcome"], "completed");
    assert_eq!(batch["message"]["content"], "Gladly.");
    let again = client.send_message(&session, "k1", &json!({ "content": "2+3?" })).await.unwrap();
    let again = again.collect().await.unwrap();
    assert_eq!(again.last().unwrap().data, events.last().unwrap().data);
    assert_eq!(world.model.requests().len(), 3, "nothing was asked again");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_calls_stream_and_are_sent_back_in_order() {
    parallel_calls(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_calls_stream_and_are_sent_back_in_order_on_postgres() {
    parallel_calls(Backend::Postgres).await;
}

/// A reader that is cut off in the middle of a word, by a kill, ends with the text of one that never was.
async fn resumed_reader(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    let (never, held) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let words = "Überraschung: die Antwort ist zweiundvierzig.";
    world.model.queue([
        Reply::text(words).in_pieces_of(2).gate_after_pieces(7, never),
        Reply::text(words).in_pieces_of(5).gate(held.clone()),
    ]);
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let session = world::new_session(&client, &agent).await;
    let _turn = client.send_message(&session, "k", &json!({ "content": "?" })).await.unwrap();
    let mut stream = client.follow(&session, Some("0")).await.unwrap();
    let mut first = Vec::new();
    while text(&first).chars().count() < 14 {
        first.push(stream.next().await.unwrap().unwrap());
    }
    assert_eq!(text(&first), words.chars().take(14).collect::<String>());
    let cursor = first.last().unwrap().id.clone();
    running.kill().await.unwrap();

    let running = world.serve().await;
    let client = running.client(&world.key);
    let mut stream = client.follow(&session, Some(&cursor)).await.unwrap();
    held.notify_one();
    let mut rest = Vec::new();
    while rest.last().is_none_or(|event: &SseEvent| event.event != "turn_ended") {
        rest.push(stream.next().await.unwrap().unwrap());
    }
    assert!(types(&rest).contains(&"message_restarted"), "{:?}", types(&rest));
    let complete = rest.iter().find(|event| event.event == "message_complete").unwrap();
    assert_eq!(complete.data["data"]["content"], words);
    assert!(
        words.starts_with(&text(&rest)),
        "what was shown after message_restarted is the message from its beginning"
    );
    quiet(&client, &session).await;
    let log = crate::checker::log(&client, &session).await;
    let durable = |event: &&SseEvent| event.event != "text";
    let seen: Vec<u64> =
        first.iter().chain(&rest).filter(durable).map(|event| event.data["seq"].as_u64().unwrap()).collect();
    assert_eq!(seen, (1..=log.len() as u64).collect::<Vec<_>>(), "no gap, no repeat");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_resumes_across_a_kill() {
    resumed_reader(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_resumes_across_a_kill_on_postgres() {
    resumed_reader(Backend::Postgres).await;
}

/// Stop is durable: it holds over a kill right behind it.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_stopped_stays_stopped() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    world.model.script(Reply::text("one two three").in_pieces_of(4).stall_after_pieces(2));
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let session = world::new_session(&client, &agent).await;
    let mut stream = client.send_message(&session, "k", &json!({ "content": "count" })).await.unwrap();
    while stream.next().await.unwrap().unwrap().event != "text" {}
    let aborted = client.post(&format!("/v1/sessions/{session}/abort"), &json!({})).await.unwrap();
    assert_eq!(aborted.status, 200);
    running.kill().await.unwrap();
    let running = world.serve().await;
    let client = running.client(&world.key);
    quiet(&client, &session).await;
    let log = crate::checker::log(&client, &session).await;
    assert_eq!(log.last().unwrap()["data"]["outcome"], "cancelled");
    assert_eq!(world.model.requests().len(), 1, "the model was not asked again");
}

/// Whoever only looks in does not do the house's work: the turn waits for the next server.
#[tokio::test(flavor = "multi_thread")]
async fn a_short_command_leaves_the_turn_of_a_killed_server_alone() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    world.model.script(Reply::text("one two three").in_pieces_of(4).stall_after_pieces(2));
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let session = world::new_session(&client, &agent).await;
    let mut stream = client.send_message(&session, "k", &json!({ "content": "count" })).await.unwrap();
    while stream.next().await.unwrap().unwrap().event != "text" {}
    running.kill().await.unwrap();
    world.program.must(&["user", "list"], "").await;
    assert_eq!(world.model.requests().len(), 1, "the model was asked by a command that only lists");
    world.model.script(Reply::text("one two three"));
    let running = world.serve().await;
    quiet(&running.client(&world.key), &session).await;
    assert_eq!(world.model.requests().len(), 2);
}
