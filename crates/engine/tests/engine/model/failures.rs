//! Providers that fail: asked again where that can help, then said aloud, and run once more when a person wants it.

use crate::world::{World, shown, until_text};
use domain::{Envelope, EnvelopeBody, EventBody, MessageKind, SessionStatus};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::sync::Notify;

/// Makes a reply each time it is needed.
type Script = fn() -> Reply;

fn restarts(events: &[Envelope]) -> usize {
    events.iter().filter(|event| event.type_name() == "message_restarted").count()
}

/// After failures that may pass, the second or third answer counts, and no word of the first ones is kept.
#[tokio::test]
async fn what_may_pass_is_asked_again() {
    let bad: [(&str, usize, Script); 6] = [
        ("429", 2, || Reply::status(429).header("retry-after", "0")),
        ("500", 2, || Reply::status(500)),
        ("503", 2, || Reply::status(503)),
        ("reset", 2, Reply::hang_up),
        ("cut", 2, || Reply::pieces(["Wrong", " words"]).cut_after_pieces(1)),
        ("no end", 2, || Reply::pieces(["Wrong", " words"]).without_finish().without_done()),
    ];
    for (name, begun_again, reply) in bad {
        let world = World::new().await;
        world.model.queue([reply(), reply(), Reply::text("The right words.")]);
        let events = world.run("Hello").await;
        let told = shown(&events);
        assert_eq!(told.last().unwrap(), "turn_ended completed", "{name}");
        assert!(told.contains(&"message_complete The right words. Completed".to_owned()), "{name}: {told:?}");
        assert_eq!(restarts(&events), begun_again, "{name}");
        let sent = world.model.requests();
        assert!(
            sent.iter().all(|request| request.body == sent[0].body),
            "{name}: the same question each time"
        );
        world.check(&["Hello"]).await;
    }
}

#[tokio::test]
async fn a_silent_provider_is_given_up_and_asked_again() {
    // In the middle of an answer, and before it.
    let silent: [Script; 2] = [
        || Reply::pieces(["Half", " a word"]).stall_after_pieces(1),
        || Reply::text("Never.").gate(Arc::new(Notify::new())),
    ];
    for silent in silent {
        let world = World::with(|setup| setup.stall = Duration::from_secs(3)).await;
        world.model.queue([silent(), Reply::text("Whole.")]);
        let events = world.run("Hello").await;
        assert!(shown(&events).contains(&"message_complete Whole. Completed".to_owned()));
        assert_eq!(restarts(&events), 1);
        world.check(&["Hello"]).await;
    }
}

/// EVERRUNS-15, TIDGI-06
#[tokio::test]
async fn after_the_last_attempt_the_turn_fails_in_words_a_person_can_use() {
    let world = World::with(|setup| setup.settings.turn.policy.attempts = 4).await;
    world.model.queue((0..4).map(|_| Reply::status(500)));
    let events = world.run("Hello").await;
    let retries: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EnvelopeBody::Durable(EventBody::MessageRestarted { attempt, retry: Some(retry), .. }) => {
                Some((*attempt, retry.of, retry.wait_ms, retry.error.code.clone()))
            }
            _ => None,
        })
        .collect();
    let failed = "provider_failed".to_owned();
    assert_eq!(retries, [(2, 4, 1, failed.clone()), (3, 4, 2, failed.clone()), (4, 4, 4, failed)]);
    assert_eq!(
        shown(&events)[5..],
        [
            "message_restarted 2",
            "message_restarted 3",
            "message_restarted 4",
            &format!("message_complete {} Interrupted", world.messages().await[1].content),
            "error provider_failed",
            "agent_status failed",
            "turn_ended failed provider_failed",
        ]
    );
    let notice = world.messages().await.pop().unwrap();
    assert_eq!(notice.meta.kind, Some(MessageKind::Error));
    assert!(notice.content.starts_with("I could not get an answer from the model"), "{}", notice.content);
    assert!(notice.content.contains("retry"), "it says what to do: {}", notice.content);
    assert_eq!(world.session().await.status, SessionStatus::Failed);
    world.check(&["Hello"]).await;
}

/// What cannot pass by itself is not asked again.
#[tokio::test]
async fn what_cannot_pass_fails_at_once() {
    let bad: [(&str, Script); 4] = [
        ("provider_authentication", || Reply::status(401)),
        ("provider_protocol", Reply::garbage),
        ("provider_protocol", || Reply::raw("<html>Welcome</html>").content_type("text/html")),
        ("provider_rate_limited", || Reply::status(429).header("retry-after", "86400")),
    ];
    for (code, reply) in bad {
        let world = World::new().await;
        world.model.script(reply());
        let events = world.run("Hello").await;
        assert_eq!(shown(&events).last().unwrap(), &format!("turn_ended failed {code}"));
        assert_eq!((world.model.requests().len(), restarts(&events)), (1, 0), "{code}");
        world.check(&["Hello"]).await;
    }
}

#[tokio::test]
async fn a_wait_that_the_provider_asks_for_is_kept() {
    let world = World::new().await;
    world.model.queue([Reply::status(429).header("retry-after", "1"), Reply::text("Now.")]);
    let begun = std::time::Instant::now();
    let events = world.run("Hello").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert!(begun.elapsed() >= Duration::from_secs(1), "it was asked too early");
}

#[tokio::test]
async fn readers_see_the_new_text_only_after_they_were_told_to_drop_the_old() {
    let world = World::new().await;
    let gate = Arc::new(Notify::new());
    world.model.queue([
        Reply::pieces(["Wrong", "."]).gate_after_pieces(1, gate.clone()).cut_after_pieces(1),
        Reply::text("Right."),
    ]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Hello").await;
    until_text(&mut reader, "Wrong").await;
    gate.notify_one();
    let rest = crate::world::until_type(&mut reader, "message_complete").await;
    assert_eq!(rest[0].type_name(), "message_restarted");
    assert!(!crate::world::texts(&rest).contains("Wrong"));
    world.ended(accepted).await;
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn retry_runs_the_turn_again_without_doubling_the_message() {
    let world = World::new().await;
    world.model.script(Reply::status(401));
    let failed = world.run("Hello").await;
    world.model.script(Reply::text("Here I am."));
    let (turn, after) = world.retry().await.unwrap();
    assert_eq!(Some(turn), failed[0].turn_id, "it is the same turn");
    let events = world.turn(turn, after).await;
    assert_eq!(
        shown(&events),
        [
            "turn_started 2",
            "agent_status working",
            "message_start",
            "message_complete Here I am. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    let sent = world.model.last_request().unwrap();
    assert_eq!(
        sent.messages().len(),
        2,
        "the person's message once, and nothing of the failure: {:?}",
        sent.messages()
    );
    assert_eq!(world.session().await.status, SessionStatus::Idle);
    world.check(&["Hello"]).await;
}

/// TIDGI-06: what a tool had told before the failure is kept
#[tokio::test]
async fn retry_does_not_run_again_what_has_run() {
    let world = World::new().await;
    world
        .model
        .queue([Reply::calls([("touch", json!({ "say": "once" }))]).usage(100, 10, 0), Reply::status(401)]);
    let failed = world.run("Touch it").await;
    assert_eq!(shown(&failed).last().unwrap(), "turn_ended failed provider_authentication");
    world.model.script(Reply::text("Touched.").usage(100, 10, 0));
    let (turn, after) = world.retry().await.unwrap();
    let events = world.turn(turn, after).await;
    let Some(EnvelopeBody::Durable(EventBody::TurnEnded { usage, .. })) =
        events.last().map(|event| event.body.clone())
    else {
        panic!("no end")
    };
    assert_eq!((usage.input_tokens, usage.output_tokens), (200, 20), "the usage is that of the whole turn");
    assert_eq!(world.tools.runs("touch").len(), 1);
    assert_eq!(world.model.last_request().unwrap().results_since_user().len(), 1);
    world.check(&["Touch it"]).await;
}

#[tokio::test]
async fn there_is_nothing_to_retry_where_nothing_failed() {
    let world = World::new().await;
    let conflict = |refused: engine::Result<(domain::TurnId, u64)>| {
        matches!(refused, Err(engine::Error::Conflict { code: "nothing_to_retry", .. }))
    };
    assert!(conflict(world.retry().await), "nothing was ever said");
    world.model.script(Reply::text("Hello."));
    world.run("Hello").await;
    assert!(conflict(world.retry().await), "the turn completed");
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Busy.").gate(gate.clone()));
    let accepted = world.post("Work").await;
    world.model.wait_for(2).await;
    assert!(conflict(world.retry().await), "the turn runs");
    world.abort().await;
    world.ended(accepted).await;
    assert!(conflict(world.retry().await), "stopping was a person's wish");
    world.check(&["Hello", "Work"]).await;
}

#[tokio::test]
async fn many_retries_at_once_are_one() {
    let world = World::new().await;
    world.model.script(Reply::status(401));
    world.run("Hello").await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Once.").gate(gate.clone()));
    let tries = futures_util::future::join_all((0..10).map(|_| world.retry())).await;
    let begun: Vec<_> = tries.iter().flatten().collect();
    assert_eq!(begun.len(), 1, "{tries:?}");
    gate.notify_one();
    world.turn(begun[0].0, begun[0].1).await;
    assert_eq!(world.model.requests().len(), 2);
    world.check(&["Hello"]).await;
}

#[tokio::test]
async fn following_a_retried_turn_from_its_beginning_ends_with_its_last_end() {
    let world = World::new().await;
    world.model.script(Reply::status(401));
    let accepted = world.post("Hello").await;
    world.ended(accepted).await;
    let gate = Arc::new(Notify::new());
    world.model.script(Reply::text("Here.").gate(gate.clone()));
    world.retry().await.unwrap();
    world.model.wait_for(2).await;
    gate.notify_one();
    let told = shown(&world.ended(accepted).await);
    assert_eq!(told.iter().filter(|line| line.starts_with("turn_ended")).count(), 2);
    assert_eq!(told.last().unwrap(), "turn_ended completed");
}

#[tokio::test]
async fn an_agent_whose_model_is_gone_says_so() {
    let world = World::new().await;
    let fields = engine::AgentFields {
        model: engine::Change::Set("test/other".to_owned()),
        ..engine::AgentFields::default()
    };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.script(Reply::status(404));
    let events = world.run("Hello").await;
    let told = shown(&events);
    assert!(told.last().unwrap() == "turn_ended failed unknown_model", "{told:?}");
    assert_eq!(world.session().await.status, SessionStatus::Failed);
    world.check(&["Hello"]).await;
}
