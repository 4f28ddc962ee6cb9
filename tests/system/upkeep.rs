//! Backups, agents as files, the log: what an owner does at the end of the day.

use crate::world::{self, Backend, World};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use testkit::{model::Reply, program::Program};

fn text(output: &std::process::Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Somebody talks all the time.
async fn talking(world: &World, base: &str, session: String, enough: Arc<AtomicBool>) -> usize {
    let client = testkit::client::Client::new(base, &world.key);
    let mut said = 0;
    while !enough.load(Ordering::SeqCst) {
        let body = json!({ "content": format!("word {said}") });
        client.post(&format!("/v1/sessions/{session}/messages"), &body).await.unwrap().expect(200);
        said += 1;
    }
    said
}

async fn a_backup_under_load(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    world.model.respond(|request| Reply::text(format!("you said {}", request.last_user())));
    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let session = world::new_session(&client, &agent).await;
    let first = json!({ "content": "first" });
    client.post(&format!("/v1/sessions/{session}/messages"), &first).await.unwrap().expect(200);
    let (enough, file) = (Arc::new(AtomicBool::new(false)), world.data.path().join("house.backup"));
    let name = file.to_str().unwrap();
    let backup = async {
        let made = world.program.must(&["backup", name, "--json"], "").await;
        enough.store(true, Ordering::SeqCst);
        serde_json::from_str::<Value>(&made).unwrap()
    };
    let (made, said) = tokio::join!(backup, talking(&world, &running.base, session.clone(), enough.clone()));
    assert!(said > 0, "nobody talked meanwhile");
    let again = world.program.run(&["backup", name], "").await.unwrap();
    assert!(!again.status.success() && text(&again).contains("already exists"), "{}", text(&again));
    let refused = world.program.run(&["restore", name, "--force"], "").await.unwrap();
    assert!(!refused.status.success() && text(&refused).contains("already uses"), "{}", text(&refused));
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    restored_elsewhere(&world, name, &made, &session).await;
}

/// In another house, always on SQLite: it has the key, the backup, and nothing else.
async fn restored_elsewhere(world: &World, name: &str, made: &Value, session: &str) {
    let elsewhere = world.data.path().join("elsewhere");
    let program = Program::new(world::under_test(), &elsewhere).model(&world.model.url());
    let refused = program.run(&["restore", name], "").await.unwrap();
    assert!(text(&refused).contains("no master key"), "{}", text(&refused));
    std::fs::copy(world.program.data().join("master.key"), elsewhere.join("master.key")).unwrap();
    let told = program.must(&["restore", name, "--keep-keys", "--json"], "").await;
    assert_eq!(serde_json::from_str::<Value>(&told).unwrap()["checksum"], made["checksum"]);
    let twice = program.run(&["restore", name], "").await.unwrap();
    assert!(text(&twice).contains("not empty"), "{}", text(&twice));
    // Nothing is added but that it was restored, and a server that ran then is not one that runs now.
    let again = elsewhere.join("again.backup");
    let made_again = program.must(&["backup", again.to_str().unwrap(), "--json"], "").await;
    let made_again: Value = serde_json::from_str(&made_again).unwrap();
    let servers = u64::from(world.store.starts_with("postgres"));
    assert_eq!(made_again["rows"].as_u64(), made["rows"].as_u64().map(|rows| rows + 1 - servers));
    let running = program.serve().await.unwrap();
    let client = running.client(&world.key);
    let messages = client.get(&format!("/v1/sessions/{session}/messages")).await.unwrap().expect(200);
    assert!(messages["items"].as_array().unwrap().len() >= 2, "{messages}");
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_restores_elsewhere_on_sqlite() {
    a_backup_under_load(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_restores_elsewhere_on_postgres() {
    a_backup_under_load(Backend::Postgres).await;
}

/// THREAT[backup-01]
#[tokio::test(flavor = "multi_thread")]
async fn a_restored_house_takes_no_key_or_link_of_before() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let running = world.serve().await;
    let link = json!({ "role": "member" });
    let made = running.client(&world.key).post("/v1/account-links", &link).await.unwrap();
    assert_eq!(made.status, 201);
    running.terminate().await.unwrap();
    let before = world.data.path().join("before");
    let keys: Value =
        serde_json::from_str(&world.program.must(&["api-key", "list", "--json"], "").await).unwrap();
    let id = keys["items"][0]["id"].as_str().unwrap();
    world.program.must(&["backup", before.to_str().unwrap()], "").await;
    world.program.must(&["api-key", "revoke", id], "").await;
    let me = async || {
        let running = world.serve().await;
        let status = running.client(&world.key).get("/v1/me").await.unwrap().status;
        running.terminate().await.unwrap();
        status
    };
    assert_eq!(me().await, 401);
    // The control: what is kept does count again.
    world.program.must(&["restore", before.to_str().unwrap(), "--force", "--keep-keys"], "").await;
    assert_eq!(me().await, 200);
    let told = world.program.must(&["restore", before.to_str().unwrap(), "--force"], "").await;
    assert!(told.contains("API keys that were revoked: 1."), "{told}");
    assert!(told.contains("Links for accounts and passwords that were removed: 1."), "{told}");
    assert_eq!(me().await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flipped_bit_is_named_and_nothing_is_changed() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let file = world.data.path().join("house.backup");
    world.program.must(&["backup", file.to_str().unwrap()], "").await;
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[400] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let before = std::fs::read(world.program.data().join("majordomo.db")).unwrap();
    let refused = world.program.run(&["restore", file.to_str().unwrap(), "--force"], "").await.unwrap();
    assert!(!refused.status.success());
    assert!(text(&refused).contains("the part of the table"), "{}", text(&refused));
    assert_eq!(std::fs::read(world.program.data().join("majordomo.db")).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_before_a_change_of_keys_opens_with_the_retired_key() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let file = world.data.path().join("house.backup");
    world.program.must(&["backup", file.to_str().unwrap()], "").await;
    world.program.must(&["key", "rotate"], "").await;
    world.program.must(&["restore", file.to_str().unwrap(), "--force"], "").await;
    assert!(world.program.must(&["user", "list"], "").await.contains("ada"));
    // And the keys can be changed again from there.
    world.program.must(&["key", "rotate"], "").await;
    assert!(world.program.must(&["user", "list"], "").await.contains("ada"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_travels_as_a_file() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let file = world.data.path().join("gardener.json");
    let file = file.to_str().unwrap();
    let add = ["agent", "add", "gardener", "system_prompt=Be green.", r#"limits={"steps":7}"#];
    world.program.must(&add, "").await;
    world.program.must(&["agent", "set", "gardener", r#"capabilities=["test_math"]"#], "").await;
    world.program.must(&["agent", "export", "gardener", file], "").await;
    let clash = world.program.run(&["agent", "import", file], "").await.unwrap();
    assert!(!clash.status.success() && text(&clash).contains("--as NAME"), "{}", text(&clash));
    world.program.must(&["agent", "import", file, "--as", "second gardener"], "").await;
    let shown = world.program.must(&["agent", "show", "second gardener", "--json"], "").await;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["system_prompt"], "Be green.");
    assert_eq!((&shown["capabilities"], &shown["limits"]["steps"]), (&json!(["test_math"]), &json!(7)));
    assert!(world.program.must(&["agent", "list"], "").await.contains("second gardener"));
    hostile_files(&world, file).await;
}

/// A file comes from anywhere: whatever is in it that an agent has not is refused, by its name.
async fn hostile_files(world: &World, file: &str) {
    let good: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut cases = Vec::new();
    let mut with = |pointer: &str, name: &str, value: Value| {
        let mut bad = good.clone();
        bad.pointer_mut(pointer).unwrap()[name] = value;
        cases.push(bad);
    };
    with("", "run", json!("rm -rf /"));
    with("", "format", json!("something else"));
    with("", "version", json!(99));
    with("/agent", "command", json!(["sh", "-c", "true"]));
    with("/agent", "id", json!("agent_01980000000070008000000000000001"));
    with("/agent", "capabilities", json!(["no_such_capability"]));
    with("/agent", "limits", json!({ "steps": 100_000 }));
    with("/agent", "name", json!(["other"]));
    with("/agent", "system_prompt", json!("x".repeat(3 << 20)));
    cases.push(json!([]));
    for case in cases {
        std::fs::write(file, case.to_string()).unwrap();
        let refused = world.program.run(&["agent", "import", file, "--as", "other"], "").await.unwrap();
        let told: String = case.to_string().chars().take(200).collect();
        assert_eq!(refused.status.code(), Some(1), "{told}: {}", text(&refused));
    }
    assert!(!world.program.must(&["agent", "list"], "").await.contains("other"));
    std::fs::write(file, good.to_string()).unwrap();
    world.program.must(&["agent", "import", file, "--as", "other"], "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migrate_says_what_it_did() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(world::under_test(), data.path().join("data"));
    let first: Value = serde_json::from_str(&program.must(&["migrate", "--json"], "").await).unwrap();
    assert!(!first["applied"].as_array().unwrap().is_empty(), "{first}");
    let again: Value = serde_json::from_str(&program.must(&["migrate", "--json"], "").await).unwrap();
    assert_eq!(again, json!({ "schema_version": first["schema_version"], "applied": [] }));
    assert!(!data.path().join("data/backups").exists(), "an empty database needs no backup");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_makes_backups_over_the_network_but_chooses_no_place() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let running = world.serve().await;
    let client = running.client(&world.key);
    let made = client.post("/v1/backups", &json!({})).await.unwrap().expect(201);
    assert_eq!(made["status"], "verified");
    let listed = client.get("/v1/backups").await.unwrap().expect(200);
    assert_eq!(listed["items"], json!([made]));
    let place = world.data.path().join("elsewhere.backup");
    let refused = client.post("/v1/backups", &json!({ "path": place })).await.unwrap();
    assert_eq!((refused.status, refused.text("/code").as_str()), (400, "bad_path"));
    assert!(!place.exists());
    world
        .program
        .must(&["user", "add", "bob", "--role", "admin", "--password-stdin"], "correct horse\n")
        .await;
    let admin = running.client(&world.program.must(&["api-key", "new", "--user", "bob"], "").await);
    assert_eq!(admin.post("/v1/backups", &json!({})).await.unwrap().status, 403);
    assert_eq!(admin.post("/v1/master-key/rotate", &json!({})).await.unwrap().status, 404);
    assert_eq!(client.post("/v1/master-key/rotate", &json!({})).await.unwrap().status, 404);
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_shown_to_admins_without_a_word_of_anybody() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    world.model.respond(|_| Reply::text("xylophone"));
    let running = world.serve().await;
    let client = running.client(&world.key);
    let session = world::new_session(&client, &world::worker(&client).await).await;
    let body = json!({ "content": "bassoon" });
    client.post(&format!("/v1/sessions/{session}/messages"), &body).await.unwrap().expect(200);
    client.post("/v1/backups", &json!({})).await.unwrap().expect(201);
    let logs = client.get("/v1/logs?limit=1000").await.unwrap().expect(200);
    let text = logs.to_string();
    assert!(text.contains("a backup was made"), "the control: {text}");
    assert!(!text.contains("bassoon") && !text.contains("xylophone"), "{text}");
    let last = logs["items"].as_array().unwrap().last().unwrap()["number"].as_u64().unwrap();
    let after = client.get(&format!("/v1/logs?after={}", last - 1)).await.unwrap().expect(200);
    assert_eq!(after["items"][0]["number"], last);
    assert_eq!(client.get("/v1/logs?level=loud").await.unwrap().status, 400);
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_may_be_json() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(world::under_test(), data.path().join("data")).env("MAJORDOMO_LOG", "trace");
    let by_setting = program.clone().env("MAJORDOMO_LOG_FORMAT", "json");
    let flag: &[&str] = &["user", "list", "--log-format", "json"];
    for (program, arguments) in [(by_setting, &flag[..2]), (program, flag)] {
        let output = program.run(arguments, "").await.unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        // What the command itself has to say comes after its log.
        let log = told.split("majordomo: ").next().unwrap();
        let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|line| line.is_object());
        assert!(log.lines().count() > 0 && log.lines().all(is_json), "{arguments:?}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_open_streams_ends_in_order() {
    let world = World::new(Backend::Sqlite).await.unwrap();
    let words: Vec<String> = (0..2_000).map(|word| format!("word{word} ")).collect();
    world.model.respond(move |_| Reply::pieces(words.clone()).pace(std::time::Duration::from_millis(20)));
    let running = world.serve().await;
    let client = running.client(&world.key);
    let session = world::new_session(&client, &world::worker(&client).await).await;
    let mut readers = Vec::new();
    for _ in 0..5 {
        readers.push(client.follow(&session, Some("0")).await.unwrap());
    }
    readers.push(client.send_message(&session, "k", &json!({ "content": "hello" })).await.unwrap());
    for reader in &mut readers {
        while reader.next().await.unwrap().unwrap().event != "text" {}
    }
    let reading = readers.into_iter().map(|reader| tokio::spawn(reader.collect())).collect::<Vec<_>>();
    assert_eq!(running.terminate().await.unwrap(), Some(0), "it drains, whatever hangs on it");
    for reader in reading {
        assert!(reader.await.unwrap().is_ok(), "a stream was cut instead of ended");
    }
}
