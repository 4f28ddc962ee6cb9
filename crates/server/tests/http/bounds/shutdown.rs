//! Going down: streams end, requests finish or are told that it is too late.

use crate::support::{House, Options};
use serde_json::json;
use server::HttpSettings;
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::{net::TcpStream, sync::Notify};

#[tokio::test]
async fn streams_end_and_the_server_returns() {
    let house = House::new().await;
    let session = house.session().await;
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::pieces(["Hel", "lo"]).gate_after_pieces(1, gate));
    let mut follower = house.call("GET", &format!("/v1/sessions/{session}/events/stream")).events().await;
    let path = format!("/v1/sessions/{session}/messages/stream");
    let mut sender = house.call("POST", &path).json(&json!({ "content": "Hi" })).events().await;
    sender.until("text").await;
    follower.until("text").await;
    house.stop.cancel();
    assert!(sender.next().await.is_none());
    assert!(follower.next().await.is_none());
    house.serving.await.unwrap().unwrap();
    assert!(TcpStream::connect(house.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn a_request_that_runs_is_answered() {
    let house = House::new().await;
    let session = house.session().await;
    let gate = Arc::new(Notify::new());
    house.model.script(Reply::text("Just in time.").gate(gate.clone()));
    let path = format!("/v1/sessions/{session}/messages");
    let asking = tokio::spawn(house.call("POST", &path).json(&json!({ "content": "Hi" })).send());
    house.model.wait_for(1).await;
    house.stop.cancel();
    gate.notify_one();
    assert_eq!(asking.await.unwrap().expect(200)["message"]["content"], "Just in time.");
    house.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_turn_that_takes_too_long_is_left_for_the_next_start() {
    let http = HttpSettings { grace: Duration::from_millis(50), ..HttpSettings::default() };
    let house = House::with(Options { http, ..Options::default() }).await;
    let session = house.session().await;
    house.model.script(Reply::text("Too late.").gate(Arc::new(Notify::new())));
    let path = format!("/v1/sessions/{session}/messages");
    let asking = tokio::spawn(house.call("POST", &path).json(&json!({ "content": "Hi" })).send());
    house.model.wait_for(1).await;
    house.stop.cancel();
    let answer = asking.await.unwrap();
    assert!(!answer.header("retry-after").is_empty());
    let detail = answer.refused(503, "shutting_down");
    assert!(detail.contains("turn_"), "{detail}");
    house.serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_engine_that_goes_down_takes_nothing_new() {
    let house = House::new().await;
    let session = house.session().await;
    house.engine.shutdown(Duration::ZERO).await;
    let ready = house.anonymous("GET", "/readyz").send().await;
    assert!(!ready.header("retry-after").is_empty());
    ready.refused(503, "shutting_down");
    house.anonymous("GET", "/healthz").send().await.expect(200);
    let path = format!("/v1/sessions/{session}/messages");
    let refused = house.call("POST", &path).json(&json!({ "content": "Hi" })).send().await;
    refused.refused(503, "shutting_down");
}
