//! Messages that wait for their turn: seen by their person, and taken back until the agent begins with them.

use crate::support::House;
use domain::{InputMode, UserRole};
use engine::{Accepted, NewMessage};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

/// A session whose agent is held in the middle of an answer.
async fn held(house: &House) -> (String, Arc<Notify>) {
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    house.model.respond(move |request| match request.last_user().as_str() {
        "Hold" => Reply::text("held").gate(held.clone()),
        other => Reply::text(format!("said {other}")),
    });
    let session = house.session().await;
    post(house, &session, "Hold").await;
    house.model.wait_for(1).await;
    (session, gate)
}

/// Hands a message in and does not wait for its answer.
async fn post(house: &House, session: &str, text: &str) -> Accepted {
    house.engine.accept(house.message(session, text).await).await.unwrap()
}

async fn listed(house: &House, session: &str) -> Vec<Value> {
    let path = format!("/v1/sessions/{session}/queue");
    house.call("GET", &path).send().await.expect(200)["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn what_waits_is_listed_and_taken_back() {
    let house = House::new().await;
    let (session, gate) = held(&house).await;
    assert_eq!(listed(&house, &session).await, Vec::<Value>::new(), "what runs does not wait");
    let (first, second) = (post(&house, &session, "One").await, post(&house, &session, "Two").await);
    let waiting = listed(&house, &session).await;
    let contents: Vec<&str> = waiting.iter().map(|one| one["content"].as_str().unwrap()).collect();
    assert_eq!(contents, ["One", "Two"]);
    assert_eq!(waiting[0]["turn_id"], first.turn_id.to_string());
    let path = format!("/v1/sessions/{session}/queue/{}", first.turn_id);
    let back = house.call("DELETE", &path).send().await.expect(200);
    assert_eq!((&back["content"], &back["attachments"]), (&json!("One"), &json!([])));
    assert_eq!(listed(&house, &session).await.len(), 1);
    // One window gets it; the other is told that it has gone, not that the agent has it.
    house.call("DELETE", &path).send().await.refused(409, "not_queued");
    gate.notify_waiters();
    house.until_ended(&session, second.turn_id).await;
    let asked: Vec<String> = house.model.look_at_requests(0, |request| request.last_user());
    assert_eq!(asked, ["Hold", "Two"], "what was taken back is never asked");
    let messages = house.call("GET", &format!("/v1/sessions/{session}/messages")).send().await.expect(200);
    assert!(!messages["items"].to_string().contains("One"), "{messages}");
    // A client that waited for it is told.
    let events = format!("/v1/sessions/{session}/events?types=turn_ended");
    let ended = house.call("GET", &events).send().await.expect(200);
    let outcome = |turn: &str| {
        let items = ended["items"].as_array().unwrap();
        items.iter().find(|one| one["turn_id"] == turn).unwrap()["data"]["outcome"].clone()
    };
    assert_eq!(outcome(&first.turn_id.to_string()), "cancelled");
    assert_eq!(outcome(&second.turn_id.to_string()), "completed");
}

/// What is told to the running turn is seen in every window until the turn has taken it in, and cannot be taken back.
#[tokio::test]
async fn what_steers_is_listed_until_it_is_told() {
    let house = House::new().await;
    let (session, gate) = held(&house).await;
    post(&house, &session, "Later").await;
    let steer = house.message(&session, "Shorter, please").await;
    let told = house.engine.accept(NewMessage { mode: InputMode::Steer, ..steer }).await.unwrap();
    let waiting = listed(&house, &session).await;
    let seen: Vec<_> = waiting.iter().map(|one| (&one["mode"], &one["content"])).collect();
    assert_eq!(seen, [(&json!("steer"), &json!("Shorter, please")), (&json!("queue"), &json!("Later"))]);
    assert_eq!(waiting[0]["turn_id"], told.turn_id.to_string());
    let path = format!("/v1/sessions/{session}/queue/{}", told.turn_id);
    house.call("DELETE", &path).send().await.refused(409, "already_started");
    gate.notify_waiters();
    house.until_ended(&session, waiting[1]["turn_id"].as_str().unwrap().parse().unwrap()).await;
    assert_eq!(listed(&house, &session).await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_waits_says_what_its_files_are() {
    let house = House::new().await;
    let (session, gate) = held(&house).await;
    let text = house.upload("notes.txt", "text/plain", b"milk, bread").await;
    let mut message = house.message(&session, "Read it").await;
    message.attachments = vec![text];
    let waiting = house.engine.accept(message).await.unwrap();
    let told = json!([{ "upload_id": text.to_string(), "name": "notes.txt", "kind": "file" }]);
    assert_eq!(listed(&house, &session).await[0]["attachments"], told);
    let path = format!("/v1/sessions/{session}/queue/{}", waiting.turn_id);
    assert_eq!(house.call("DELETE", &path).send().await.expect(200)["attachments"], told);
    gate.notify_waiters();
}

#[tokio::test]
async fn a_picture_that_waits_has_its_name() {
    let house = House::new().await;
    let (session, gate) = held(&house).await;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x01";
    let picture = house.upload("cat.png", "image/png", png).await;
    let mut message = house.message(&session, "Look").await;
    message.attachments = vec![picture];
    message.model = Some("test/scripted-vision".to_owned());
    house.engine.accept(message).await.unwrap();
    let told = json!([{ "upload_id": picture.to_string(), "name": "cat.png", "kind": "picture" }]);
    assert_eq!(listed(&house, &session).await[0]["attachments"], told);
    gate.notify_waiters();
}

#[tokio::test]
async fn of_two_windows_one_takes_a_message_back() {
    let house = House::new().await;
    let (session, gate) = held(&house).await;
    let waiting = post(&house, &session, "One").await;
    let path = format!("/v1/sessions/{session}/queue/{}", waiting.turn_id);
    let (one, two) = tokio::join!(house.call("DELETE", &path).send(), house.call("DELETE", &path).send());
    let (got, refused) = if one.status == 200 { (one, two) } else { (two, one) };
    assert_eq!(got.expect(200)["content"], "One");
    let detail = refused.refused(409, "not_queued");
    assert!(detail.contains("another window"), "{detail}");
    gate.notify_waiters();
}

#[tokio::test]
async fn what_has_begun_is_not_taken_back() {
    let house = House::new().await;
    let (session, gate) = held(&house).await;
    let running =
        house.call("GET", &format!("/v1/sessions/{session}/events?types=turn_started")).send().await;
    let running = running.expect(200)["items"][0]["turn_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{session}/queue/{running}");
    house.call("DELETE", &path).send().await.refused(409, "already_started");
    gate.notify_waiters();
    house.until_ended(&session, running.parse().unwrap()).await;
    house.call("DELETE", &path).send().await.refused(409, "not_queued");
}

#[tokio::test]
async fn the_queue_is_its_persons_alone() {
    let house = House::new().await;
    let (session, gate) = held(&house).await;
    let waiting = post(&house, &session, "Mine").await;
    let (_, other) = house.person("Bea", UserRole::Member).await;
    let list = format!("/v1/sessions/{session}/queue");
    house.call("GET", &list).key(&other).send().await.refused(404, "not_found");
    let path = format!("{list}/{}", waiting.turn_id);
    house.call("DELETE", &path).key(&other).send().await.refused(404, "not_found");
    // Another session of the same person does not hold it, and what is no id names nothing.
    let elsewhere = house.session().await;
    let path = format!("/v1/sessions/{elsewhere}/queue/{}", waiting.turn_id);
    house.call("DELETE", &path).send().await.refused(404, "not_found");
    house.call("DELETE", &format!("{list}/nothing")).send().await.refused(404, "not_found");
    assert_eq!(listed(&house, &session).await.len(), 1);
    gate.notify_waiters();
    house.until_ended(&session, waiting.turn_id).await;
}
