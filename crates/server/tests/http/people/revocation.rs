//! What goes on longer ends with the proof that began it. The limit only keeps a stream that does not end from holding
//! the test up.

use crate::support::{Events, House, PASSWORD};
use domain::{Scope, UserRole};
use engine::{NewKey, UserChange};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::{sync::Notify, time::timeout};

const LIMIT: Duration = Duration::from_secs(60);

async fn stream(house: &House, key: &str) -> Events {
    let mut events = house.anonymous("GET", "/v1/events/stream").key(key).events().await;
    events.until("snapshot").await;
    events
}

async fn ends(events: Events) {
    timeout(LIMIT, events.collect()).await.expect("the stream went on");
}

/// HERO-36
#[tokio::test]
async fn streams_end_with_what_they_came_with() {
    let house = House::new().await;
    let operator = house.operator().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let mut events = grace.call("GET", "/v1/events/stream").events().await;
    events.until("snapshot").await;
    let key = house.issue(grace.id, Scope::Full).await;
    let mut socket = house.socket_of(&key).await;
    assert_eq!(grace.call("POST", "/v1/logout").send().await.status, 204);
    ends(events).await;
    // The control: what runs on the key goes on.
    socket.say(&json!({ "type": "ping" })).await;
    assert_eq!(socket.answer().await["type"], "pong");

    let expires_at = Some(house.engine.now().plus_millis(60_000));
    let new =
        NewKey { user_id: grace.id, name: "short".to_owned(), scope: Scope::Read, source: None, expires_at };
    let events = stream(&house, &house.engine.people().issue_key(new).await.unwrap().secret).await;
    house.clock.advance(60_000);
    ends(events).await;

    let events = stream(&house, &key).await;
    let demoted = UserChange { role: Some(UserRole::Guest), ..UserChange::default() };
    house.engine.people().change_user(&operator, grace.id, demoted).await.unwrap();
    ends(events).await;
    assert_eq!(timeout(LIMIT, socket.closed()).await.unwrap(), 4401);

    let events = stream(&house, &key).await;
    house.engine.remove_user(&operator, grace.id).await.unwrap();
    ends(events).await;
}

#[tokio::test]
async fn a_new_password_ends_what_runs_on_other_logins() {
    let house = House::new().await;
    let (here, there) = (house.resident("Grace", UserRole::Member).await, house.sign_in("Grace").await);
    let mut kept = here.handshake().open().await;
    let mut socket = there.handshake().open().await;
    let mut events = there.call("GET", "/v1/events/stream").events().await;
    events.until("snapshot").await;
    let change = json!({ "old": PASSWORD, "new": "another one" });
    assert_eq!(here.call("POST", "/v1/me/password").json(&change).send().await.status, 204);
    ends(events).await;
    assert_eq!(timeout(LIMIT, socket.closed()).await.unwrap(), 4401);
    assert_eq!(kept.ask(&json!({ "type": "ping" })).await["type"], "pong");
}

#[tokio::test]
async fn a_turn_is_not_followed_by_a_key_that_is_gone_but_goes_on() {
    let house = House::new().await;
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::text("Said to nobody.").gate(gate.clone()));
    let key = house.issue(house.owner().await, Scope::Chat).await;
    let path = format!("/v1/sessions/{}/messages", house.session().await);
    let body = json!({ "content": "Hello" });
    let call = house.anonymous("POST", &format!("{path}/stream")).key(&key).json(&body);
    let mut events = call.events().await;
    events.until("message_start").await;
    let keys = house.call("GET", "/v1/api-keys").send().await.expect(200);
    let chat = keys["items"].as_array().unwrap().iter().find(|key| key["scope"] == "chat").unwrap();
    let chat = format!("/v1/api-keys/{}", chat["id"].as_str().unwrap());
    let mut follower = house.call("GET", "/v1/events/stream").events().await;
    assert_eq!(house.call("DELETE", &chat).send().await.status, 204);
    let rest = timeout(LIMIT, events.collect()).await.expect("the stream went on");
    assert!(rest.iter().all(|event| event.event != "turn_ended"), "{rest:?}");
    gate.notify_one();
    follower.until("turn_ended").await;
}

#[tokio::test]
async fn a_proof_that_ends_elsewhere_is_noticed() {
    let house = House::new().await;
    let events = stream(&house, &house.key).await;
    let elsewhere = |tx: &mut store::Tx| tx.run("UPDATE api_keys SET revoked_at = 1", vec![]);
    house.engine.store().write(elsewhere).await.unwrap();
    ends(events).await;
}

#[tokio::test]
async fn a_request_that_waits_is_sent_away() {
    let house = House::new().await;
    let grace = house.resident("Grace", UserRole::Member).await;
    let main = house.engine.agent_by_name(grace.id, "main".to_owned()).await.unwrap();
    let body = json!({ "agent_id": main.id });
    let session = grace.call("POST", "/v1/sessions").json(&body).send().await.expect(201);
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    house.model.script(Reply::text("Never said.").gate(Arc::new(Notify::new())));
    let mut events = grace.call("GET", &format!("{path}/events/stream")).events().await;
    let message = json!({ "content": "Hello" });
    let waiting = tokio::spawn(grace.call("POST", &format!("{path}/messages")).json(&message).send());
    events.until("message_start").await;
    assert_eq!(grace.call("POST", "/v1/logout").send().await.status, 204);
    timeout(LIMIT, waiting).await.expect("the request went on").unwrap().refused(401, "unauthorized");
}
