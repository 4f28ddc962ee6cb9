//! What a newcomer does first: no configuration, no key of any vendor.

use crate::world;
use serde_json::{Value, json};
use std::path::PathBuf;
use testkit::program::Program;

/// The program as it is shipped, built beside the one under test.
pub fn shipped() -> PathBuf {
    let path = PathBuf::from(world::under_test()).with_file_name("majordomo");
    assert!(path.exists(), "build it first: cargo build -p majordomo");
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_works_at_once_and_uses_a_tool() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::new(shipped(), folder.path().join("data"));
    let reply = program.must(&["chat", "--once", "Hello! What time is it?"], "").await;
    assert!(reply.contains("demo"), "{reply}");
    let told = program.must(&["--json", "chat", "--once", "And now?"], "").await;
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["outcome"], "completed", "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_way_without_a_browser_works_with_curl() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::new(shipped(), folder.path().join("data"));
    let key = program.set_up().await;
    let running = program.serve().await.unwrap();
    let client = running.client(&key);
    let me = client.get("/v1/me").await.unwrap().expect(200);
    assert_eq!(me["name"], "ada");
    assert_eq!(me["role"], "owner");
    let agents = client.get("/v1/agents").await.unwrap().expect(200);
    let main = agents["items"][0]["id"].as_str().unwrap();
    let session = world::new_session(&client, main).await;
    let path = format!("/v1/sessions/{session}/messages");
    let answer = client.post(&path, &json!({ "content": "What time is it?" })).await.unwrap().expect(200);
    assert_eq!(answer["outcome"], "completed");
    assert_eq!(answer["calls"][0]["name"], "get_current_time");
    assert_eq!(answer["calls"][0]["status"], "ok");
    // The terminal reaches the same server, and the same sessions, through the control socket.
    let reply = program.must(&["chat", "--session", &session, "--once", "Still there?"], "").await;
    assert!(!reply.is_empty());
    let messages = client.get(&path).await.unwrap().expect(200);
    assert!(messages["items"].as_array().unwrap().iter().any(|message| message["content"] == "Still there?"));
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}
