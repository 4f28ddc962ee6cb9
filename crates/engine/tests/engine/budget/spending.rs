//! Budgets against people and agents that try to spend more: many at once, agents for one another, replies without an end.

use crate::{
    errands::colleagues::{Kitchen, call, change_agent, is, soup},
    world::{World, node, rest, shown},
};
use domain::{Budget, Role};
use engine::{AgentFields, Change, NewMessage, NewSession};
use proptest::{prelude::*, test_runner::Config};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use store::Tx;
use testkit::model::{Recorded, Reply};

on_both_databases! {
    whoever_works_for_a_turn_is_held_to_its_budget,
    a_retry_is_held_to_the_same_budget,
    a_retry_of_which_nothing_can_be_read_is_held_to_its_makers_budget,
}

const PER_TOKEN_WRITTEN: u64 = 10;

/// Turns that go on side by side.
#[derive(Clone, Debug)]
struct Rush {
    cap: u64,
    sessions: usize,
    /// Model calls of each turn.
    steps: usize,
    /// How much of what it may write the model writes, in per cent, one request after the other.
    greed: Vec<u64>,
}

fn rush() -> impl Strategy<Value = Rush> {
    let greed = proptest::collection::vec(prop_oneof![Just(0), Just(100), 1..100_u64], 1..8);
    (8_000..200_000_u64, 2..7_usize, 1..4_usize, greed).prop_map(|(cap, sessions, steps, greed)| Rush {
        cap,
        sessions,
        steps,
        greed,
    })
}

/// What the model has really cost, as its provider counts it.
#[derive(Clone, Default)]
struct Bill {
    requests: Arc<AtomicU64>,
    cost: Arc<AtomicU64>,
}

impl Bill {
    fn answer(&self, rush: &Rush, request: &Recorded) -> Reply {
        let most = request.body["max_tokens"].as_u64().expect("the model is told what was paid for");
        let number = usize::try_from(self.requests.fetch_add(1, Ordering::SeqCst)).unwrap();
        let written = most * rush.greed[number % rush.greed.len()] / 100;
        self.cost.fetch_add(10 + written * PER_TOKEN_WRITTEN, Ordering::SeqCst);
        let done = request.results_since_user().len();
        let reply = match done + 1 < rush.steps {
            true => call("look", json!({ "at": done })),
            false => Reply::text("Words."),
        };
        reply.usage(10, written, 0)
    }
}

/// Lets them all run, on two nodes. Gives what they cost, and what the books say.
async fn spend(rush: Rush) -> (u64, u64, Vec<String>) {
    let budget = Budget { per_day_microusd: Some(rush.cap), ..Budget::NONE };
    let world = World::with(|setup| setup.settings.budget.default = budget).await;
    let (bill, wanted) = (Bill::default(), rush.clone());
    let counted = bill.clone();
    world.model.respond(move |request| counted.answer(&wanted, request));
    let second = world.house(node(2)).await;
    let mut turns = Vec::new();
    for number in 0..rush.sessions {
        let new = NewSession::with(world.agent);
        let session = world.engine().create_session(world.user, new).await.unwrap().id;
        let house = if number % 2 == 0 { &world.house } else { &second };
        let message = NewMessage { session_id: session, ..world.message("Spend") };
        let accepted = house.on(|engine| async move { engine.accept(message).await }).await.unwrap();
        turns.push((house.engine.clone(), session, accepted));
    }
    let mut outcomes = Vec::new();
    for (engine, session, accepted) in turns {
        let reader = engine.follow_turn(world.user, session, accepted.turn_id, accepted.after).await.unwrap();
        outcomes.push(shown(&rest(reader).await).last().unwrap().clone());
    }
    let left = world.engine().budget_left(world.user).await.unwrap();
    assert_eq!(left.reserved_microusd, 0, "nothing is under way any more");
    (bill.cost.load(Ordering::SeqCst), left.spent_microusd, outcomes)
}

proptest! {
    #![proptest_config(Config { cases: 8, max_shrink_iters: 0, failure_persistence: None, ..Config::default() })]

    /// HOUSE-10
    #[test]
    fn a_budget_is_never_exceeded_by_turns_side_by_side(rush in rush()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let cap = rush.cap;
        let (cost, counted, outcomes) = runtime.block_on(spend(rush));
        prop_assert!(cost <= cap, "{} was spent of {}", cost, cap);
        prop_assert_eq!(cost, counted, "the books say what was spent");
        let known = |outcome: &String| outcome.ends_with("completed") || outcome.ends_with("limit_budget");
        prop_assert!(outcomes.iter().all(known), "{:?}", outcomes);
    }
}

fn greedy(request: &Recorded) -> Reply {
    let most = request.body["max_tokens"].as_u64().unwrap_or(8_000);
    Reply::text("Soup.").usage(10, most, 0)
}

/// Attack 28: an agent with a budget gives the work to one that has none.
/// HOUSE-14
async fn whoever_works_for_a_turn_is_held_to_its_budget(postgres: bool) {
    const CAP: u64 = 40_000;
    let mut costs = Vec::new();
    for budget in [Budget { per_turn_microusd: Some(CAP), ..Budget::NONE }, Budget::NONE] {
        let kitchen = Kitchen::on(postgres).await;
        let world = &kitchen.world;
        change_agent(world, AgentFields { budget: Change::Set(budget), ..AgentFields::default() }).await;
        world.model.respond(|request| match (is(request, "You cook."), request.results_since_user().len()) {
            (true, _) => greedy(request),
            (false, 0) => call("delegate", soup()).usage(100, 10, 0),
            (false, _) => Reply::text("Done.").usage(100, 10, 0),
        });
        world.run("Dinner").await;
        kitchen.at_rest().await;
        costs.push(world.engine().budget_left(world.user).await.unwrap().spent_microusd);
    }
    assert!(costs[0] <= CAP, "{costs:?}");
    assert!(costs[1] > CAP, "without a budget it costs more: {costs:?}");
}

/// A retry in the session of an agent that works for another one does not give it more money. Without a budget the same retry
/// costs more.
async fn a_retry_is_held_to_the_same_budget(postgres: bool) {
    const CAP: u64 = 40_000;
    let mut costs = Vec::new();
    for budget in [Budget { per_turn_microusd: Some(CAP), ..Budget::NONE }, Budget::NONE] {
        let kitchen = Kitchen::on(postgres).await;
        let world = &kitchen.world;
        change_agent(world, AgentFields { budget: Change::Set(budget), ..AgentFields::default() }).await;
        world.model.respond(|request| match (is(request, "You cook."), request.results_since_user().len()) {
            (true, _) => Reply::status(401),
            (false, 0) => call("delegate", soup()).usage(100, 10, 0),
            (false, _) => Reply::text("Done.").usage(100, 10, 0),
        });
        world.run("Dinner").await;
        kitchen.at_rest().await;
        world.model.respond(greedy);
        let (user, child) = (world.user, kitchen.child().await.id);
        world.house.on(move |engine| async move { engine.retry(user, child).await }).await.unwrap();
        kitchen.at_rest().await;
        costs.push(world.engine().budget_left(world.user).await.unwrap().spent_microusd);
    }
    assert!(costs[0] > 0 && costs[0] <= CAP, "{costs:?}");
    assert!(costs[1] > CAP, "without a budget it costs more: {costs:?}");
}

/// Neither what was stored of a turn nor the words that made it can be read any more: the agent that it works for still says how much
/// it may spend.
async fn a_retry_of_which_nothing_can_be_read_is_held_to_its_makers_budget(postgres: bool) {
    const CAP: u64 = 40_000;
    let mut costs = Vec::new();
    for budget in [Budget { per_turn_microusd: Some(CAP), ..Budget::NONE }, Budget::NONE] {
        let mut kitchen = Kitchen::on(postgres).await;
        let fields = AgentFields { budget: Change::Set(budget), ..AgentFields::default() };
        change_agent(&kitchen.world, fields).await;
        kitchen.world.model.respond(|request| {
            match (is(request, "You cook."), request.results_since_user().len()) {
                (true, _) => Reply::text("Never.").gate(Arc::default()),
                (false, 0) => call("delegate", soup()).usage(100, 10, 0),
                (false, _) => Reply::text("Done.").usage(100, 10, 0),
            }
        });
        kitchen.world.post("Dinner").await;
        kitchen.world.model.wait_for(2).await;
        let child = kitchen.child().await.id;
        kitchen.world.house.kill().await;
        let spoil = move |tx: &mut Tx| {
            for sql in [
                "UPDATE turns SET state = $1 WHERE session_id = $2",
                "UPDATE inbox SET body = $1 WHERE session_id = $2",
            ] {
                assert_eq!(tx.run(sql, store::args![vec![7_u8; 80], child])?, 1, "{sql}");
            }
            Ok(())
        };
        kitchen.world.store.write(spoil).await.unwrap();
        kitchen.world.house = kitchen.world.house(kitchen.world.house.node).await;
        kitchen.at_rest().await;
        let world = &kitchen.world;
        let spent = async || world.engine().budget_left(world.user).await.unwrap().spent_microusd;
        world.model.respond(greedy);
        // What the killed request held back counts as spent for a week. The retry comes after it.
        world.clock.advance(8 * 24 * 3_600 * 1_000);
        // Only what was spent on the day of the retry.
        let (user, before) = (world.user, spent().await);
        world.house.on(move |engine| async move { engine.retry(user, child).await }).await.unwrap();
        kitchen.at_rest().await;
        costs.push(spent().await - before);
    }
    assert!(costs[0] > 0 && costs[0] <= CAP, "{costs:?}");
    assert!(costs[1] > CAP, "without a budget it costs more: {costs:?}");
}

/// Attack 28: more calls in one reply than anybody can look at.
/// HOUSE-21
#[tokio::test]
async fn a_flood_of_calls_does_little() {
    let world = World::new().await;
    world.model.script(Reply::calls((0..200).map(|number| ("touch", json!({ "say": number.to_string() })))));
    world.model.script(Reply::text("Done."));
    let events = world.run("Go").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert_eq!(world.tools.runs("touch").len(), 32, "limits.calls_per_step");
    let told = world.messages().await;
    assert_eq!(told.iter().filter(|message| message.role == Role::Tool).count(), 200, "each has its result");
    world.model.respond(|_| Reply::calls((0..1_000).map(|_| ("touch", json!({})))));
    let events = world.run("More").await;
    assert!(shown(&events).last().unwrap().starts_with("turn_ended failed"), "{:?}", shown(&events).last());
    assert_eq!(world.tools.runs("touch").len(), 32);
}

/// Attack 28: arguments that are larger than anything they could be for.
#[tokio::test]
async fn an_answer_to_huge_arguments_is_short() {
    let world = World::new().await;
    world.model.respond(|request| match request.results_since_user().is_empty() {
        true => call("nothing_like_it", json!({ "say": "x".repeat(1 << 18) })),
        false => Reply::text("Done."),
    });
    let events = world.run("Go").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let last = world.messages().await.into_iter().rfind(|message| message.role == Role::Tool).unwrap();
    assert!(last.content.contains("there is no tool"), "{}", last.content);
    assert!(last.content.len() < 1_000, "{}", last.content.len());
}
