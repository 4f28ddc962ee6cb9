//! Legacy assertions: a whole message that is one block of operations, for agents that are switched to it.

use crate::world::{World, shown, until_text, until_type};
use domain::{MarkupMode, MarkupSettings};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

async fn world(assertions: bool) -> World {
    World::with(|setup| setup.markup = MarkupSettings { mode: MarkupMode::On, assertions }).await
}

fn fence(operations: &Value) -> String {
    format!("```json\n{operations:#}\n```")
}

fn command(id: &str, arguments: Value) -> Value {
    json!({ "id": id, "command": "touch", "args": arguments })
}

fn said(world: &World) -> Vec<Value> {
    world.tools.runs("touch").iter().map(|run| run.arguments["say"].clone()).collect()
}

fn in_turn() -> Value {
    json!([
        command("one", json!({ "say": "1", "gate": "first" })),
        { "id": "two", "assertion": "command", "name": "put", "args": { "fail": true } },
        { "id": "three", "assertion": "todo", "name": "Plan", "items": ["a"] },
        command("four", json!({ "say": "4" })),
        { "id": "five", "command": "nope" },
    ])
}

#[tokio::test]
async fn a_list_runs_in_turn_and_each_operation_has_its_block() {
    // HERO-53
    let world = world(true).await;
    let text = fence(&in_turn());
    world.model.queue([Reply::text(text.clone()).in_pieces_of(7), Reply::text("Done.")]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("All").await;
    world.tools.started(1).await;
    until_type(&mut reader, "message_complete").await;
    assert_eq!((said(&world), world.tools.runs("put").len()), (vec![json!("1")], 0), "the rest waits");
    world.tools.open("first");
    world.ended(accepted).await;
    assert_eq!(said(&world), [json!("1"), json!("4")]);
    assert_eq!(world.tools.runs("put").len(), 1);
    let told = world.model.last_request().unwrap().last_user();
    let blocks: Vec<&str> = told.split("\n\n").collect();
    assert_eq!(blocks[0], "[command:touch] id='one' completed:\n{\n  \"said\": \"1\"\n}");
    assert_eq!(blocks[1], "[command:put] id='two' failed: it did not work");
    assert_eq!(
        blocks[2],
        "[todo:Plan] id='three' completed:\n{\n  \"completed\": 0,\n  \"in_progress\": 0,\n  \"pending\": 1,\n  \"total\": 1\n}"
    );
    assert_eq!(blocks[3], "[command:touch] id='four' completed:\n{\n  \"said\": \"4\"\n}");
    assert!(blocks[4].starts_with("[command:nope] id='five' denied: Unknown function: nope."), "{told}");
    assert_eq!(blocks.len(), 5);
    let stored = world.messages().await;
    assert!(stored.iter().any(|message| message.content == text), "what is stored keeps the text");
    world.check(&["All"]).await;
}

#[tokio::test]
async fn pipelines_run_side_by_side_and_each_in_its_order() {
    let world = world(true).await;
    let operations = json!({
        "left": [command("l1", json!({ "say": "l1", "gate": "left" })), command("l2", json!({ "say": "l2" }))],
        "right": [command("r1", json!({ "say": "r1" })), command("r2", json!({ "say": "r2", "gate": "right" }))],
    });
    world.model.queue([Reply::text(fence(&operations)), Reply::text("Done.")]);
    let accepted = world.post("Both").await;
    // The left one is held at its first operation; the right one comes to its second all the same.
    world.tools.started(3).await;
    let mut begun = said(&world);
    begun.sort_by_key(Value::to_string);
    assert_eq!(begun, [json!("l1"), json!("r1"), json!("r2")]);
    world.tools.open("left");
    world.tools.started(4).await;
    assert_eq!(said(&world)[3], json!("l2"));
    world.tools.open("right");
    world.ended(accepted).await;
    let told = world.model.last_request().unwrap().last_user();
    // HERO-96
    let heads: Vec<&str> = told.lines().filter(|line| line.starts_with(['[', '='])).collect();
    let head = |id: &str| format!("[command:touch] id='{id}' completed:");
    let pipeline = |key: &str| format!("=== Pipeline \"{key}\" ===");
    let expected = [pipeline("left"), head("l1"), head("l2"), pipeline("right"), head("r1"), head("r2")];
    assert_eq!(heads, expected);
    world.check(&["Both"]).await;
}

#[tokio::test]
async fn without_the_switch_and_beside_other_words_it_is_text() {
    // HERO-53
    let block = fence(&in_turn());
    let beside = format!("I would do this:\n{block}");
    for (assertions, text) in [(false, block), (true, beside)] {
        let world = world(assertions).await;
        let gate = Arc::new(Notify::new());
        world.model.script(Reply::text(text.clone()).gate_after_pieces(1, gate.clone()));
        let mut reader = world.follow_from(0).await;
        let accepted = world.post("All").await;
        until_text(&mut reader, &text).await;
        gate.notify_one();
        let events = world.ended(accepted).await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
        assert_eq!((said(&world).len(), world.tools.runs("put").len()), (0, 0));
        assert_eq!(world.model.requests().len(), 1, "there is nothing to report");
        assert_eq!(world.messages().await.pop().unwrap().content, text);
        world.check(&["All"]).await;
    }
}

#[tokio::test]
async fn what_only_shows_something_is_shown() {
    // HERO-95
    let world = world(true).await;
    let operations = json!([
        { "id": "t", "assertion": "todo", "name": "Trip", "items": [{ "text": "Pack", "status": "in_progress" }] },
        { "id": "p", "assertion": "progress", "name": "p", "percentage": 40, "label": "Packing" },
        { "id": "l", "assertion": "link", "name": "l", "url": "https://example.org/" },
        { "id": "n", "assertion": "thinking", "name": "Plan", "message": "Socks first." },
        { "id": "r", "assertion": "response", "name": "r", "message": "Nearly there." },
        { "id": "w", "assertion": "link", "name": "broken" },
    ]);
    world.model.queue([Reply::text(fence(&operations)), Reply::text("Done.")]);
    world.run("Pack").await;
    let message = world.messages().await.into_iter().find(|message| !message.elements.is_empty()).unwrap();
    let seen: Vec<(&str, &str, &str)> = message
        .elements
        .iter()
        .map(|one| {
            (one["type"].as_str().unwrap(), one["id"].as_str().unwrap(), one["content"].as_str().unwrap())
        })
        .collect();
    let expected = [
        ("todo", "t", ""),
        ("item", "t.1", "Pack"),
        ("progress", "p", "Packing"),
        ("link", "l", "https://example.org/"),
        ("thinking", "n", "Socks first."),
        ("message", "r", "Nearly there."),
        ("interaction", "w", ""),
    ];
    assert_eq!(seen, expected);
    let told = world.model.last_request().unwrap().last_user();
    assert!(told.contains("[response:r] id='r' completed:\n{\n  \"sent\": true\n}"), "{told}");
    assert!(told.contains("[link:broken] id='w' failed: link needs `url`"), "{told}");
    world.check(&["Pack"]).await;
}
