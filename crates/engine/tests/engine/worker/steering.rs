//! Steering: a message that joins the turn that runs, at its next step, and is never lost.

use crate::world::{World, shown, until_type};
use domain::InputMode;
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

on_both_databases! {
    it_joins_at_the_next_step_in_the_order_it_came,
    of_a_turn_that_fails_it_becomes_a_turn_of_its_own,
    the_turn_that_was_acknowledged_stays_the_answer,
    over_a_crash_it_is_kept,
}

fn users(world: &World) -> Vec<String> {
    let request = world.model.last_request().unwrap();
    let text = |message: &serde_json::Value| message["content"].as_str().unwrap_or_default().to_owned();
    request.messages().iter().filter(|message| message["role"] == "user").map(text).collect()
}

async fn it_joins_at_the_next_step_in_the_order_it_came(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    world.model.queue([Reply::calls([("look", json!({ "gate": "look" }))]), Reply::text("All right.")]);
    let accepted = world.post("Look").await;
    world.tools.started(1).await;
    let words: Vec<String> = (0..5).map(|number| format!("and also {number}")).collect();
    for word in &words {
        let steered = world.steer(word).await;
        assert_eq!((steered.turn_id, steered.mode), (accepted.turn_id, InputMode::Steer));
    }
    world.tools.open("look");
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let said: Vec<&str> = std::iter::once("Look").chain(words.iter().map(String::as_str)).collect();
    assert_eq!(users(&world), said);
    let roles: Vec<_> =
        world.messages().await.iter().map(|message| message.role.as_str().to_owned()).collect();
    assert_eq!(roles[..3], ["user", "assistant", "tool"], "the call and its result are not split");
    world.check(&said).await;
}

#[tokio::test]
async fn at_the_last_moment_before_the_end_it_still_joins() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Done.").gate_after_pieces(1, gate.clone()));
    world.model.script(Reply::text("That too."));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Do it").await;
    crate::world::until_text(&mut reader, "Done.").await;
    world.steer("And that").await;
    gate.notify_one();
    let events = world.ended(accepted).await;
    assert_eq!(
        shown(&events)[4..],
        [
            "message_start",
            "input_accepted steer",
            "message_complete Done. Completed",
            "usage",
            "user_message And that",
            "message_start",
            "message_complete That too. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    world.check(&["Do it", "And that"]).await;
}

#[tokio::test]
async fn when_nothing_runs_it_is_an_ordinary_message() {
    let world = World::new().await;
    world.model.script(Reply::text("Yes?"));
    let accepted = world.steer("Hello").await;
    assert_eq!(accepted.mode, InputMode::Queue);
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events)[..3], ["input_accepted queue", "turn_started 1", "user_message Hello"]);
    world.check(&["Hello"]).await;
}

/// Two steering messages meet a turn that does not get to its next step; then they become turns of their own.
async fn becomes_turns(world: &World, outcome: &str) {
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    let mut reader = world.follow_from(0).await;
    let mut all = Vec::new();
    for _ in 0..3 {
        all.extend(until_type(&mut reader, "turn_ended").await);
    }
    let told = shown(&all);
    let first_end = told.iter().position(|line| line.starts_with("turn_ended")).unwrap();
    assert_eq!(told[first_end], outcome);
    assert_eq!(told[first_end + 1..first_end + 3], ["input_accepted queue", "input_accepted queue"]);
    assert_eq!(told[first_end + 3..first_end + 5], ["turn_started 1", "user_message and this"]);
    assert_eq!(told.last().unwrap(), "turn_ended completed");
    world.check(&["Do it", "and this", "and that"]).await;
}

async fn of_a_turn_that_fails_it_becomes_a_turn_of_its_own(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::status(401).gate(gate.clone()));
    world.post("Do it").await;
    world.model.wait_for(1).await;
    world.steer("and this").await;
    world.steer("and that").await;
    gate.notify_one();
    becomes_turns(&world, "turn_ended failed provider_authentication").await;
}

/// Who sends it again, because the first answer got lost, hears what was acknowledged.
async fn the_turn_that_was_acknowledged_stays_the_answer(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::status(401).gate(gate.clone()));
    world.model.respond(|_| Reply::text("Yes."));
    world.post("Do it").await;
    world.model.wait_for(1).await;
    let message = engine::NewMessage {
        mode: InputMode::Steer,
        idempotency_key: Some("k".to_owned()),
        ..world.message("and this")
    };
    let first = world.send(message.clone()).await.unwrap();
    let mut reader = world.follow_from(0).await;
    gate.notify_one();
    until_type(&mut reader, "turn_ended").await;
    until_type(&mut reader, "turn_ended").await;
    let again = world.send(message).await.unwrap();
    assert!(again.repeated);
    assert_eq!(
        (again.input_id, again.turn_id, again.mode),
        (first.input_id, first.turn_id, InputMode::Steer),
        "it became a turn of its own meanwhile"
    );
    world.check(&["Do it", "and this"]).await;
}

#[tokio::test]
async fn of_a_turn_that_is_stopped_it_becomes_a_turn_of_its_own() {
    let world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    world.post("Do it").await;
    world.model.wait_for(1).await;
    world.steer("and this").await;
    world.steer("and that").await;
    assert!(world.abort().await.is_some());
    becomes_turns(&world, "turn_ended cancelled").await;
}

#[tokio::test]
async fn of_a_turn_at_its_limit_it_becomes_a_turn_of_its_own() {
    let world = World::with(|setup| setup.limits.steps = 1).await;
    world.model.script(Reply::calls([("look", json!({ "gate": "look" }))]));
    world.post("Do it").await;
    world.tools.started(1).await;
    world.steer("and this").await;
    world.steer("and that").await;
    world.tools.open("look");
    becomes_turns(&world, "turn_ended limit limit_steps").await;
}

async fn over_a_crash_it_is_kept(postgres: bool) {
    let mut world = World::on(postgres, |_| {}).await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let accepted = world.post("Do it").await;
    world.model.wait_for(1).await;
    world.steer("and this").await;
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    world.crash().await;
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert_eq!(users(&world), ["Do it", "and this"]);
    world.check(&["Do it", "and this"]).await;
}

#[tokio::test]
async fn there_is_an_end_to_how_many_may_wait() {
    let world = World::with(|setup| setup.settings.turn.queue = 2).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("One.").gate(gate.clone()));
    world.model.respond(|_| Reply::text("Two."));
    let accepted = world.post("Do it").await;
    world.model.wait_for(1).await;
    world.steer("and this").await;
    world.steer("and that").await;
    let message = engine::NewMessage { mode: InputMode::Steer, ..world.message("and more") };
    let refused = world.send(message).await;
    assert!(matches!(refused, Err(engine::Error::QueueFull)), "{refused:?}");
    gate.notify_one();
    world.ended(accepted).await;
    world.check(&["Do it", "and this", "and that"]).await;
}

/// What waits is counted and weighed without being opened: opening it would keep everybody who writes waiting.
#[tokio::test]
async fn what_waits_is_not_opened_to_be_counted() {
    let world = World::new().await;
    world.model.queue([Reply::calls([("look", json!({ "gate": "look" }))]), Reply::text("All right.")]);
    let accepted = world.post("Look").await;
    world.tools.started(1).await;
    world.steer("one").await;
    let body = async |sql: &'static str, value: Option<Vec<u8>>| {
        let write = move |tx: &mut store::Tx| {
            let kept: Vec<u8> = tx.one("SELECT body FROM inbox WHERE mode = 'steer'", vec![])?;
            if let Some(value) = value {
                tx.run(sql, store::args![value])?;
            }
            Ok(kept)
        };
        world.store.write(write).await.unwrap()
    };
    // Whoever opened it would find that it cannot be read.
    let kept = body("UPDATE inbox SET body = $1 WHERE mode = 'steer'", Some(vec![0; 40])).await;
    let steered = world.steer("two").await;
    assert_eq!((steered.turn_id, steered.mode), (accepted.turn_id, InputMode::Steer));
    body("UPDATE inbox SET body = $1 WHERE mode = 'steer' AND LENGTH(body) = 40", Some(kept)).await;
    world.tools.open("look");
    world.ended(accepted).await;
    assert_eq!(users(&world), ["Look", "one", "two"]);
}

#[tokio::test]
async fn what_waits_has_a_weight() {
    let world = World::new().await;
    world.model.queue([Reply::calls([("look", json!({ "gate": "look" }))]), Reply::text("All right.")]);
    let accepted = world.post("Look").await;
    world.tools.started(1).await;
    let large = "x".repeat(1 << 20);
    for number in 0..5 {
        let message = engine::NewMessage { mode: InputMode::Steer, ..world.message(&large) };
        let steered = world.send(message).await;
        match number {
            0..4 => assert!(steered.is_ok(), "number {number}: {steered:?}"),
            _ => assert!(matches!(steered, Err(engine::Error::QueueFull)), "number {number}: {steered:?}"),
        }
    }
    world.tools.open("look");
    world.ended(accepted).await;
}
