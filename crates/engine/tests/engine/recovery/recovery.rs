//! A process that dies, at any moment: the next one goes on, and nothing is lost or done twice.

use crate::world::{LEASE, World, node, postgres, shown, until_text, until_type};
use domain::{EventBody, MessageKind, SessionStatus, Timestamp};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use store::{Tx, args};
use testkit::model::Reply;
use tokio::sync::Notify;

on_both_databases! {
    after_a_crash_the_session_takes_messages_in_order,
}

/// Long enough for a lease to run out.
const AFTER_LEASE: i64 = LEASE.as_millis() as i64 + 1;

fn never() -> Arc<Notify> {
    Arc::new(Notify::new())
}

async fn attempts(world: &World) -> Vec<u32> {
    let attempt = |event: &domain::Event| match &event.body {
        EventBody::TurnStarted { attempt, .. } => Some(*attempt),
        _ => None,
    };
    world.log().await.iter().filter_map(attempt).collect()
}

#[tokio::test]
async fn before_the_first_word_and_with_others_waiting() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(never()));
    let first = world.post("first").await;
    let second = world.post("second").await;
    let third = world.post("third").await;
    world.model.wait_for(1).await;
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    world.crash().await;
    for accepted in [first, second, third] {
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    }
    assert_eq!(attempts(&world).await, [1, 2, 1, 1]);
    world.check(&["first", "second", "third"]).await;
}

#[tokio::test]
async fn in_the_middle_of_a_message_it_is_begun_again() {
    let mut world = World::new().await;
    world.model.script(Reply::pieces(["Once upon", " a time"]).stall_after_pieces(1));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Tell me a story").await;
    until_text(&mut reader, "Once upon").await;
    world.model.script(Reply::text("There was a king."));
    world.crash().await;
    let told = shown(&world.ended(accepted).await);
    assert_eq!(
        told[4..],
        [
            "message_start",
            "turn_started 2",
            "message_restarted 2",
            "message_complete There was a king. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    world.check(&["Tell me a story"]).await;
}

/// Runs one call of this tool, kills the process while it runs, and gives the result the model was told at last.
async fn killed_while_running(tool: &str) -> (World, Value) {
    let mut world = World::new().await;
    world.model.script(Reply::calls([(tool, json!({ "gate": "work", "say": "hm" }))]));
    let accepted = world.post("Work").await;
    world.tools.started(1).await;
    world.model.script(Reply::text("I see."));
    world.house.kill().await;
    world.tools.open("work");
    world.house = world.house(world.house.node).await;
    let told = shown(&world.ended(accepted).await);
    assert_eq!(told.last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world).await, [1, 2]);
    world.check(&["Work"]).await;
    let result = world.model.last_request().unwrap().results_since_user().pop().unwrap();
    (world, serde_json::from_str(&result).unwrap())
}

/// EVERRUNS-12
#[tokio::test]
async fn what_changed_the_world_is_never_run_again() {
    let mut world = World::new().await;
    world.model.script(Reply::calls([("touch", json!({ "gate": "never" }))]));
    let accepted = world.post("Work").await;
    world.tools.started(1).await;
    world.model.script(Reply::text("I see."));
    world.crash().await;
    let told = shown(&world.ended(accepted).await);
    assert!(told.contains(&"tool_result touch Unknown".to_owned()), "{told:?}");
    assert_eq!(told.last().unwrap(), "turn_ended completed");
    assert_eq!(world.tools.runs("touch").len(), 1);
    let result = world.model.last_request().unwrap().results_since_user().pop().unwrap();
    assert!(result.contains("outcome unknown"), "the model is told: {result}");
    world.check(&["Work"]).await;
}

#[tokio::test]
async fn what_only_looks_is_run_again() {
    let (world, result) = killed_while_running("look").await;
    assert_eq!(result, json!({ "said": "hm" }));
    assert_eq!(world.tools.runs("look").len(), 2);
}

#[tokio::test]
async fn what_honours_a_key_is_run_again_with_the_same_key() {
    let (world, result) = killed_while_running("put").await;
    assert_eq!(result, json!({ "said": "hm" }));
    let runs = world.tools.runs("put");
    assert_eq!(runs.len(), 2);
    assert_eq!(runs[0].key, runs[1].key);
}

#[tokio::test]
async fn of_parallel_calls_those_that_are_done_stay_done() {
    let mut world = World::new().await;
    world.model.script(Reply::calls([
        ("touch", json!({ "say": "done" })),
        ("touch", json!({ "gate": "never" })),
        ("look", json!({ "gate": "again" })),
    ]));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Work").await;
    world.tools.started(3).await;
    until_type(&mut reader, "tool_result").await;
    world.model.script(Reply::text("I see."));
    world.crash().await;
    world.tools.open("again");
    let told = shown(&world.ended(accepted).await);
    let results: Vec<_> = told.iter().filter(|line| line.starts_with("tool_result")).collect();
    assert_eq!(results, ["tool_result touch Ok", "tool_result touch Unknown", "tool_result look Ok"]);
    assert_eq!((world.tools.runs("touch").len(), world.tools.runs("look").len()), (2, 2));
    let sent = world.model.last_request().unwrap().results_since_user();
    assert_eq!(sent[0], json!({ "said": "done" }).to_string());
    world.check(&["Work"]).await;
}

/// EVERRUNS-17
#[tokio::test]
async fn a_turn_that_gets_nowhere_is_given_up_and_can_be_retried() {
    let mut world = World::new().await;
    world.model.respond(|_| Reply::text("Never.").gate(never()));
    let accepted = world.post("Work").await;
    for request in 1..=3 {
        world.model.wait_for(request).await;
        world.crash().await;
    }
    let told = shown(&world.ended(accepted).await);
    assert_eq!(told.last().unwrap(), "turn_ended failed no_progress");
    assert_eq!(world.model.requests().len(), 3, "the third time nobody asked any more");
    let notice = world.messages().await.pop().unwrap();
    assert_eq!(notice.meta.kind, Some(MessageKind::Error));
    assert!(notice.content.contains("Your message is saved"), "{}", notice.content);
    assert_eq!(world.session().await.status, SessionStatus::Failed);
    world.model.respond(|_| Reply::text("Calm again."));
    let (turn, after) = world.retry().await.unwrap();
    assert_eq!(shown(&world.turn(turn, after).await).last().unwrap(), "turn_ended completed");
    world.check(&["Work"]).await;
}

#[tokio::test]
async fn a_turn_that_gets_on_between_crashes_is_not_given_up() {
    let mut world = World::new().await;
    world.model.respond(|request| match request.results_since_user().len() {
        5.. => Reply::text("Done."),
        so_far => Reply::calls([("look", json!({ "gate": "step", "say": so_far.to_string() }))]),
    });
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Work").await;
    for step in 1..=5 {
        world.tools.started(2 * step - 1).await;
        world.crash().await;
        world.tools.started(2 * step).await;
        world.tools.open("step");
    }
    let told = shown(&world.ended(accepted).await);
    assert_eq!(told.last().unwrap(), "turn_ended completed", "{told:?}");
    assert_eq!(attempts(&world).await, [1, 2, 3, 4, 5, 6]);
    assert!(until_type(&mut reader, "turn_started").await.len() > 1);
    world.check(&["Work"]).await;
}

#[tokio::test]
async fn a_lease_that_still_runs_is_respected() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(never()));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    world.house.kill().await;
    let early = world.house(node(2)).await;
    assert_eq!(world.model.requests().len(), 1, "another node waits until the lease has run out");
    drop(early);
    world.clock.advance(AFTER_LEASE);
    world.model.script(Reply::text("Taken over."));
    world.house = world.house(node(3)).await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    world.check(&["Work"]).await;
}

/// The old engine lives on and believes that the turn is its own.
async fn zombie(reply: Reply) -> World {
    let mut world = World::new().await;
    let (zombie_gate, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    world.model.script(reply.gate(zombie_gate.clone()));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    world.clock.advance(AFTER_LEASE);
    world.model.script(Reply::text("The living one.").gate(gate.clone()));
    let taken_over = world.house(node(2)).await;
    let mut old = std::mem::replace(&mut world.house, taken_over);
    world.model.wait_for(2).await;
    let before = world.log().await;
    zombie_gate.notify_one();
    // Its turn is over for it as soon as it tries to write.
    old.shutdown(Duration::from_secs(15)).await;
    assert_eq!(world.log().await, before, "a fenced engine changes nothing");
    assert_eq!(world.session().await.status, SessionStatus::Working);
    gate.notify_one();
    let told = shown(&world.ended(accepted).await);
    assert_eq!(told.last().unwrap(), "turn_ended completed");
    assert!(told.contains(&"message_complete The living one. Completed".to_owned()));
    world.check(&["Work"]).await;
    world
}

#[tokio::test]
async fn a_zombie_writes_nothing() {
    zombie(Reply::text("The dead one.")).await;
}

#[tokio::test]
async fn a_zombie_runs_no_tool() {
    let world = zombie(Reply::calls([("touch", json!({})), ("look", json!({}))])).await;
    assert_eq!(world.tools.runs("touch").len() + world.tools.runs("look").len(), 0);
}

/// A node whose clock is far ahead takes nothing from one that lives: both go by the clock of their database.
#[tokio::test]
async fn a_clock_that_is_ahead_takes_nothing_over() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Done.").gate(gate.clone()));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    world.clock.advance(AFTER_LEASE);
    let other = world.house(node(2)).await;
    // What the takeover asks.
    let now = other.store.database_time(Timestamp::from_millis(i64::MAX));
    let read = move |tx: &mut Tx| store::turns::orphans(tx, node(2), now, now);
    assert_eq!(world.store.read(read).await.unwrap(), []);
    gate.notify_one();
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    let attempt = move |tx: &mut Tx| store::turns::attempt(tx, accepted.turn_id);
    assert_eq!(world.store.read(attempt).await.unwrap(), Some(1));
    assert_eq!(world.model.requests().len(), 1, "the model is asked once");
}

/// Another node has its turn: a worker that could only find out when it writes asks the model no longer.
#[tokio::test]
async fn a_zombie_hangs_up() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    // A piece, and then nothing: nothing of the turn would be written for hours.
    world.model.script(Reply::pieces(["It ", "never ", "ends."]).gate_after_pieces(1, never()));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    let (key, turn, other) = (world.store.data_key(world.user).await.unwrap(), accepted.turn_id, node(2));
    let (now, late) = (Timestamp::from_millis(0), Timestamp::from_millis(i64::MAX));
    let claim = move |tx: &mut Tx| store::turns::claim(tx, &key, turn, 1, other, (late, late), now);
    assert!(world.store.write(claim).await.unwrap().is_some());
    world.model.wait_for_hang_ups(1).await;
    while world.engine().running_turns() > 0 {
        tokio::task::yield_now().await;
    }
    let epoch = "SELECT epoch FROM turns WHERE id = $1";
    let epoch: u64 = world.store.read(move |tx: &mut Tx| tx.one(epoch, args![turn])).await.unwrap();
    assert_eq!(epoch, 2, "and does not take it back");
}

/// EVERRUNS-16: a late completion.
#[tokio::test]
async fn a_zombie_whose_tool_has_just_ended_settles_nothing() {
    let mut world = World::new().await;
    world.model.script(Reply::calls([("touch", json!({ "gate": "late", "say": "too late" }))]));
    let accepted = world.post("Work").await;
    world.tools.started(1).await;
    world.clock.advance(AFTER_LEASE);
    world.model.script(Reply::text("I see."));
    let taken_over = world.house(node(2)).await;
    let mut old = std::mem::replace(&mut world.house, taken_over);
    let told = shown(&world.ended(accepted).await);
    assert!(told.contains(&"tool_result touch Unknown".to_owned()), "{told:?}");
    let before = world.log().await;
    world.tools.open("late");
    world.tools.finished(1).await;
    old.shutdown(Duration::from_secs(15)).await;
    assert_eq!(world.log().await, before);
    world.check(&["Work"]).await;
}

async fn after_a_crash_the_session_takes_messages_in_order(postgres: bool) {
    let mut world = World::on(postgres, |_| {}).await;
    world.model.script(Reply::text("Never.").gate(never()));
    world.post("first").await;
    world.model.wait_for(1).await;
    world.post("second").await;
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    world.crash().await;
    let third = world.post("third").await;
    world.ended(third).await;
    world.check(&["first", "second", "third"]).await;
}

/// Waits until the lease's clock has gone round this often: each round of a busy engine is at least one commit.
async fn rounds(world: &World, count: u64) {
    let before = world.house.store.counts().commits;
    while world.house.store.counts().commits < before + count {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_turn_that_runs_is_not_taken_for_an_orphan() {
    let world = World::with(|setup| setup.settings.turn.lease = Duration::from_millis(30)).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Slow.").gate(gate.clone()));
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    let said: Vec<String> = (0..20).map(|number| format!("message {number}")).collect();
    let mut last = None;
    for text in &said {
        last = Some(world.post(text).await);
    }
    rounds(&world, 6).await;
    gate.notify_one();
    world.ended(last.unwrap()).await;
    assert_eq!(attempts(&world).await, [1; 20], "also while one turn hands over to the next");
    assert_eq!(world.model.requests().len(), 20);
    world.check(&said.iter().map(String::as_str).collect::<Vec<_>>()).await;
}

#[tokio::test]
async fn the_lease_of_a_turn_that_runs_is_renewed() {
    let world = World::with(|setup| setup.settings.turn.lease = Duration::from_millis(300)).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Slow.").gate(gate.clone()));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    // Together more than a lease; after each step it is renewed.
    for _ in 0..3 {
        world.clock.advance(200);
        rounds(&world, 2).await;
    }
    let other = world.house(node(2)).await;
    gate.notify_one();
    world.ended(accepted).await;
    assert_eq!(attempts(&world).await, [1]);
    drop(other);
    world.check(&["Work"]).await;
}
