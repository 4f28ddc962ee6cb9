//! Stop: at once, durably, with what there is.

use crate::world::{World, shown, until_text};
use domain::{EnvelopeBody, EventBody, SessionStatus, StopReason};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::sync::Notify;

#[tokio::test]
async fn while_the_model_writes_the_text_so_far_becomes_the_message() {
    let world = World::new().await;
    world.model.script(Reply::pieces(["Once upon", " a time"]).stall_after_pieces(1));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Tell me a story").await;
    until_text(&mut reader, "Once upon").await;
    assert_eq!(world.abort().await, Some(accepted.turn_id));
    let events = world.ended(accepted).await;
    let told = shown(&events);
    assert_eq!(
        told[5..],
        ["message_complete Once upon Cancelled", "usage", "agent_status cancelled", "turn_ended cancelled"]
    );
    world.model.wait_for_hang_ups(1).await;
    let answer = world.messages().await.pop().unwrap();
    assert_eq!((answer.content.as_str(), answer.stop_reason), ("Once upon", Some(StopReason::Cancelled)));
    let Some(EnvelopeBody::Durable(EventBody::TurnEnded { usage, .. })) =
        events.last().map(|event| event.body.clone())
    else {
        panic!("no end")
    };
    assert!(
        usage.input_tokens > 0 && usage.output_tokens > 0,
        "what was cut off has cost something: {usage:?}"
    );
    assert_eq!(world.session().await.status, SessionStatus::Idle);
    world.model.script(Reply::text("As you wish."));
    world.run("Enough").await;
    assert_eq!(world.model.last_request().unwrap().messages()[2]["content"], "Once upon");
    world.check(&["Tell me a story", "Enough"]).await;
}

#[tokio::test]
async fn before_the_model_answers_there_is_no_empty_message_in_the_next_prompt() {
    let world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let accepted = world.post("First").await;
    world.model.wait_for(1).await;
    world.abort().await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended cancelled");
    world.model.wait_for_hang_ups(1).await;
    world.model.script(Reply::text("Yes."));
    world.run("Second").await;
    world.check(&["First", "Second"]).await;
}

/// EVERRUNS-16
#[tokio::test]
async fn while_tools_run_they_end_and_every_call_has_its_result() {
    let world = World::new().await;
    world.model.script(Reply::calls([
        ("touch", json!({ "gate": "never" })),
        ("put", json!({ "gate": "never" })),
        ("look", json!({ "gate": "never" })),
        ("look", json!({ "say": "quick" })),
    ]));
    let accepted = world.post("Work").await;
    world.tools.started(4).await;
    let mut reader = world.follow_from(0).await;
    crate::world::until_type(&mut reader, "tool_result").await;
    world.abort().await;
    // As soon as anybody is told that a call was stopped, nothing of it runs any more.
    crate::world::until_type(&mut reader, "tool_result").await;
    for name in ["touch", "put", "look"] {
        assert!(world.tools.runs(name).iter().all(|run| run.gone), "{name} runs on");
    }
    let told = shown(&world.ended(accepted).await);
    let results: Vec<_> = told.iter().filter(|line| line.starts_with("tool_result")).collect();
    assert_eq!(
        results,
        [
            "tool_result look Ok",
            "tool_result touch Unknown",
            "tool_result put Unknown",
            "tool_result look Error"
        ]
    );
    assert_eq!(told.last().unwrap(), "turn_ended cancelled");
    (0..3).for_each(|_| world.tools.open("never"));
    world.model.script(Reply::text("I see."));
    world.run("What happened?").await;
    let done = |name: &str| world.tools.runs(name).iter().filter(|run| run.done).count();
    assert_eq!((done("touch"), done("put"), done("look")), (0, 0, 1), "they were ended, not left running");
    world.check(&["Work", "What happened?"]).await;
}

#[tokio::test]
async fn what_waits_behind_the_turn_goes_on() {
    let world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    world.model.respond(|request| Reply::text(format!("Answer to {}", request.last_user())));
    let first = world.post("first").await;
    world.model.wait_for(1).await;
    let second = world.post("second").await;
    assert_eq!(world.abort().await, Some(first.turn_id));
    assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended cancelled");
    assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended completed");
    world.check(&["first", "second"]).await;
}

#[tokio::test]
async fn the_turn_that_has_just_started_behind_another_is_stopped_too() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("One.").gate(gate.clone()));
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let first = world.post("first").await;
    world.model.wait_for(1).await;
    let second = world.post("second").await;
    gate.notify_one();
    // Pressed as soon as anybody can know that the second one runs.
    let mut reader = world.follow_from(first.after).await;
    crate::world::until(&mut reader, |event| {
        event.turn_id == Some(second.turn_id) && event.type_name() == "turn_started"
    })
    .await;
    assert_eq!(world.abort().await, Some(second.turn_id));
    assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended cancelled");
}

#[tokio::test]
async fn when_nothing_runs_there_is_nothing_to_stop() {
    let world = World::new().await;
    assert_eq!(world.abort().await, None);
    world.model.script(Reply::text("Hello."));
    world.run("Hello").await;
    assert_eq!(world.abort().await, None);
    assert_eq!(world.session().await.status, SessionStatus::Idle);
}

#[tokio::test]
async fn between_two_attempts_it_does_not_wait_for_the_next() {
    let world = World::with(|setup| {
        setup.settings.turn.policy.first_delay_ms = 3_600_000;
        setup.settings.turn.policy.longest_delay_ms = 3_600_000;
    })
    .await;
    world.model.script(Reply::status(500));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Hello").await;
    crate::world::until_type(&mut reader, "message_restarted").await;
    world.abort().await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended cancelled");
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn a_stop_survives_the_process() {
    for tools in [false, true] {
        let mut world = World::new().await;
        let reply = if tools {
            Reply::calls([("touch", json!({ "gate": "never" })), ("look", json!({ "gate": "never" }))])
        } else {
            Reply::text("Never.").gate(Arc::new(Notify::new()))
        };
        world.model.script(reply);
        let accepted = world.post("Work").await;
        match tools {
            true => world.tools.started(2).await,
            false => drop(world.model.wait_for(1).await),
        }
        world.house.kill().await;
        // The request is in the store, and nobody is there to hear of it.
        let (user, session) = (world.user, world.session);
        let now = capability::Clock::now(world.clock.as_ref());
        let asked = world.store.write(move |tx| store::turns::request_cancel(tx, session, user, now));
        assert_eq!(asked.await.unwrap(), Some(accepted.turn_id));
        world.house = world.house(world.house.node).await;
        let told = shown(&world.ended(accepted).await);
        assert_eq!(told.last().unwrap(), "turn_ended cancelled");
        assert_eq!(told.contains(&"tool_result touch Unknown".to_owned()), tools, "{told:?}");
        assert_eq!(world.model.requests().len(), 1, "nothing was asked again");
        assert_eq!(world.tools.runs("look").len(), usize::from(tools));
        world.check(&["Work"]).await;
    }
}

#[tokio::test]
async fn a_stop_that_was_written_elsewhere_is_heard_with_the_next_sign_of_life() {
    let world = World::with(|setup| setup.settings.turn.lease = Duration::from_millis(60)).await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let accepted = world.post("Work").await;
    world.model.wait_for(1).await;
    let (user, session) = (world.user, world.session);
    let now = capability::Clock::now(world.clock.as_ref());
    let asked = world.store.write(move |tx| store::turns::request_cancel(tx, session, user, now));
    assert_eq!(asked.await.unwrap(), Some(accepted.turn_id));
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended cancelled");
    world.check(&["Work"]).await;
}
