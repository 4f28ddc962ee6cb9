//! How much a plain turn asks of the store. Near-deterministic numbers, so they are a gate.

use crate::world::{World, shown};
use domain::MarkupSettings;
use testkit::model::Reply;

const TURNS: usize = 21;

/// Statements and commits of one turn, from one to the next, with somebody following. The median: what the house does from time
/// to time (leases, clocks) falls into some of them, what a turn does into all.
pub async fn per_turn(world: &World) -> (u64, u64) {
    let mut reader = world.follow(engine::Start::Now).await.unwrap();
    let (mut statements, mut commits) = (Vec::new(), Vec::new());
    let mut before = world.house.store.counts();
    for number in 0..TURNS {
        world.post(&format!("message {number}")).await;
        let events = crate::world::until_type(&mut reader, "turn_ended").await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
        let now = world.house.store.counts();
        statements.push(now.statements - before.statements);
        commits.push(now.commits - before.commits);
        before = now;
    }
    (median(statements), median(commits))
}

fn median(mut counted: Vec<u64>) -> u64 {
    counted.sort_unstable();
    counted[counted.len() / 2]
}

async fn plain_turns(markup: MarkupSettings) {
    let world = World::with(|setup| setup.markup = markup).await;
    world.model.respond(|request| Reply::text(format!("You said: {}", request.last_user())));
    let mut measured = Vec::new();
    for length in [10, 1_000] {
        world.fill(length).await;
        let (statements, commits) = per_turn(&world).await;
        println!("{length} messages: {statements} statements, {commits} commits per turn");
        assert!(statements <= 14, "{statements} statements");
        assert!(commits <= 2, "{commits} commits");
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

/// Each statement is a way to the server and back there.
#[tokio::test]
async fn a_plain_turn_costs_as_few_on_postgresql() {
    let Some(url) = crate::world::postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    world.model.respond(|request| Reply::text(format!("You said: {}", request.last_user())));
    let (statements, commits) = per_turn(&world).await;
    assert!(statements <= 14, "{statements} statements");
    assert!(commits <= 2, "{commits} commits");
}

#[tokio::test]
async fn a_plain_turn_costs_no_more_without_markup() {
    plain_turns(MarkupSettings::OFF).await;
}

/// Reads of one turn that another thread did.
async fn handed_over(world: &World) -> u64 {
    let mut reader = world.follow(engine::Start::Now).await.unwrap();
    let (mut counted, mut before) = (Vec::new(), world.house.store.counts());
    for number in 0..TURNS {
        world.post(&format!("message {number}")).await;
        crate::world::until_type(&mut reader, "turn_ended").await;
        let now = world.house.store.counts();
        counted.push(now.handed_over - before.handed_over);
        before = now;
    }
    median(counted)
}

#[tokio::test]
async fn a_short_conversation_is_read_where_it_is_asked_for() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Hello"));
    let short = World::new().await;
    short.model.respond(|_| Reply::text("Hello"));
    world.fill(200).await;
    let long = handed_over(&world).await;
    // Its first turns, while it has few messages.
    let before = short.house.store.counts().handed_over;
    for number in 0..5 {
        let accepted = short.post(&format!("message {number}")).await;
        short.ended(accepted).await;
    }
    let few = (short.house.store.counts().handed_over - before) / 5;
    println!("reads of other threads in a turn: {few} in a short conversation, {long} in a long one");
    assert!(few < long, "{few} and {long}");
}

/// A request begins with it.
#[tokio::test]
async fn keys_are_looked_up_and_logs_begun_where_they_are_asked_for() {
    let world = World::new().await;
    let key = engine::NewKey {
        user_id: world.user,
        name: "laptop".to_owned(),
        scope: domain::Scope::Full,
        source: None,
        expires_at: None,
    };
    let secret = world.engine().people().issue_key(key).await.unwrap().secret;
    let (mut keys, mut readers) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let before = world.house.store.counts();
        assert!(world.engine().people().authenticate(&secret).await.unwrap().is_some());
        let between = world.house.store.counts();
        drop(world.follow(engine::Start::Now).await.unwrap());
        let after = world.house.store.counts();
        keys.push((between.handed_over - before.handed_over, between.statements - before.statements));
        readers.push((after.handed_over - between.handed_over, after.statements - between.statements));
    }
    let middle = |mut counted: Vec<(u64, u64)>| {
        counted.sort_unstable();
        counted[counted.len() / 2]
    };
    assert_eq!((middle(keys), middle(readers)), ((0, 1), (0, 1)), "reads of other threads, statements");
}
