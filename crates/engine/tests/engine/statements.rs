//! How much a plain turn asks of the store. Near-deterministic numbers, so they are a gate.

use crate::world::{World, shown};
use domain::MarkupSettings;
use store::Counts;
use testkit::model::Reply;

const TURNS: u64 = 20;

/// Mean statements and commits of one turn, from its acceptance to its end, with somebody following.
async fn per_turn(world: &World) -> (f64, f64) {
    let mut reader = world.follow(engine::Start::Now).await.unwrap();
    let before = world.house.store.counts();
    for number in 0..TURNS {
        world.post(&format!("message {number}")).await;
        let events = crate::world::until_type(&mut reader, "turn_ended").await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    }
    let Counts { statements, commits } = world.house.store.counts();
    let mean = |after: u64, before: u64| (after - before) as f64 / TURNS as f64;
    (mean(statements, before.statements), mean(commits, before.commits))
}

async fn plain_turns(markup: MarkupSettings) {
    let world = World::with(|setup| setup.markup = markup).await;
    world.model.respond(|request| Reply::text(format!("You said: {}", request.last_user())));
    let mut measured = Vec::new();
    for length in [10, 1_000] {
        world.fill(length).await;
        let (statements, commits) = per_turn(&world).await;
        println!("{length} messages: {statements} statements, {commits} commits per turn");
        assert!(statements <= 14.0, "{statements} statements");
        assert!(commits <= 2.0, "{commits} commits");
        measured.push((statements, commits));
    }
    // Every word of the thousand messages went into the prompt, so nothing was saved by leaving them out.
    assert!(world.model.last_request().unwrap().messages().len() > 1_000);
    assert_eq!(measured[0], measured[1], "the length of the session does not matter");
}

/// EVERRUNS-19
#[tokio::test]
async fn a_plain_turn_costs_few_statements_however_long_the_session_is() {
    plain_turns(MarkupSettings::default()).await;
}

#[tokio::test]
async fn a_plain_turn_costs_no_more_without_markup() {
    plain_turns(MarkupSettings::OFF).await;
}
