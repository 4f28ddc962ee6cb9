//! Abilities from files to turns: the real program, on both databases, with a restart in between.

use crate::world::{self, Backend, World};
use serde_json::{Value, json};
use testkit::model::Reply;

const FILE: &str = "\"\"\"\n# Description\nHow bills are paid\n# Properties\ncondition: words(\"invoice\")\ncategory: Money\n\
                    colour: red\n\"\"\"\n\nAsk for the amount before you pay.\n";

async fn written_kept_and_told(backend: Backend) {
    let Some(world) = World::new(backend).await else {
        return;
    };
    world.model.respond(|_| Reply::text("Yes."));
    let folder = world.data.path().join("mine");
    std::fs::create_dir_all(&folder).unwrap();
    let (bills, letter) = (folder.join("bills.md"), folder.join("letter.md"));
    std::fs::write(&bills, FILE).unwrap();
    std::fs::write(&letter, "Write a letter to {{USER_NAME}}.").unwrap();
    let files = [bills.to_str().unwrap(), letter.to_str().unwrap()];
    let added = world.program.run(&["ability", "add", files[0], files[1]], "").await.unwrap();
    let warned = String::from_utf8_lossy(&added.stderr).into_owned();
    assert!(added.status.success(), "{warned}");
    assert!(warned.contains("bills.md") && warned.contains("`colour`"), "{warned}");
    let shown = world.program.must(&["ability", "show", "bills"], "").await;
    assert!(shown.contains("condition: words(\"invoice\")"), "{shown}");

    let running = world.serve().await;
    let client = running.client(&world.key);
    let agent = world::worker(&client).await;
    let capabilities = json!({ "capabilities": ["bills", "letter"] });
    client.patch(&format!("/v1/agents/{agent}"), &capabilities).await.unwrap().expect(200);
    let session = world::new_session(&client, &agent).await;
    let said = json!({ "content": "An invoice: !!LETTER!!" });
    client.post(&format!("/v1/sessions/{session}/messages"), &said).await.unwrap().expect(200);
    let request = world.model.last_request().unwrap();
    assert!(request.raw.contains("An invoice: Write a letter to"), "{}", request.raw);
    assert!(request.last_user().contains("**bills**: Ask for the amount"), "{}", request.last_user());
    let path = format!("/v1/sessions/{session}/events?types=ability_injected");
    let events = client.get(&path).await.unwrap().expect(200);
    assert_eq!(events["items"].as_array().map_or(0, Vec::len), 1, "{events}");
    assert_eq!(running.terminate().await.unwrap(), Some(0));

    // It is all there after a restart; what is removed is missing.
    world.program.must(&["ability", "remove", "bills"], "").await;
    let running = world.serve().await;
    let client = running.client(&world.key);
    client.post(&format!("/v1/sessions/{session}/messages"), &said).await.unwrap().expect(200);
    let request = world.model.last_request().unwrap();
    assert!(!request.raw.contains("**bills**"), "{}", request.raw);
    assert!(request.raw.contains("not available at the moment (bills)"), "{}", request.raw);
    let listed: Value = client.get("/v1/abilities").await.unwrap().expect(200);
    assert_eq!(listed["total"], 1);
    assert_eq!(running.terminate().await.unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn abilities_are_written_kept_and_told_on_sqlite() {
    written_kept_and_told(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn abilities_are_written_kept_and_told_on_postgres() {
    written_kept_and_told(Backend::Postgres).await;
}
