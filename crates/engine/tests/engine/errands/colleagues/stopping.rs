//! Stopping, deadlines, and processes that die: one result, and no errand continues after its caller has stopped.

use super::{Kitchen, call, is, script, soup};
use crate::world::{event, shown, until_type};
use domain::{SessionId, TurnOutcome};
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

async fn ends(kitchen: &Kitchen, session: SessionId) -> Vec<TurnOutcome> {
    let filter = store::log::EventFilter::default();
    let events = kitchen.world.engine().events(kitchen.world.user, session, (0, 1_000), filter).await;
    let outcome = |frame: &engine::Frame| match event(frame).body {
        domain::EventBody::TurnEnded { outcome, .. } => Some(outcome),
        _ => None,
    };
    events.unwrap().0.iter().filter_map(outcome).collect()
}

#[tokio::test]
async fn stopping_the_one_who_waits_stops_everybody_below() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let deeper = json!({ "instructions": "Dig.", "task": "Dig", "tools": ["spawn_agent"] });
    world.model.respond(move |request| match is(request, "Dig.") {
        true if is(request, "Rest.") => Reply::text("Never.").gate(Arc::new(Notify::new())),
        true => call("spawn_agent", json!({ "instructions": "Dig. Rest.", "task": "x" })),
        false => call("spawn_agent", deeper.clone()),
    });
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Go").await;
    until_type(&mut reader, "errand_started").await;
    world.model.wait_for(3).await;
    world.abort().await;
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.last().unwrap(), "turn_ended cancelled");
    kitchen.at_rest().await;
    let child = kitchen.child().await;
    let grandchildren = kitchen.children(child.id).await;
    assert_eq!(ends(&kitchen, child.id).await, [TurnOutcome::Cancelled]);
    assert_eq!(ends(&kitchen, grandchildren[0].id).await, [TurnOutcome::Cancelled]);
    world.check(&["Go"]).await;
}

#[tokio::test]
async fn what_waits_in_a_queue_for_somebody_who_was_stopped_never_begins() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    world.model.respond(move |request| {
        match (is(request, "You cook."), request.results_since_user().len()) {
            (true, _) => Reply::text("Yes.").gate(held.clone()),
            (false, 0) if request.last_user() == "First" => {
                call("send_agent_message", json!({ "agent": "cook", "message": "One" }))
            }
            (false, 0) => call("delegate", soup()),
            _ => Reply::text("Done."),
        }
    });
    world.run("First").await;
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let accepted = world.post("Second").await;
    until_type(&mut reader, "errand_started").await;
    world.abort().await;
    world.ended(accepted).await;
    let child = kitchen.child().await;
    let mut below = world
        .engine()
        .follow(world.user, child.id, engine::Start::After(domain::Cursor { seq: 0, offset: 0 }))
        .await
        .unwrap();
    // Before the one that runs there has ended.
    until_type(&mut below, "turn_ended").await;
    gate.notify_one();
    kitchen.at_rest().await;
    let child = kitchen.child().await;
    let mut outcomes = ends(&kitchen, child.id).await;
    outcomes.sort_by_key(|outcome| outcome.as_str());
    assert_eq!(outcomes, [TurnOutcome::Cancelled, TurnOutcome::Completed]);
    assert_eq!(child.message_count, 2, "the task was never said");
    // The session is free for what comes next.
    script(world, "delegate", soup(), "Soup.", None);
    world.run("Third").await;
    assert_eq!(kitchen.result().await["answer"], "Soup.");
    world.check(&["First", "Second", "Third"]).await;
}

#[tokio::test]
async fn stopping_the_one_who_works_is_told_to_the_one_who_waits() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    script(world, "delegate", soup(), "Never.", Some(Arc::new(Notify::new())));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Go").await;
    until_type(&mut reader, "errand_started").await;
    world.model.wait_for(2).await;
    let (user, child) = (world.user, kitchen.child().await.id);
    world.house.on(move |engine| async move { engine.abort(user, child, None).await }).await.unwrap();
    let lines = shown(&world.ended(accepted).await);
    assert!(lines.contains(&"errand_ended Cancelled".to_owned()), "{lines:?}");
    assert_eq!(kitchen.result().await["error"], "the other agent was stopped");
    world.check(&["Go"]).await;
}

#[tokio::test]
async fn when_its_time_is_over_the_one_who_waits_goes_on_and_the_other_stops() {
    let kitchen = Kitchen::new().await;
    let world = &kitchen.world;
    let arguments = json!({ "agent": "cook", "task": "Soup", "timeout_seconds": 60 });
    script(world, "delegate", arguments, "Never.", Some(Arc::new(Notify::new())));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Go").await;
    until_type(&mut reader, "errand_started").await;
    world.model.wait_for(2).await;
    let expire =
        async || world.house.on(|engine| async move { engine.expire_errands().await }).await.unwrap();
    assert_eq!(expire().await, 0, "not yet");
    world.clock.advance(61_000);
    // The engine looks at the clock by itself, too: whoever is first settles it, and nobody else.
    expire().await;
    expire().await;
    let lines = shown(&world.ended(accepted).await);
    let ended: Vec<&String> = lines.iter().filter(|line| line.starts_with("errand_ended")).collect();
    assert_eq!(ended, ["errand_ended Expired"], "{lines:?}");
    let error = kitchen.result().await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("did not answer in time"), "{error}");
    kitchen.at_rest().await;
    assert_eq!(ends(&kitchen, kitchen.child().await.id).await, [TurnOutcome::Cancelled]);
    world.check(&["Go"]).await;
}

#[tokio::test]
async fn a_process_that_dies_again_and_again_delivers_once() {
    let mut kitchen = Kitchen::new().await;
    let gate = Arc::new(Notify::new());
    script(&kitchen.world, "delegate", soup(), "Soup is ready.", Some(gate.clone()));
    let mut reader = kitchen.world.follow_from(0).await;
    let accepted = kitchen.world.post("Go").await;
    until_type(&mut reader, "errand_started").await;
    for round in 0..3_usize {
        kitchen.world.model.wait_for(2 + round).await;
        kitchen.world.crash().await;
    }
    let world = &kitchen.world;
    gate.notify_waiters();
    gate.notify_one();
    let lines = shown(&world.ended(accepted).await);
    assert_eq!(lines.iter().filter(|line| line.starts_with("errand_ended")).count(), 1, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("tool_result")).count(), 1);
    let child = kitchen.child().await;
    assert_eq!(child.message_count, 2, "asked once, answered once");
    kitchen.at_rest().await;
    world.check(&["Go"]).await;
}

#[tokio::test]
async fn a_stop_stays_a_stop_over_a_restart() {
    let mut kitchen = Kitchen::new().await;
    script(&kitchen.world, "delegate", soup(), "Never.", Some(Arc::new(Notify::new())));
    let mut reader = kitchen.world.follow_from(0).await;
    let accepted = kitchen.world.post("Go").await;
    until_type(&mut reader, "errand_started").await;
    kitchen.world.model.wait_for(2).await;
    // Only the row says so: nobody who runs has heard of it.
    let (session, user, now) = (kitchen.world.session, kitchen.world.user, kitchen.world.engine().now());
    let cancel = move |tx: &mut store::Tx| store::turns::request_cancel(tx, session, user, now);
    kitchen.world.store.write(cancel).await.unwrap();
    kitchen.world.crash().await;
    let world = &kitchen.world;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended cancelled");
    kitchen.at_rest().await;
    assert_eq!(ends(&kitchen, kitchen.child().await.id).await, [TurnOutcome::Cancelled]);
    world.check(&["Go"]).await;
}
