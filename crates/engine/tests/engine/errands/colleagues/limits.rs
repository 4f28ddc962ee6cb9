//! How far agents may go without a person.

use super::{Kitchen, call, is, script, soup};
use crate::world::shown;
use serde_json::{Value, json};
use testkit::model::{Recorded, Reply};

fn again(request: &Recorded) -> Value {
    let depth = request.messages()[0]["content"].to_string().matches("Deeper").count();
    json!({ "instructions": "Deeper. ".repeat(depth + 1), "task": "Go on", "tools": ["spawn_agent"] })
}

/// Everybody spawns one more; the deepest say what they were told.
fn everybody_spawns(request: &Recorded) -> Reply {
    match request.results_since_user().first() {
        None => call("spawn_agent", again(request)),
        Some(result) => Reply::text(result.clone()),
    }
}

/// EVERRUNS-42, HERO-93
#[tokio::test]
async fn agents_start_agents_only_so_deep() {
    for (depth, made) in [(0, 0), (1, 1), (2, 2), (3, 3)] {
        let kitchen = Kitchen::with(|setup| setup.limits.depth = depth).await;
        let world = &kitchen.world;
        world.model.respond(everybody_spawns);
        world.run("Go").await;
        let answer = kitchen.result().await.to_string();
        assert!(
            answer.contains("agents may not start agents any deeper (limits.depth)"),
            "{depth}: {answer}"
        );
        let count = "SELECT COUNT(*) FROM errands";
        let count: u64 = world.store.read(move |tx| tx.one(count, Vec::new())).await.unwrap();
        assert_eq!(count, made, "depth {depth}");
        world.check(&["Go"]).await;
    }
}

#[tokio::test]
async fn one_turn_gives_only_so_many_errands() {
    let kitchen = Kitchen::with(|setup| setup.limits.width = 3).await;
    let world = &kitchen.world;
    world.model.respond(|request| match (is(request, "You cook."), request.results_since_user().len()) {
        (true, _) => Reply::text("Soup."),
        (false, 0) => Reply::calls([("delegate", soup()), ("delegate", soup())]),
        (false, 2) => Reply::calls([("delegate", soup()), ("delegate", soup())]),
        _ => Reply::text("Done."),
    });
    let lines = shown(&world.run("Go").await);
    assert_eq!(lines.iter().filter(|line| line.starts_with("errand_started")).count(), 3);
    let results = world.model.last_request().unwrap().results_since_user();
    assert!(results[3].contains("as many agents as it may (3, limits.width)"), "{results:?}");
    // The next turn counts anew.
    script(world, "delegate", soup(), "Soup.", None);
    world.run("Again").await;
    assert_eq!(kitchen.result().await["answer"], "Soup.");
}

#[tokio::test]
async fn calls_of_one_message_are_counted_although_they_run_side_by_side() {
    let kitchen = Kitchen::with(|setup| setup.limits.width = 3).await;
    let world = &kitchen.world;
    world.model.respond(|request| match (is(request, "You cook."), request.results_since_user().len()) {
        (true, _) => Reply::text("I heard you."),
        (false, 0) => Reply::calls(
            (0..12).map(|_| ("send_agent_message", json!({ "agent": "cook", "message": "Soup!" }))),
        ),
        _ => Reply::text("Done."),
    });
    world.run("Go").await;
    kitchen.at_rest().await;
    let count = "SELECT COUNT(*) FROM errands";
    let count: u64 = world.store.read(move |tx| tx.one(count, Vec::new())).await.unwrap();
    assert_eq!(count, 3);
}

#[tokio::test]
async fn agents_that_write_to_each_other_come_to_an_end() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    world.model.respond(|request| {
        let to = if is(request, "You cook.") { "butler" } else { "cook" };
        match request.results_since_user().first() {
            None => call("send_agent_message", json!({ "agent": to, "message": "Your turn" })),
            Some(_) => Reply::text("Sent."),
        }
    });
    world.run("Play").await;
    kitchen.at_rest().await;
    let count = "SELECT COUNT(*) FROM errands";
    let count: u64 = world.store.read(move |tx| tx.one(count, Vec::new())).await.unwrap();
    assert_eq!(count, 8);
    let child = kitchen.child().await;
    assert_eq!(kitchen.children(child.id).await.len(), 0, "the answers went back up");
    world.model.assert_clean();
}

#[tokio::test]
async fn one_message_leads_to_no_more_than_so_much() {
    let kitchen = Kitchen::with(|setup| {
        (setup.limits.depth, setup.limits.width) = (8, 100);
        setup.settings.errands.most = 20;
    })
    .await;
    let world = &kitchen.world;
    // Everybody spawns four.
    world.model.respond(|request| match request.results_since_user().first() {
        None => Reply::calls((0..4).map(|_| ("spawn_agent", again(request)))),
        Some(_) => Reply::text("Done."),
    });
    world.run("Go").await;
    kitchen.at_rest().await;
    let count = "SELECT COUNT(*) FROM errands";
    let count: u64 = world.store.read(move |tx| tx.one(count, Vec::new())).await.unwrap();
    // Whoever asks while another is being stored may count that one twice, and nobody less than once.
    assert!((10..=20).contains(&count), "{count}");
}
