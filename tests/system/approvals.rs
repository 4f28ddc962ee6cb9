//! A call that waits for a yes, with the whole program: asked before a `kill -9`, answered after the restart, run once;
//! whatever else is said to it is refused.

use crate::world::{self, Backend, World, quiet};
use serde_json::{Value, json};
use testkit::{client::Client, counting, model::Reply, program::Running};

const ANSWERS: &str = "/v1/approvals";

fn effects(world: &World) -> usize {
    counting::counts(&world.counter)
        .into_iter()
        .filter(|((tool, _), _)| tool == "count_effect")
        .map(|(_, n)| n)
        .sum()
}

/// A session with an agent whose counter asks first.
async fn talk(world: &World, running: &Running) -> (Client, String) {
    let client = running.client(&world.key);
    let fields = json!({
        "name": "careful",
        "capabilities": ["counting"],
        "tool_rules": [{ "tool": "count_effect", "action": "ask" }],
    });
    let agent = world::agent(&client, fields).await;
    let session = world::new_session(&client, &agent).await;
    (client, session)
}

fn script(world: &World) {
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("count_effect", json!({ "tag": "once" }))]),
        _ => Reply::text("Done."),
    });
}

async fn waiting(client: &Client) -> Vec<Value> {
    client.get(ANSWERS).await.unwrap().expect(200)["items"].as_array().unwrap().clone()
}

fn yes(approval: &Value) -> Value {
    json!({ "decision": "approve", "digest": approval["digest"] })
}

async fn another_person(world: &World, running: &Running) -> Client {
    let client = running.client(&world.key);
    let person = json!({ "name": "Eve", "role": "member", "password": "correct horse battery" });
    client.post("/v1/users", &person).await.unwrap().expect(201);
    let key = world.program.must(&["--user", "Eve", "api-key", "new"], "").await;
    running.client(key.trim())
}

async fn asked_killed_answered(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    script(&world);
    let running = world.serve().await;
    let (client, session) = talk(&world, &running).await;
    let path = format!("/v1/sessions/{session}/messages");
    let waits = client.post(&path, &json!({ "content": "Count" })).await.unwrap().expect(202);
    let before = waiting(&client).await.remove(0);
    assert_eq!(waits["waiting"], json!([{ "approval_id": before["id"] }]));
    assert_eq!(before["shown"], json!([{ "name": "tag", "value": "once" }]));
    running.kill().await.unwrap();
    let running = world.serve().await;
    let client = running.client(&world.key);
    let after = waiting(&client).await.remove(0);
    assert_eq!(after, before, "the same id, the same digest, the same words");
    assert_eq!(effects(&world), 0);
    let answer = format!("{ANSWERS}/{}", after["id"].as_str().unwrap());
    let eve = another_person(&world, &running).await;
    eve.post(&answer, &yes(&after)).await.unwrap().expect(404);
    let other = json!({ "decision": "approve", "digest": "0".repeat(64) });
    client.post(&answer, &other).await.unwrap().expect(409);
    let bare = json!({ "decision": "approve" });
    client.post(&answer, &bare).await.unwrap().expect(400);
    let always = json!({ "decision": "approve", "scope": "always", "digest": after["digest"] });
    client.post(&answer, &always).await.unwrap().expect(403);
    assert_eq!(effects(&world), 0, "nothing of that was a yes");
    client.post(&answer, &yes(&after)).await.unwrap().expect(200);
    client.post(&answer, &yes(&after)).await.unwrap().expect(409);
    quiet(&client, &session).await;
    assert_eq!(effects(&world), 1, "it ran exactly once");
    running.kill().await.unwrap();
    let running = world.serve().await;
    quiet(&running.client(&world.key), &session).await;
    assert_eq!(effects(&world), 1, "and not again");
    world.model.assert_clean();
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn asked_before_a_kill_answered_after_it_and_run_once() {
    asked_killed_answered(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn asked_before_a_kill_answered_after_it_and_run_once_on_postgres() {
    asked_killed_answered(Backend::Postgres).await;
}
