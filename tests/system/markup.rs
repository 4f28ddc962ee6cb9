//! An agent's text with elements, calls and questions in it, with the whole program: seen and carried out while it is
//! written, never carried out twice, and waiting for people across any number of restarts.

use crate::world::{self, Backend, World, quiet};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{
    client::{Client, SseStream},
    counting,
    model::Reply,
    program::Running,
    sse::SseEvent,
};
use tokio::sync::Notify;

/// Reads on until an event of this type; gives everything up to it.
async fn until(stream: &mut SseStream, wanted: &str) -> Vec<SseEvent> {
    let mut events = Vec::new();
    loop {
        let next = tokio::time::timeout(std::time::Duration::from_secs(60), stream.next()).await;
        let event = next.expect("nothing came").unwrap().expect("the stream ended early");
        let last = event.event == wanted;
        events.push(event);
        if last {
            return events;
        }
    }
}

fn types(events: &[SseEvent]) -> Vec<&str> {
    let mut types: Vec<&str> = events.iter().map(|event| event.event.as_str()).collect();
    types.dedup();
    types
}

async fn talk(world: &World, running: &Running) -> (Client, String) {
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let session = world::new_session(&client, &agent).await;
    (client, session)
}

async fn reply_of(client: &Client, session: &str) -> Value {
    let path = format!("/v1/sessions/{session}/messages?limit=100");
    let messages = client.get(&path).await.unwrap().expect(200);
    let reply = messages["items"].as_array().unwrap().iter().find(|message| message["role"] == "assistant");
    reply.unwrap().clone()
}

fn effects(world: &World) -> usize {
    counting::counts(&world.counter)
        .into_iter()
        .filter(|((tool, _), _)| tool == "count_effect")
        .map(|(_, n)| n)
        .sum()
}

/// HERO-58
async fn everything_while_the_model_writes(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    let rest = Arc::new(Notify::new());
    let pieces = [
        "I begin. ",
        "<todo title=\"Plan\"><item status=\"completed\">Look</item><item>Act</item></todo>",
        "<bash>ls</bash>\n",
        "@system(count_effect, {tag: \"overlap\"})\n",
        "<ask>Which colour?</ask>",
        " That is all.",
    ];
    world.model.queue([Reply::pieces(pieces).gate_after_pieces(5, rest.clone()), Reply::text("Thank you.")]);
    let running = world.serve().await;
    let (client, session) = talk(&world, &running).await;
    let mut stream = client.send_message(&session, "k", &json!({ "content": "Go" })).await.unwrap();
    // The model does not send its last piece before the client has seen the question, and what came of the calls.
    let events = until(&mut stream, "question_prompt").await;
    let mut expected =
        vec!["input_accepted", "turn_started", "user_message", "agent_status", "message_start", "text"];
    expected.extend([
        "element_start",
        "element_update",
        "element_complete",
        "element_start",
        "element_update",
        "element_complete",
    ]);
    let seen = types(&events);
    assert_eq!(seen[..expected.len() - 5], expected[..expected.len() - 5]);
    let of = |kind: &str| events.iter().filter(|event| event.event == kind).collect::<Vec<_>>();
    assert_eq!(of("element_complete").len(), 5, "two items, their list, a command and a question: {seen:?}");
    let results: Vec<_> =
        of("tool_result").iter().map(|event| event.data["data"]["status"].clone()).collect();
    assert_eq!(results, ["denied", "ok"], "there is no shell, and there is a counter: {seen:?}");
    assert_eq!(of("element_executing").len(), 2);
    assert_eq!(effects(&world), 1);
    let cursors: Vec<(u64, u64)> = events
        .iter()
        .map(|event| {
            let (seq, offset) = event.id.split_once('.').unwrap();
            (seq.parse().unwrap(), offset.parse().unwrap())
        })
        .collect();
    assert!(
        cursors.windows(2).all(|pair| pair[0] < pair[1]),
        "the cursor grows with each event: {cursors:?}"
    );
    rest.notify_one();
    until(&mut stream, "message_complete").await;
    let question = world::questions(&client, &session).await.remove(0);
    let path = format!("/v1/questions/{}/answer", question["id"].as_str().unwrap());
    let nobody = json!({ "answer": "x" });
    let stranger = client.post("/v1/questions/question_01980000000070008000000000000001/answer", &nobody);
    stranger.await.unwrap().expect(404);
    client.post(&path, &json!({ "answer": "blue" })).await.unwrap().expect(200);
    client.post(&path, &json!({ "answer": "red" })).await.unwrap().expect(409);
    until(&mut stream, "turn_ended").await;
    let told = world.model.last_request().unwrap().last_user();
    for block in [
        "[@system:bash] interaction_id='e4' denied:",
        "[@system:count_effect]",
        "[@user:ask] interaction_id='e5' completed:\nblue",
    ] {
        assert!(told.contains(block), "{told}");
    }
    let reply = reply_of(&client, &session).await;
    assert_eq!(reply["content"], pieces.concat());
    // The five of them, and the call that is written between them.
    let kinds = reply["elements"].as_array().unwrap().iter().map(|element| element["type"].as_str().unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), ["todo", "item", "item", "bash", "interaction", "ask"]);
    assert!(reply["elements"][3]["call_id"].as_str().unwrap().starts_with("call_"));
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_and_calls_are_seen_and_done_while_the_model_writes() {
    everything_while_the_model_writes(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn elements_and_calls_are_seen_and_done_while_the_model_writes_on_postgres() {
    everything_while_the_model_writes(Backend::Postgres).await;
}

async fn killed_behind_a_call(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    let pieces = ["Before. \n", "@system(count_effect, {tag: \"once\"})\n", "words that are lost"];
    world.model.queue([Reply::pieces(pieces).stall_after_pieces(3), Reply::text("I go on.")]);
    let running = world.serve().await;
    let (client, session) = talk(&world, &running).await;
    let mut stream = client.send_message(&session, "k", &json!({ "content": "Go" })).await.unwrap();
    until(&mut stream, "tool_result").await;
    running.kill().await.unwrap();
    let running = world.serve().await;
    let client = running.client(&world.key);
    quiet(&client, &session).await;
    assert_eq!(effects(&world), 1, "the effect happened once");
    let reply = reply_of(&client, &session).await;
    assert_eq!(reply["content"], "Before. \n@system(count_effect, {tag: \"once\"})", "the prefix is kept");
    assert_eq!(reply["stop_reason"], "interrupted");
    let told = world.model.last_request().unwrap().last_user();
    assert!(told.contains("[@system:count_effect] interaction_id='at-1' completed:"), "{told}");
    assert_eq!(world.model.requests().len(), 2, "the message was not begun again");
    world.model.assert_clean();
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_between_a_call_and_the_end_of_its_reply_repeats_nothing() {
    killed_behind_a_call(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_between_a_call_and_the_end_of_its_reply_repeats_nothing_on_postgres() {
    killed_behind_a_call(Backend::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_cuts_off_behind_a_call_repeats_nothing() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let pieces = ["Before. \n", "@system(count_effect, {tag: \"once\"})\n", "and"];
    world.model.queue([Reply::pieces(pieces).cut_after_pieces(3), Reply::text("I go on.")]);
    let running = world.serve().await;
    let (client, session) = talk(&world, &running).await;
    let stream = client.send_message(&session, "k", &json!({ "content": "Go" })).await.unwrap();
    let events = stream.collect().await.unwrap();
    assert!(!types(&events).contains(&"message_restarted"));
    assert_eq!(events.last().unwrap().data["data"]["outcome"], "completed");
    assert_eq!(effects(&world), 1);
    let reply = reply_of(&client, &session).await;
    assert!(reply["content"].as_str().unwrap().starts_with("Before. \n@system(count_effect"));
    assert_eq!(reply["stop_reason"], "interrupted");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

async fn ten_restarts(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    world
        .model
        .queue([Reply::text("<ask options=\"red, blue\">Which colour?</ask>"), Reply::text("Blue it is.")]);
    let mut running = world.serve().await;
    let (mut client, session) = talk(&world, &running).await;
    let path = format!("/v1/sessions/{session}/messages");
    let parked = client.post(&path, &json!({ "content": "Paint it" })).await.unwrap().expect(202);
    assert_eq!(parked["outcome"], "input_required");
    let question = parked["waiting"][0]["question_id"].clone();
    for _ in 0..10 {
        running.kill().await.unwrap();
        running = world.serve().await;
        client = running.client(&world.key);
        let state = client.get(&format!("/v1/sessions/{session}")).await.unwrap().expect(200);
        assert_eq!(state["status"], "input_required");
        assert_eq!(world::questions(&client, &session).await[0]["id"], question);
    }
    let answer = json!({ "content": "Blue", "answers": { "question_id": question } });
    let ended = client.post(&path, &answer).await.unwrap().expect(200);
    assert_eq!((&ended["turn_id"], &ended["outcome"]), (&parked["turn_id"], &json!("completed")));
    assert_eq!(ended["message"]["content"], "Blue it is.");
    let told = world.model.last_request().unwrap().last_user();
    assert_eq!(told, "[@user:ask] interaction_id='e1' completed:\nblue");
    assert_eq!(world.model.requests().len(), 2, "nothing was asked of the model while a person thought");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_and_its_turn_survive_ten_restarts() {
    ten_restarts(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_and_its_turn_survive_ten_restarts_on_postgres() {
    ten_restarts(Backend::Postgres).await;
}
