//! What was spent is accounted for: also what was cut off, refused or lost.

use crate::world::World;
use domain::{Envelope, EnvelopeBody, EventBody, Usage};
use engine::{UsageLine, UsageQuestion};
use testkit::model::Reply;

fn ended(events: &[Envelope]) -> Usage {
    let usage = events.iter().find_map(|event| match &event.body {
        EnvelopeBody::Durable(EventBody::TurnEnded { usage, .. }) => Some(*usage),
        _ => None,
    });
    usage.unwrap()
}

async fn spent(world: &World, by: &str) -> Vec<UsageLine> {
    let question = UsageQuestion { by: Some(by.to_owned()), ..UsageQuestion::default() };
    let user = world.user;
    world.house.on(move |engine| async move { engine.usage(user, Some(user), question).await }).await.unwrap()
}

/// The turn, the session and every way to add up say the same.
async fn agreed(world: &World, events: &[Envelope]) -> UsageLine {
    let turn = ended(events);
    assert_eq!(world.session().await.usage, turn);
    for by in ["day", "user", "agent", "session", "turn", "model"] {
        let [line] = spent(world, by).await.try_into().unwrap();
        assert_eq!(line.usage, turn, "by {by}");
    }
    spent(world, "turn").await.remove(0)
}

#[tokio::test]
async fn an_answer_that_broke_off_has_cost_what_was_written() {
    let world = World::new().await;
    let long = "many words ".repeat(100);
    world.model.queue([
        Reply::pieces([long.as_str(), "rest"]).cut_after_pieces(1),
        Reply::text("Short.").usage(100, 10, 0),
    ]);
    let events = world.run("Hello").await;
    let line = agreed(&world, &events).await;
    assert_eq!((line.calls, line.unknown_calls, line.estimated_calls), (2, 0, 1));
    assert!(line.usage.output_tokens > 10 + 200, "the lost words count: {:?}", line.usage);
    assert!(line.usage.input_tokens > 100 && line.usage.cost_microusd.is_some());
}

#[tokio::test]
async fn a_refusal_costs_nothing() {
    let world = World::new().await;
    world.model.queue([Reply::status(503), Reply::text("Short.").usage(100, 10, 0)]);
    let events = world.run("Hello").await;
    let line = agreed(&world, &events).await;
    assert_eq!((line.calls, line.unknown_calls), (2, 0));
    assert_eq!((line.usage.input_tokens, line.usage.output_tokens), (100, 10));
}

#[tokio::test]
async fn a_turn_that_fails_in_the_end_has_cost_something_too() {
    let world = World::with(|setup| setup.settings.turn.policy.attempts = 2).await;
    let cut = || Reply::pieces(["half an answer", "rest"]).cut_after_pieces(1);
    world.model.queue([cut(), cut()]);
    let events = world.run("Hello").await;
    let line = agreed(&world, &events).await;
    assert!(line.calls == 2 && line.usage.output_tokens > 0, "{line:?}");
}

#[tokio::test]
async fn what_a_crash_swallowed_is_said_to_be_unknown() {
    let mut world = World::new().await;
    world.model.queue([
        Reply::pieces(["one", "two"]).stall_after_pieces(1),
        Reply::text("Whole.").usage(100, 10, 0),
    ]);
    let accepted = world.post("Hello").await;
    world.model.wait_for(1).await;
    world.crash().await;
    world.ended(accepted).await;
    let [line] = spent(&world, "turn").await.try_into().unwrap();
    assert_eq!((line.calls, line.unknown_calls, line.usage.cost_microusd), (2, 1, None));
}

#[tokio::test]
async fn one_sees_ones_own() {
    let world = World::new().await;
    world.model.queue([Reply::text("x")]);
    world.run("Hello").await;
    let stranger = domain::UserId::from_uuid(uuid::Uuid::from_u128(5));
    let (reader, question) = (world.user, UsageQuestion::default());
    let usage = async |whose| {
        let question = question.clone();
        world
            .house
            .on(move |engine| async move { engine.usage(reader, whose, question).await })
            .await
            .unwrap()
    };
    assert_eq!((usage(Some(reader)).await.len(), usage(None).await.len()), (1, 1));
    assert!(usage(Some(stranger)).await.is_empty());
}
