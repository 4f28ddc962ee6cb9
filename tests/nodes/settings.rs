//! What an admin sets at one node holds at the others.

use crate::several::{Nodes, new_session};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{
    client::Client,
    model::{ModelServer, Reply},
};
use tokio::sync::Notify;

/// One message, and the outcome of its turn.
async fn ask(client: &Client, session: &str, words: &str) -> Value {
    let sent = client.send_message(session, words, &json!({ "content": words })).await.unwrap();
    let events = sent.collect().await.unwrap();
    let ended = events.iter().map(|event| &event.data).find(|data| data["type"] == "turn_ended");
    ended.unwrap_or_else(|| panic!("{words}: {events:?}"))["data"]["outcome"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_every_agent_is_told_is_the_same_at_each_node() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    let (first, second) = (running[0].client(&nodes.key), running[1].client(&nodes.key));
    nodes.model.respond(|_| Reply::text("Good."));
    // The second has read the words of the house before they change.
    let session = new_session(&second).await;
    assert_eq!(ask(&second, &session, "Hello").await, "completed");
    for (words, said) in [("Speak of the sea.", "And?"), ("Speak of mountains.", "And then?")] {
        first.put("/v1/house", &json!({ "custom_prompt": words })).await.unwrap().expect(200);
        assert_eq!(ask(&second, &session, said).await, "completed");
        let told = nodes.model.last_request().unwrap().raw;
        assert!(told.contains(words), "{told}");
        let shown = second.get("/v1/house").await.unwrap().expect(200);
        assert_eq!(shown["custom_prompt"], words);
    }
    first.put("/v1/house", &json!({ "custom_prompt": null })).await.unwrap().expect(200);
    assert_eq!(ask(&second, &session, "And now?").await, "completed");
    assert!(!nodes.model.last_request().unwrap().raw.contains("mountains."));
}

/// Another provider, added at one node, and a session at another node whose agent has its model.
async fn other_provider(first: &Client, second: &Client) -> (ModelServer, String) {
    let other = ModelServer::start().await;
    other.models(["small"]);
    other.respond(|_| Reply::text("Good. ".repeat(400)));
    let fields = json!({ "base_url": other.url(), "api_key": "sk-of-the-other" });
    first.put("/v1/providers/other", &fields).await.unwrap().expect(200);
    let agent = json!({ "name": "by the other", "model": "other/small", "capabilities": ["current_time"] });
    let agent = second.post("/v1/agents", &agent).await.unwrap().expect(201);
    let session = second.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    (other, session["id"].as_str().unwrap().to_owned())
}

/// The key of a deleted provider may have been revoked for a reason.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_was_deleted_at_one_node_is_asked_by_none() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    let (first, second) = (running[0].client(&nodes.key), running[1].client(&nodes.key));
    let (other, session) = other_provider(&first, &second).await;
    assert_eq!(ask(&second, &session, "Hello").await, "completed");
    assert_eq!(other.request_count(), 1);
    assert_eq!(first.delete("/v1/providers/other").await.unwrap().status, 204);
    assert_eq!(ask(&second, &session, "Once more").await, "failed");
    assert_eq!(other.request_count(), 1, "asked with a key that was deleted");
}

/// As above, where the other node was told nothing since: a person wants a summary there, or a test of the provider.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_was_deleted_makes_no_summary() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    let (first, second) = (running[0].client(&nodes.key), running[1].client(&nodes.key));
    let (other, session) = other_provider(&first, &second).await;
    for words in ["Hello", "And then?", "And then again?"] {
        assert_eq!(ask(&second, &session, words).await, "completed");
    }
    let compact = format!("/v1/sessions/{session}/compact");
    // The control: there is something to summarise, and that model is asked for it.
    let made = second.post(&compact, &json!({})).await.unwrap().expect(200);
    assert_eq!((&made["compacted"], other.request_count() > 3), (&json!(true), true), "{made}");
    assert_eq!(ask(&second, &session, "Once more").await, "completed");
    assert_eq!(ask(&second, &session, "And once more").await, "completed");
    let asked = other.request_count();
    assert_eq!(first.delete("/v1/providers/other").await.unwrap().status, 204);
    let refused = second.post(&compact, &json!({})).await.unwrap();
    assert_eq!((refused.status, &refused.body["code"]), (400, &json!("unknown_model")), "{}", refused.body);
    assert_eq!(second.post("/v1/providers/other/test", &json!({})).await.unwrap().status, 404);
    assert_eq!(other.request_count(), asked, "asked with a key that was deleted");
}

/// As above, while a turn runs at the other node: its next step is not asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_was_deleted_is_not_asked_for_the_next_step() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    let (first, second) = (running[0].client(&nodes.key), running[1].client(&nodes.key));
    let (other, session) = other_provider(&first, &second).await;
    let gate = Arc::new(Notify::new());
    other.script(Reply::calls([("get_current_time", json!({}))]).gate(gate.clone()));
    let asking = ask(&second, &session, "How late is it?");
    let deleting = async {
        other.wait_for(1).await;
        assert_eq!(first.delete("/v1/providers/other").await.unwrap().status, 204);
        gate.notify_one();
    };
    let (outcome, ()) = tokio::join!(asking, deleting);
    assert_eq!(outcome, "failed");
    assert_eq!(other.request_count(), 1, "asked with a key that was deleted");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_model_of_one_node_is_asked_by_the_other() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    let (first, second) = (running[0].client(&nodes.key), running[1].client(&nodes.key));
    nodes.model.respond(|_| Reply::text("Good."));
    let (other, _) = other_provider(&first, &second).await;
    // The second has asked the default model of before.
    let session = new_session(&second).await;
    assert_eq!(ask(&second, &session, "Hello").await, "completed");
    assert_eq!((nodes.model.request_count() > 0, other.request_count()), (true, 0), "the control");
    let owner = Client::signed_in(&running[0].base, "ada", "correct horse").await.unwrap().unwrap();
    for round in 0..3 {
        let (before, of_other) = (nodes.model.request_count(), other.request_count());
        owner.put("/v1/models/default", &json!({ "model": "other/small" })).await.unwrap().expect(200);
        assert_eq!(ask(&second, &session, &format!("And now, {round}?")).await, "completed");
        assert_eq!((nodes.model.request_count(), other.request_count() > of_other), (before, true));
        let shown = second.get("/v1/models/default").await.unwrap().expect(200);
        assert_eq!(shown["model"], "other/small", "{shown}");
        let of_other = other.request_count();
        owner.put("/v1/models/default", &json!({ "model": null })).await.unwrap().expect(200);
        assert_eq!(ask(&second, &session, &format!("And again, {round}?")).await, "completed");
        assert_eq!((nodes.model.request_count() > before, other.request_count()), (true, of_other));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ability_that_was_changed_at_one_node_is_used_so_at_the_other() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    let (first, second) = (running[0].client(&nodes.key), running[1].client(&nodes.key));
    nodes.model.respond(|_| Reply::text("Good."));
    // It is told at the beginning of every session.
    let text = |words: &str| json!({ "name": "report", "content": words, "startup": true });
    let made = first.post("/v1/abilities", &text("Write about rivers.")).await.unwrap().expect(201);
    let agent = json!({ "name": "writer", "capabilities": ["report"] });
    let agent = second.post("/v1/agents", &agent).await.unwrap().expect(201);
    let session = second.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    let session = session["id"].as_str().unwrap();
    let told = async |said: &str, words: &str| {
        let before = nodes.model.request_count();
        assert_eq!(ask(&second, session, said).await, "completed");
        // A request for a title may come after it.
        let told = nodes.model.look_at_requests(before, |request| request.raw.clone());
        assert!(told.iter().any(|told| told.contains(words)), "{told:?}");
    };
    told("Begin.", "Write about rivers.").await;
    let path = format!("/v1/abilities/{}", made["id"].as_str().unwrap());
    for words in ["Write about the sea.", "Write about mountains."] {
        first.put(&path, &text(words)).await.unwrap().expect(200);
        told(&format!("Go on, after {} letters.", words.len()), words).await;
    }
}
