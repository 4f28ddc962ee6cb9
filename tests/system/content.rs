//! What becomes of conversations: titled, found, forked, over a kill, on both databases.

use crate::world::{Backend, World, worker};
use serde_json::{Value, json};
use testkit::{client::Client, model::Reply};

async fn conversations(backend: Backend) {
    let Some(mut world) = World::new(backend).await else { return };
    world.program = world.program.clone().env("MAJORDOMO_DEFAULTS_TITLES", "true");
    world.model.respond(|request| match request.last_user().starts_with("Write a title") {
        true => Reply::text("Cheese for Friday"),
        false => Reply::text("Comté."),
    });
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = worker(&client).await;
    let session = client.post("/v1/sessions", &json!({ "agent_id": agent })).await.unwrap().expect(201);
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    let message = json!({ "content": "Which one do we BUY?" });
    client.post(&format!("{path}/messages"), &message).await.unwrap().expect(200);
    let named = until(&client, &path, |session| !session["name"].is_null()).await;
    assert_eq!(named["name"], "Cheese for Friday");
    running.kill().await.unwrap();

    let running = world.serve().await;
    let client = running.client(&world.key);
    for (words, seq) in [("buy", true), ("friday%20cheese", false), ("COMT%C3%89", true)] {
        let found = first_found(&client, words).await;
        assert_eq!(found["id"], session["id"], "{words}");
        assert_eq!(found["match"]["seq"].is_u64(), seq, "{words}");
    }
    let fork = client.post(&format!("{path}/fork"), &json!({})).await.unwrap().expect(201);
    assert_eq!((&fork["parent_id"], &fork["name"]), (&session["id"], &json!("Cheese for Friday (copy)")));
    let fork = format!("/v1/sessions/{}/messages", fork["id"].as_str().unwrap());
    client.post(&fork, &json!({ "content": "And wine?" })).await.unwrap().expect(200);
    let said = client.get(&fork).await.unwrap().expect(200);
    let said: Vec<&str> = said["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["Which one do we BUY?", "Comté.", "And wine?", "Comté."]);
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    world.model.assert_clean();
}

/// A search ends early when it takes too long, and says where it goes on.
async fn first_found(client: &Client, words: &str) -> Value {
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/sessions?search={words}{cursor}");
        let page = client.get(&path).await.unwrap().expect(200);
        if let Some(first) = page["items"].get(0) {
            return first.clone();
        }
        cursor = format!("&cursor={}", page["next_cursor"].as_str().expect("it is nowhere"));
    }
}

/// Asks until it is so; every question is a round trip.
async fn until(client: &Client, path: &str, so: impl Fn(&Value) -> bool) -> Value {
    loop {
        let found = client.get(path).await.unwrap().expect(200);
        if so(&found) {
            return found;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_on_sqlite() {
    conversations(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_on_postgres() {
    conversations(Backend::Postgres).await;
}
