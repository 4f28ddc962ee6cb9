//! Requests that wait for a turn at another node get its answer.

use crate::{
    house::{House, PATIENCE, until, until_text},
    readers::held_reply,
};
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::{sync::Notify, time::timeout};

#[tokio::test(flavor = "multi_thread")]
async fn the_second_caller_at_another_node_gets_the_answer() {
    let Some(house) = House::new(2).await else { return };
    let held = Arc::new(Notify::new());
    house.model.script(held_reply(&held));
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    let body = json!({ "content": "hello" });
    let mut first = a.say(&session, "the same", "hello").await;
    until_text(&mut first, "nebenan, ").await;
    // A second caller that follows, and one that waits for the whole.
    let mut second = b.say(&session, "the same", "hello").await;
    until_text(&mut second, "nebenan, ").await;
    let (client, path) = (b.client.clone(), format!("/v1/sessions/{session}/messages"));
    let third = tokio::spawn(async move { client.post_once(&path, "the same", &body).await.unwrap() });
    held.notify_one();
    until(&mut second, "turn_ended").await;
    let answer = timeout(PATIENCE, third).await.expect("the caller gets no answer").unwrap().expect(200);
    assert_eq!(answer["reply"], "Grüße von nebenan, und gute Reise.");
    first.collect().await.unwrap();
    assert_eq!(house.model.request_count(), 1, "one turn, and the model is asked once");
}

/// A message that waits behind a turn of another node: its turn runs there, too, and its sender gets the answer here.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_behind_another_nodes_turn_is_answered() {
    let Some(house) = House::new(2).await else { return };
    let held = Arc::new(Notify::new());
    house.model.queue([held_reply(&held), Reply::text("Now you.")]);
    let (a, b) = (house.serve(0).await, house.serve(1).await);
    let session = a.plain_talk().await;
    let mut first = a.say(&session, "k1", "hello").await;
    until_text(&mut first, "nebenan, ").await;
    let mut watch = a.follow(&session).await;
    let (client, path) = (b.client.clone(), format!("/v1/sessions/{session}/messages"));
    let body = json!({ "content": "and me?" });
    let second = tokio::spawn(async move { client.post_once(&path, "k2", &body).await.unwrap() });
    // Accepted at the other node, and shown here at once.
    let mut accepted = 0;
    while accepted < 2 {
        accepted += usize::from(crate::house::next(&mut watch).await.event == "input_accepted");
    }
    held.notify_one();
    let answer = timeout(PATIENCE, second).await.expect("it gets no answer").unwrap().expect(200);
    assert_eq!(answer["reply"], "Now you.");
}
