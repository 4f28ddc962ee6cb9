//! Going down in good order: what runs may end, what waits is kept, and the next start goes on at once.

use crate::world::{World, shown};
use engine::Error;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::sync::Notify;

const GRACE: Duration = Duration::from_secs(15);

#[tokio::test]
async fn a_turn_that_ends_in_time_ends_and_nothing_new_begins() {
    let mut world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("One.").gate(gate.clone()));
    let first = world.post("first").await;
    world.model.wait_for(1).await;
    let second = world.post("second").await;
    let engine = world.engine().clone();
    let down = world.house.handle().spawn(async move { engine.shutdown(GRACE).await });
    while !world.engine().is_draining() {
        tokio::task::yield_now().await;
    }
    let refused = world.send(world.message("third")).await;
    assert!(matches!(refused, Err(Error::ShuttingDown)), "{refused:?}");
    assert!(matches!(world.retry().await, Err(Error::ShuttingDown)));
    gate.notify_one();
    tokio::time::timeout(GRACE, down).await.expect("it waits for more than the turn that runs").unwrap();
    assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended completed");
    assert_eq!(world.model.requests().len(), 1, "what waits is left for the next start");
    world.house.kill().await;
    world.model.script(Reply::text("Two."));
    world.house = world.house(world.house.node).await;
    let told = shown(&world.ended(second).await);
    assert_eq!(told[..2], ["input_accepted queue", "turn_started 1"]);
    assert_eq!(told.last().unwrap(), "turn_ended completed");
    world.check(&["first", "second"]).await;
}

#[tokio::test]
async fn nobody_overtakes_what_a_node_that_goes_down_left_waiting() {
    let mut world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("One.").gate(gate.clone()));
    world.post("first").await;
    world.model.wait_for(1).await;
    let second = world.post("second").await;
    // It is up before anything waits in an idle session, so its start does not find it.
    let other = world.house(crate::world::node(9)).await;
    let engine = world.engine().clone();
    let down = world.house.handle().spawn(async move { engine.shutdown(GRACE).await });
    while !world.engine().is_draining() {
        tokio::task::yield_now().await;
    }
    gate.notify_one();
    tokio::time::timeout(GRACE, down).await.unwrap().unwrap();
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    world.house.kill().await;
    world.house = other;
    let third = world.post("third").await;
    for accepted in [second, third] {
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    }
    world.check(&["first", "second", "third"]).await;
}

#[tokio::test]
async fn what_does_not_end_in_time_goes_on_at_the_next_start_also_of_another_node() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    world.house.shutdown(Duration::ZERO).await;
    world.model.script(Reply::text("Done."));
    // Its leases were given up: nobody has to wait for them to run out.
    world.house = world.house(crate::world::node(9)).await;
    let told = shown(&world.ended(accepted).await);
    assert!(told.contains(&"turn_started 2".to_owned()), "{told:?}");
    assert_eq!(told.last().unwrap(), "turn_ended completed");
    world.check(&["Work"]).await;
}

#[tokio::test]
async fn however_often_it_is_restarted_in_good_order_no_turn_is_given_up() {
    let mut world = World::new().await;
    world.model.respond(|_| Reply::text("Never.").gate(Arc::new(Notify::new())));
    let accepted = world.post("Work").await;
    for request in 1..=6 {
        world.model.wait_for(request).await;
        world.restart().await;
    }
    world.model.wait_for(7).await;
    world.model.respond(|_| Reply::text("At last."));
    world.restart().await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    world.check(&["Work"]).await;
}

/// A door that waits for whoever reads to the end of a turn would wait for a turn that goes on at the next start.
#[tokio::test]
async fn who_reads_to_the_end_of_a_turn_is_told_when_it_does_not_come() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    let (user, session) = (world.user, world.session);
    let turn = (accepted.turn_id, accepted.after);
    let mut reader = world.engine().follow_turn(user, session, turn.0, turn.1).await.unwrap();
    let mut whole = world.follow_from(0).await;
    world.house.shutdown(Duration::ZERO).await;
    for reader in [&mut reader, &mut whole] {
        let end = loop {
            match tokio::time::timeout(crate::world::PATIENCE, reader.next()).await.expect("it waits") {
                Ok(Some(_)) => {}
                end => break end,
            }
        };
        assert!(matches!(end, Err(engine::Error::ShuttingDown)), "{end:?}");
    }
}

#[tokio::test]
async fn tools_are_told_to_stop() {
    let mut world = World::new().await;
    world
        .model
        .script(Reply::calls([("touch", json!({ "gate": "never" })), ("put", json!({ "gate": "put" }))]));
    let accepted = world.post("Work").await;
    world.tools.started(2).await;
    world.house.shutdown(Duration::ZERO).await;
    world.tools.open("never");
    world.tools.open("put");
    world.model.script(Reply::text("I see."));
    world.house = world.house(world.house.node).await;
    let told = shown(&world.ended(accepted).await);
    assert!(told.contains(&"tool_result touch Unknown".to_owned()), "{told:?}");
    assert!(told.contains(&"tool_result put Ok".to_owned()), "{told:?}");
    assert!(world.tools.runs("touch").iter().all(|run| !run.done), "it did not run on");
    world.check(&["Work"]).await;
}

#[tokio::test]
async fn an_idle_engine_goes_down_at_once_and_writes_nothing_while_it_idles() {
    let mut world = World::with(|setup| setup.settings.turn.lease = Duration::from_millis(30)).await;
    world.model.script(Reply::text("Hello."));
    world.run("Hello").await;
    // What the turn left under way is done after one round; the next ones look, and write nothing.
    rounds(&world).await;
    let before = world.house.store.counts();
    rounds(&world).await;
    assert_eq!(world.house.store.counts().commits, before.commits);
    world.house.shutdown(GRACE).await;
}

/// Several rounds of the lease's clock, each of which looks for turns to take up.
async fn rounds(world: &World) {
    let before = world.house.store.counts().statements;
    while world.house.store.counts().statements < before + 6 {
        tokio::task::yield_now().await;
    }
}
