//! What a person decides at one node reaches the turn at another at once: a stop, an answer, an approval, a word in between.

use crate::{
    house::{House, next, until, until_text},
    readers::held_reply,
    unheard::two_without,
};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{client::Client, model::Reply};
use tokio::sync::Notify;

/// Each way of hearing is taken away once, with a lease that no test outlasts: what is left has to do.
async fn is_stopped_elsewhere(guard: &str) {
    let Some(mut house) = House::new(2).await else { return };
    let never = Arc::new(Notify::new());
    house.model.respond(move |_| held_reply(&never));
    let (a, b) = two_without(&mut house, guard).await;
    let session = a.plain_talk().await;
    for round in 0..3 {
        let mut own = a.say(&session, &format!("k{round}"), "hello").await;
        until_text(&mut own, "nebenan, ").await;
        b.client.post(&format!("/v1/sessions/{session}/abort"), &json!({})).await.unwrap();
        let ended = until(&mut own, "turn_ended").await;
        assert_eq!(ended.last().unwrap().data["data"]["outcome"], "cancelled");
    }
    let mut elsewhere = b.client.follow(&session, Some("0")).await.unwrap();
    for _ in 0..3 {
        until(&mut elsewhere, "turn_ended").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_at_another_node_is_told_to_a_worker() {
    is_stopped_elsewhere("guard_looks").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_that_was_not_told_is_found_by_its_worker() {
    is_stopped_elsewhere("guard_notes").await;
}

/// Who follows at the node where the stop came in sees the end of the turn, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_shown_where_it_came_in() {
    let Some(house) = House::new(2).await else { return };
    let never = Arc::new(Notify::new());
    house.model.respond(move |_| held_reply(&never));
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    for round in 0..3 {
        let mut own = a.say(&session, &format!("k{round}"), "hello").await;
        until_text(&mut own, "nebenan, ").await;
        let mut elsewhere = b.client.follow(&session, None).await.unwrap();
        b.client.post(&format!("/v1/sessions/{session}/abort"), &json!({})).await.unwrap();
        until(&mut own, "turn_ended").await;
        until(&mut elsewhere, "turn_ended").await;
    }
}

async fn waiting(client: &Client, what: &str) -> Value {
    let list = client.get(&format!("/v1/{what}")).await.unwrap().expect(200);
    list["items"].as_array().unwrap().first().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_at_another_node() {
    let Some(house) = House::new(2).await else { return };
    house.model.respond(|request| match request.last_user().contains("green") {
        true => Reply::text("Green it is."),
        false => Reply::text("<ask>Which colour?</ask>"),
    });
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.talk(json!({ "name": "asker", "capabilities": [] })).await;
    let mut own = a.follow(&session).await;
    drop(a.say(&session, "k1", "paint").await);
    until(&mut own, "question_prompt").await;
    let mut elsewhere = b.follow(&session).await;
    until(&mut elsewhere, "question_prompt").await;
    let question = waiting(&b.client, "questions").await;
    let path = format!("/v1/questions/{}/answer", question["id"].as_str().unwrap());
    b.client.post(&path, &json!({ "answer": "green" })).await.unwrap().expect(200);
    until(&mut own, "turn_ended").await;
    until(&mut elsewhere, "turn_ended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_approved_at_another_node() {
    let Some(house) = House::new(2).await else { return };
    house.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("count_effect", json!({ "tag": "once" }))]),
        _ => Reply::text("Done."),
    });
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let rules = json!([{ "tool": "count_effect", "action": "ask" }]);
    let agent = json!({ "name": "careful", "capabilities": ["counting"], "tool_rules": rules });
    let session = a.talk(agent).await;
    let mut own = a.follow(&session).await;
    drop(a.say(&session, "k1", "count").await);
    until(&mut own, "approval_request").await;
    let mut elsewhere = b.follow(&session).await;
    until(&mut elsewhere, "approval_request").await;
    let approval = waiting(&b.client, "approvals").await;
    let path = format!("/v1/approvals/{}", approval["id"].as_str().unwrap());
    let yes = json!({ "decision": "approve", "digest": approval["digest"] });
    b.client.post(&path, &yes).await.unwrap().expect(200);
    until(&mut own, "turn_ended").await;
    until(&mut elsewhere, "turn_ended").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_in_between_is_said_at_another_node() {
    let Some(house) = House::new(2).await else { return };
    let held = Arc::new(Notify::new());
    house.model.queue([held_reply(&held), Reply::text("As you wish.")]);
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    let mut watch = a.follow(&session).await;
    let own = a.say(&session, "k1", "hello").await;
    until_text(&mut watch, "nebenan, ").await;
    let steer = json!({ "content": "shorter, please", "mode": "steer" });
    let steering = b.client.send_message(&session, "k2", &steer).await.unwrap();
    assert_eq!(steering.status, 200);
    // Shown where the turn runs while it still waits for the model.
    while next(&mut watch).await.event != "input_accepted" {}
    held.notify_one();
    let events = until(&mut watch, "turn_ended").await;
    assert!(events.iter().any(|event| event.event == "user_message"), "the word was not taken in");
    own.collect().await.unwrap();
    assert_eq!(house.model.request_count(), 2);
}
