//! Messages that come while a turn runs wait their turn, in order.

use crate::world::{World, shown, until, until_type};
use domain::{EnvelopeBody, EventBody, SessionStatus};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

on_both_databases! {
    messages_wait_in_order_and_enter_the_transcript_when_their_turn_starts,
}

/// HERO-32
async fn messages_wait_in_order_and_enter_the_transcript_when_their_turn_starts(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("One.").gate(gate.clone()));
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    let mut reader = world.follow_from(0).await;
    world.post("first").await;
    world.model.wait_for(1).await;
    for text in ["second", "third"] {
        let accepted = world.post(text).await;
        assert!(!accepted.repeated);
    }
    let events = until(&mut reader, |event| event.seq == 7).await;
    assert_eq!(
        shown(&events)[5..],
        ["input_accepted queue", "input_accepted queue"],
        "they wait, and no word of them is in the transcript"
    );
    assert_eq!(world.messages().await.len(), 1);
    gate.notify_one();
    let mut rest = Vec::new();
    for _ in 0..3 {
        rest.extend(until_type(&mut reader, "turn_ended").await);
    }
    let told: Vec<_> = shown(&rest)
        .into_iter()
        .filter(|line| ["user", "mess", "turn"].iter().any(|start| line.starts_with(start)))
        .filter(|line| line != "message_start")
        .collect();
    assert_eq!(
        told,
        [
            "message_complete One. Completed",
            "turn_ended completed",
            "turn_started 1",
            "user_message second",
            "message_complete Answer to second Completed",
            "turn_ended completed",
            "turn_started 1",
            "user_message third",
            "message_complete Answer to third Completed",
            "turn_ended completed",
        ]
    );
    world.check(&["first", "second", "third"]).await;
}

#[tokio::test]
async fn a_queue_that_is_full_refuses_and_keeps_what_it_has() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("One.").gate(gate.clone()));
    world.model.respond(|_| Reply::text("Next."));
    world.post("running").await;
    world.model.wait_for(1).await;
    let waiting: Vec<String> = (0..100).map(|number| format!("waiting {number}")).collect();
    let mut accepted = Vec::new();
    for text in &waiting {
        accepted.push(world.post(text).await);
    }
    let refused = world.send(world.message("one too many")).await;
    assert!(matches!(refused, Err(engine::Error::QueueFull)), "{refused:?}");
    gate.notify_one();
    for turn in accepted {
        world.ended(turn).await;
    }
    let said: Vec<&str> = std::iter::once("running").chain(waiting.iter().map(String::as_str)).collect();
    world.check(&said).await;
    assert_eq!(world.session().await.status, SessionStatus::Idle);
    world.run("there is room again").await;
}

#[tokio::test]
async fn a_failed_turn_does_not_hold_up_those_behind_it() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::status(401).gate(gate.clone()));
    world.model.respond(|_| Reply::text("Fine."));
    let first = world.post("first").await;
    world.model.wait_for(1).await;
    let second = world.post("second").await;
    gate.notify_one();
    let failed = shown(&world.ended(first).await);
    assert_eq!(failed.last().unwrap(), "turn_ended failed provider_authentication");
    assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended completed");
    assert_eq!(world.session().await.status, SessionStatus::Idle);
    world.check(&["first", "second"]).await;
}

#[tokio::test]
async fn many_senders_at_once_lose_nothing() {
    let world = World::new().await;
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    let texts: Vec<String> = (0..40).map(|number| format!("message {number}")).collect();
    let posts = texts.iter().map(|text| world.post(text));
    let accepted = futures_util::future::join_all(posts).await;
    let mut ids: Vec<_> = accepted.iter().map(|accepted| accepted.turn_id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 40, "each has a turn of its own");
    for one in &accepted {
        world.ended(*one).await;
    }
    // In the order in which the log says they were accepted.
    let log = world.log().await;
    let order: Vec<&str> = log
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::InputAccepted { turn_id, .. } => {
                let at = accepted.iter().position(|accepted| accepted.turn_id == *turn_id)?;
                texts.get(at).map(String::as_str)
            }
            _ => None,
        })
        .collect();
    assert_eq!(order.len(), 40);
    world.check(&order).await;
}

#[tokio::test]
async fn an_archived_session_takes_no_message_and_a_busy_one_is_not_archived() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Hm.").gate(gate.clone()));
    let accepted = world.post("first").await;
    world.model.wait_for(1).await;
    let busy = world.engine().archive_session(world.user, world.session, true).await;
    assert!(matches!(busy, Err(engine::Error::Conflict { code: "session_busy", .. })), "{busy:?}");
    gate.notify_one();
    world.ended(accepted).await;
    let mut reader = world.follow(engine::Start::Now).await.unwrap();
    world.engine().archive_session(world.user, world.session, true).await.unwrap();
    let told = until_type(&mut reader, "session_updated").await;
    assert!(
        matches!(&told[0].body, EnvelopeBody::Durable(EventBody::SessionUpdated(what)) if what["archived"] == true)
    );
    let refused = world.send(world.message("second")).await;
    assert!(matches!(refused, Err(engine::Error::Conflict { code: "session_archived", .. })), "{refused:?}");
    world.check(&["first"]).await;
}
