//! The model that a person chooses in a conversation, and for one message. The scripted server records which it was asked for.

use crate::support::House;
use domain::UserRole;
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

const LARGE: &str = "second/large";

/// A house with a second provider, which has a model of its own.
async fn house() -> (House, testkit::model::ModelServer) {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("small"));
    let second = testkit::model::ModelServer::start().await;
    second.models(["large"]);
    second.respond(|_| Reply::text("large"));
    let body = json!({ "wire": "openai", "base_url": second.url(), "price": "free" });
    house.call("PUT", "/v1/providers/second").json(&body).send().await.expect(200);
    (house, second)
}

async fn say(house: &House, session: &str, body: Value) -> String {
    let path = format!("/v1/sessions/{session}/messages");
    let answer = house.call("POST", &path).json(&body).send().await.expect(200);
    answer["reply"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_model_answers_in_a_conversation_until_another_is_chosen() {
    let (house, second) = house().await;
    let session = house.session().await;
    let path = format!("/v1/sessions/{session}");
    assert_eq!(say(&house, &session, json!({ "content": "One" })).await, "small");
    let chosen = house.call("PATCH", &path).json(&json!({ "model": LARGE })).send().await.expect(200);
    assert_eq!(chosen["model"], LARGE);
    assert_eq!(say(&house, &session, json!({ "content": "Two" })).await, "large");
    assert_eq!(second.last_request().unwrap().body["model"], "large");
    // Another conversation with the same agent has its own.
    let other = house.session().await;
    assert_eq!(say(&house, &other, json!({ "content": "Here?" })).await, "small");
    let back = house.call("PATCH", &path).json(&json!({ "model": null })).send().await.expect(200);
    assert_eq!(back["model"], Value::Null);
    assert_eq!(say(&house, &session, json!({ "content": "Three" })).await, "small");
    // It goes along into a copy and into the conversation that /clear begins.
    house.call("PATCH", &path).json(&json!({ "model": LARGE })).send().await.expect(200);
    let fork = house.call("POST", &format!("{path}/fork")).json(&json!({})).send().await.expect(201);
    assert_eq!(fork["model"], LARGE);
    let clear = json!({ "line": "/clear", "session_id": session });
    let cleared = house.call("POST", "/v1/commands").json(&clear).send().await.expect(200);
    assert_eq!(cleared["data"]["session"]["model"], LARGE);
}

#[tokio::test]
async fn one_message_is_answered_by_another_model_also_from_the_queue() {
    let (house, second) = house().await;
    let session = house.session().await;
    assert_eq!(say(&house, &session, json!({ "content": "One", "model": LARGE })).await, "large");
    assert_eq!(say(&house, &session, json!({ "content": "Two" })).await, "small", "it was for one message");
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    house.model.respond(move |_| Reply::text("small").gate(held.clone()));
    let before = second.request_count();
    let path = format!("/v1/sessions/{session}/messages");
    let (first, waiting) = (json!({ "content": "Hold" }), json!({ "content": "After", "model": LARGE }));
    let running = house.call("POST", &path).json(&first).send();
    let queued = async {
        while house.model.request_count() < 2 {
            tokio::task::yield_now().await;
        }
        let sending = house.call("POST", &path).json(&waiting).send();
        let release = async {
            let queued = async || {
                house
                    .call("GET", &format!("/v1/sessions/{session}/events?types=input_accepted"))
                    .send()
                    .await
                    .expect(200)
            };
            while queued().await["items"].as_array().unwrap().len() < 4 {
                tokio::task::yield_now().await;
            }
            assert_eq!(second.request_count(), before, "it waits");
            gate.notify_waiters();
        };
        tokio::join!(sending, release).0
    };
    let (running, queued) = tokio::join!(running, queued);
    assert_eq!(
        (&running.expect(200)["reply"], &queued.expect(200)["reply"]),
        (&json!("small"), &json!("large"))
    );
}

#[tokio::test]
async fn only_models_that_exist_and_only_for_own_agents() {
    let (house, _second) = house().await;
    let session = house.session().await;
    let (path, messages) = (format!("/v1/sessions/{session}"), format!("/v1/sessions/{session}/messages"));
    for wrong in ["nobody/nothing", "", " ", "second/\u{0}", "second/meet me at nine", &"x".repeat(400)] {
        house
            .call("PATCH", &path)
            .json(&json!({ "model": wrong }))
            .send()
            .await
            .refused(400, "unknown_model");
        let body = json!({ "content": "Hi", "model": wrong });
        house.call("POST", &messages).json(&body).send().await.refused(400, "unknown_model");
    }
    let agent = house.main_agent().await;
    let (_, key) = house.person("Bea", UserRole::Member).await;
    house
        .call("PATCH", &format!("/v1/agents/{agent}"))
        .json(&json!({ "shared_with": ["*"] }))
        .send()
        .await
        .expect(200);
    let shared = json!({ "agent_id": agent });
    let theirs = house.call("POST", "/v1/sessions").key(&key).json(&shared).send().await.expect(201);
    let path = format!("/v1/sessions/{}", theirs["id"].as_str().unwrap());
    let body = json!({ "model": LARGE });
    house.call("PATCH", &path).key(&key).json(&body).send().await.refused(403, "model_not_yours");
    let new = json!({ "agent_id": agent, "model": LARGE });
    house.call("POST", "/v1/sessions").key(&key).json(&new).send().await.refused(403, "model_not_yours");
    let message = json!({ "content": "Hi", "model": LARGE });
    let refused = house.call("POST", &format!("{path}/messages")).key(&key).json(&message).send().await;
    refused.refused(403, "model_not_yours");
    // Control: without a choice the agent answers them.
    let message = json!({ "content": "Hi" });
    let told =
        house.call("POST", &format!("{path}/messages")).key(&key).json(&message).send().await.expect(200);
    assert_eq!(told["reply"], "small");
}

#[tokio::test]
async fn a_command_chooses_as_well() {
    let (house, _second) = house().await;
    let session = house.session().await;
    let run = async |line: &str| {
        let body = json!({ "line": line, "session_id": session });
        house.call("POST", "/v1/commands").json(&body).send().await
    };
    let listed = run("/model").await.expect(200);
    let text = listed["text"].as_str().unwrap();
    assert!(text.contains("`second/large`: free"), "{text}");
    let chosen = run("/model second/large").await.expect(200);
    assert_eq!(chosen["data"]["session"]["model"], LARGE);
    assert!(run("/model").await.expect(200)["text"].as_str().unwrap().starts_with("`second/large` answers"));
    assert_eq!(say(&house, &session, json!({ "content": "Hi" })).await, "large");
    run("/model nobody/nothing").await.refused(400, "unknown_model");
    assert_eq!(run("/model default").await.expect(200)["data"]["session"]["model"], Value::Null);
}
