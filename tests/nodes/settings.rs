//! What an admin sets at one node holds at the others.

use crate::several::{Nodes, new_session};
use serde_json::{Value, json};
use testkit::{
    client::Client,
    model::{ModelServer, Reply},
};

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

/// The key of a deleted provider may have been revoked for a reason.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_was_deleted_at_one_node_is_asked_by_none() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    let (first, second) = (running[0].client(&nodes.key), running[1].client(&nodes.key));
    let other = ModelServer::start().await;
    other.models(["small"]);
    other.respond(|_| Reply::text("Good."));
    let fields = json!({ "base_url": other.url(), "api_key": "sk-of-the-other" });
    first.put("/v1/providers/other", &fields).await.unwrap().expect(200);
    let agent = json!({ "name": "by the other", "model": "other/small" });
    let agent = second.post("/v1/agents", &agent).await.unwrap().expect(201);
    let session = second.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    let session = session["id"].as_str().unwrap();
    assert_eq!(ask(&second, session, "Hello").await, "completed");
    assert_eq!(other.request_count(), 1);
    assert_eq!(first.delete("/v1/providers/other").await.unwrap().status, 204);
    assert_eq!(ask(&second, session, "Once more").await, "failed");
    assert_eq!(other.request_count(), 1, "asked with a key that was deleted");
}
