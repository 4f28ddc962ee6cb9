//! No word of a person, a model or a tool, and no key, is on the disk in the clear: while the program runs, after it was
//! killed, and after it has ended.

use crate::world::{self, Backend, World, quiet};
use serde_json::json;
use std::path::{Path, PathBuf};
use testkit::model::Reply;

/// Each is somewhere else in the program's memory; none may reach a file.
const SAID: &str = "canary-of-a-person-4f1d";
const REPLIED: &str = "canary-of-a-model-77ae";
const ARGUMENT: &str = "canary-of-an-argument-91c2";
const PROMPT: &str = "canary-of-a-prompt-0b5e";
const AGENT: &str = "canary-of-an-agent-c3d9";
const SESSION: &str = "canary-of-a-title-e8f0";

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => found.extend(files(&path)),
            kind if kind.is_file() => found.push(path),
            _ => {}
        }
    }
    found
}

/// The files in which one of the words stands, plainly or as UTF-16.
fn leaks(folder: &Path, words: &[&str]) -> Vec<String> {
    let mut leaks = Vec::new();
    for path in files(folder) {
        let bytes = std::fs::read(&path).unwrap();
        for word in words {
            let wide: Vec<u8> = word.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let stands = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
            if stands(word.as_bytes()) || stands(&wide) {
                leaks.push(format!("{word} in {}", path.display()));
            }
        }
    }
    leaks
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_readable_is_on_the_disk() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    world.model.queue([
        Reply::text(REPLIED).then_calls([("count_effect", json!({ "tag": ARGUMENT }))]),
        Reply::text("done"),
    ]);
    let folder = world.program.data().to_owned();
    let running = world.serve().await;
    let client = running.client(&world.key);
    let capabilities = json!(["counting"]);
    let fields = json!({ "name": AGENT, "system_prompt": PROMPT, "capabilities": capabilities });
    let agent = world::agent(&client, fields).await;
    let session = client.post("/v1/sessions", &json!({ "agent_id": agent, "name": SESSION })).await.unwrap();
    let session = session.expect(201)["id"].as_str().unwrap().to_owned();
    client.send_message(&session, SAID, &json!({ "content": SAID })).await.unwrap().collect().await.unwrap();
    quiet(&client, &session).await;

    let words = [SAID, REPLIED, ARGUMENT, PROMPT, AGENT, SESSION, world.key.as_str(), "correct horse"];
    // The control: the search finds what is there. The counting tool wrote the argument to its own file outside.
    assert_eq!(leaks(world.data.path(), &[ARGUMENT]).len(), 1);
    assert_eq!(leaks(&folder, &words), Vec::<String>::new(), "while it runs");
    running.kill().await.unwrap();
    assert_eq!(leaks(&folder, &words), Vec::<String>::new(), "after it was killed");
    let running = world.serve().await;
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    assert_eq!(leaks(&folder, &words), Vec::<String>::new(), "after it has ended");
}
