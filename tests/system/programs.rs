//! Programs that agents run, with the whole program: asked about, run in the cage, kept; and killed in the middle.

use crate::world::{self, Backend, World, quiet};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{client::Client, model::Reply, program::Running};

/// Nobody else on this machine sleeps exactly this long.
const fn mark(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => "86402.375",
        Backend::Postgres => "86403.375",
    }
}

async fn talk(world: &World, running: &Running) -> (Client, String) {
    let client = running.client(&world.key);
    // What runs programs is given to an agent in the terminal of the house: a key may not.
    let made = ["--json", "agent", "add", "handy", r#"capabilities=["sandbox"]"#];
    let made: Value = serde_json::from_str(&world.program.must(&made, "").await).unwrap();
    let agent = made["id"].as_str().unwrap().to_owned();
    let session = world::new_session(&client, &agent).await;
    (client, session)
}

fn is_running(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).split('\0').any(|argument| argument == mark))
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), waiting).await.is_ok(), "{what}");
}

/// Says yes to the one thing that waits.
async fn approve(client: &Client) {
    let waiting = client.get("/v1/approvals").await.unwrap().expect(200);
    let approval = &waiting["items"][0];
    let path = format!("/v1/approvals/{}", approval["id"].as_str().unwrap());
    let yes = json!({ "decision": "approve", "digest": approval["digest"] });
    client.post(&path, &yes).await.unwrap().expect(200);
}

async fn results(client: &Client, session: &str) -> Vec<Value> {
    let path = format!("/v1/sessions/{session}/events?after=0&limit=1000&types=tool_result");
    let events = client.get(&path).await.unwrap().expect(200);
    events["items"].as_array().unwrap().iter().map(|event| event["data"].clone()).collect()
}

/// Names and sizes.
async fn files(client: &Client, session: &str) -> Vec<(String, u64)> {
    let listed = client.get(&format!("/v1/sessions/{session}/files")).await.unwrap().expect(200);
    let file =
        |info: &Value| (info["name"].as_str().unwrap().to_owned(), info["size_bytes"].as_u64().unwrap());
    listed["items"].as_array().unwrap().iter().map(file).collect()
}

async fn asked_run_and_killed(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    let mark = mark(backend);
    world.model.respond(move |request| match (request.last_user(), request.results_since_user().len()) {
        (said, 0) if said == "Write" => {
            Reply::calls([("bash", json!({ "command": "echo hello > greeting; cat greeting" }))])
        }
        (said, 0) if said == "Hang" => Reply::calls([(
            "bash",
            json!({ "command": format!("echo half > half; sleep {mark}"), "timeout": 100 }),
        )]),
        _ => Reply::text("Done."),
    });
    let running = world.serve().await;
    let (client, session) = talk(&world, &running).await;
    let messages = format!("/v1/sessions/{session}/messages");
    client.post(&messages, &json!({ "content": "Write" })).await.unwrap().expect(202);
    assert!(results(&client, &session).await.is_empty(), "nothing runs before the yes");
    approve(&client).await;
    quiet(&client, &session).await;
    let told = results(&client, &session).await;
    assert_eq!(
        (&told[0]["status"], told[0]["content"].as_str().unwrap().contains("hello")),
        (&json!("ok"), true),
        "{told:?}"
    );
    assert_eq!(files(&client, &session).await, [("greeting".to_owned(), 6)]);
    client.post(&messages, &json!({ "content": "Hang" })).await.unwrap().expect(202);
    approve(&client).await;
    until("it does not run", || is_running(mark)).await;
    running.kill().await.unwrap();
    until("somebody is left", || !is_running(mark)).await;
    let running = world.serve().await;
    let client = running.client(&world.key);
    quiet(&client, &session).await;
    let told = results(&client, &session).await;
    assert_eq!((told.len(), &told[1]["status"]), (2, &json!("unknown")), "{told:?}");
    assert!(!is_running(mark), "it runs again");
    assert_eq!(files(&client, &session).await.len(), 1, "nothing of it was kept");
    world.model.assert_clean();
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_asked_about_kept_and_never_repeated_after_a_kill() {
    asked_run_and_killed(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_asked_about_kept_and_never_repeated_after_a_kill_on_postgres() {
    asked_run_and_killed(Backend::Postgres).await;
}
