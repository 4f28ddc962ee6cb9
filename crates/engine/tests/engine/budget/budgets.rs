//! Nothing is spent that no budget allows: budgets of turns, days, agents and people. The model costs one micro-USD per
//! token it reads and ten per token it writes.

use crate::{
    worker::statements,
    world::{World, node, shown},
};
use domain::{Budget, EnvelopeBody, EventBody, MessageKind, TurnError, UserId, UserRole};
use engine::{AgentFields, Change, Engine, MeChange, NewMessage, NewSession, Principal};
use serde_json::json;
use store::{Tx, users};
use testkit::model::{Recorded, Reply};

const HOUR: i64 = 3_600_000;

fn per_turn(amount: u64) -> Budget {
    Budget { per_turn_microusd: Some(amount), per_day_microusd: None }
}

fn per_day(amount: u64) -> Budget {
    Budget { per_turn_microusd: None, per_day_microusd: Some(amount) }
}

impl World {
    async fn budget_of_agent(&self, budget: Budget) {
        let fields = AgentFields { budget: Change::Set(budget), ..AgentFields::default() };
        self.engine().change_agent(&self.me(), self.agent, fields).await.unwrap();
    }

    async fn spent(&self) -> u64 {
        let left = self.engine().budget_left(self.user).await.unwrap();
        assert_eq!(left.reserved_microusd, 0, "nothing is under way any more");
        left.spent_microusd
    }
}

fn why(events: &[domain::Envelope]) -> TurnError {
    match &events.last().unwrap().body {
        EnvelopeBody::Durable(EventBody::TurnEnded { error: Some(error), .. }) => error.clone(),
        other => panic!("not a turn that was paused: {other:?}"),
    }
}

/// As much as it may, for the least it could be: a model that takes every token it is given.
fn greedy(request: &Recorded) -> Reply {
    let most = request.body["max_tokens"].as_u64().expect("the model is told what was paid for");
    Reply::text("Words.").usage(10, most, 0)
}

/// HOUSE-11
#[tokio::test]
async fn a_turn_is_paused_before_it_costs_too_much_and_goes_on_when_asked() {
    let world = World::new().await;
    world.budget_of_agent(per_turn(20_000)).await;
    let step = |number: u64| Reply::calls([("look", json!({ "at": number }))]).usage(100, 900, 0);
    world.model.queue((0..2).map(step));
    let events = world.run("Look around").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_budget");
    let (error, spent) = (why(&events), world.spent().await);
    assert!(error.retryable && error.message.contains("may spend $0.02"), "{}", error.message);
    assert_eq!((world.model.requests().len(), spent), (2, 2 * 9_100));
    let asked =
        world.model.requests().into_iter().map(|request| request.body["max_tokens"].as_u64().unwrap());
    let asked: Vec<_> = asked.collect();
    assert!(asked[0] < 2_000 && asked[1] < 1_090, "the model is held to what is left: {asked:?}");
    let notice = world.messages().await.pop().unwrap();
    assert_eq!(notice.meta.kind, Some(MessageKind::Limit));
    world.clock.advance(1);
    world.model.script(Reply::text("I am back.").usage(100, 10, 0));
    let (turn, after) = world.retry().await.unwrap();
    let events = world.turn(turn, after).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed", "a person wanted it once more");
    world.check(&["Look around"]).await;
}

#[tokio::test]
async fn a_day_ends_at_the_houses_midnight_wherever_the_person_says_they_are() {
    let world = World::with(|setup| {
        setup.settings.budget.default = per_day(15_000);
        setup.settings.budget.zone = "Asia/Tokyo".to_owned();
    })
    .await;
    world.model.script(Reply::text("Hello.").usage(100, 1_000, 0));
    world.run("Hello").await;
    let events = world.run("And now?").await;
    let error = why(&events);
    assert_eq!(error.code, "limit_budget");
    // In Auckland the next day has begun already.
    let person = Principal::operator(world.user, UserRole::Owner);
    let elsewhere = MeChange { time_zone: Change::Set("Pacific/Auckland".to_owned()), ..MeChange::default() };
    world.engine().people().change_me(&person, elsewhere).await.unwrap();
    let error_there = why(&world.run("And here?").await);
    assert_eq!(error_there.code, "limit_budget");
    assert!(error.message.contains("you may spend $0.015 a day"), "{}", error.message);
    assert!(error.message.contains("midnight (Asia/Tokyo)"), "{}", error.message);
    let left = world.engine().budget_left(world.user).await.unwrap();
    assert_eq!((left.left_microusd, left.spent_microusd), (Some(4_900), 10_100));
    // It is five in the afternoon there; seven hours later it is another day, and in UTC still the same.
    world.clock.advance(7 * HOUR);
    world.model.script(Reply::text("Good morning.").usage(100, 10, 0));
    let (turn, after) = world.retry().await.unwrap();
    assert_eq!(shown(&world.turn(turn, after).await).last().unwrap(), "turn_ended completed");
    assert_eq!(world.spent().await, 200);
}

#[tokio::test]
async fn an_agent_has_its_own_day_and_others_go_on() {
    let world = World::new().await;
    world.budget_of_agent(per_day(10_000)).await;
    world.model.script(Reply::text("Hello.").usage(100, 600, 0));
    world.run("Hello").await;
    let error = why(&world.run("And now?").await);
    assert!(error.message.contains("this agent may spend $0.01 a day with you"), "{}", error.message);
    let engine = world.engine();
    let main = engine.agent_by_name(world.user, "main".to_owned()).await.unwrap().id;
    let session = engine.create_session(world.user, NewSession::with(main)).await.unwrap().id;
    world.model.script(Reply::text("I may.").usage(100, 10, 0));
    let message = NewMessage { session_id: session, ..world.message("You?") };
    let accepted = world.send(message).await.unwrap();
    let reader = engine.follow_turn(world.user, session, accepted.turn_id, accepted.after).await.unwrap();
    let events = crate::world::rest(reader).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
}

async fn sessions(engine: &Engine, world: &World, count: usize) -> Vec<domain::SessionId> {
    let mut made = Vec::new();
    for _ in 0..count {
        let new = NewSession::with(world.agent);
        made.push(engine.create_session(world.user, new).await.unwrap().id);
    }
    made
}

/// Attack 28, the money: everything at once, on two nodes, each taking all it can get.
/// HOUSE-10
#[tokio::test]
async fn turns_side_by_side_never_overshoot() {
    const CAP: u64 = 60_000;
    let world = World::with(|setup| setup.settings.budget.default = per_day(CAP)).await;
    world.model.respond(greedy);
    let second = world.house(node(2)).await;
    let mut turns = Vec::new();
    for (number, session) in sessions(world.engine(), &world, 12).await.into_iter().enumerate() {
        let house = if number % 2 == 0 { &world.house } else { &second };
        let message = NewMessage { session_id: session, ..world.message("Spend") };
        let accepted = house.on(|engine| async move { engine.accept(message).await }).await.unwrap();
        turns.push((house.engine.clone(), session, accepted));
    }
    let mut outcomes = Vec::new();
    for (engine, session, accepted) in turns {
        let reader = engine.follow_turn(world.user, session, accepted.turn_id, accepted.after).await.unwrap();
        outcomes.push(shown(&crate::world::rest(reader).await).last().unwrap().clone());
    }
    let spent = world.spent().await;
    assert!(spent <= CAP, "{spent} of {CAP}");
    assert!(spent > CAP / 2, "only {spent} was spent: nothing was tried");
    let paused = outcomes.iter().filter(|outcome| outcome.ends_with("limit_budget")).count();
    assert!(paused > 0 && paused < 12, "{outcomes:?}");
}

/// The control: without a budget the same turns spend many times as much.
#[tokio::test]
async fn without_a_budget_nothing_holds_them() {
    let world = World::new().await;
    world.model.respond(|request| {
        assert!(request.body.get("max_tokens").is_none(), "nobody has set anything");
        Reply::text("Words.").usage(10, 8_000, 0)
    });
    for _ in 0..3 {
        world.run("Spend").await;
    }
    assert_eq!(world.spent().await, 3 * 80_010);
}

#[tokio::test]
async fn what_a_dead_worker_held_back_counts_as_spent() {
    let mut world = World::with(|setup| setup.settings.budget.default = per_day(200_000)).await;
    world.model.queue([
        Reply::pieces(["Once upon", " a time"]).stall_after_pieces(1),
        Reply::text("Once more.").usage(100, 10, 0),
    ]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Tell me").await;
    crate::world::until_text(&mut reader, "Once upon").await;
    let held = world.engine().budget_left(world.user).await.unwrap().reserved_microusd;
    assert!(held > 81_920, "all that the model may write, and what it was told: {held}");
    world.crash().await;
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert_eq!(world.spent().await, held + 200, "nobody knows what the dead one has cost: no less than this");
}

async fn set_own(world: &World, user: UserId, budget: Budget) {
    let write = move |tx: &mut Tx| users::set_own_budget(tx, user, budget);
    assert!(world.store.write(write).await.unwrap());
}

#[tokio::test]
async fn a_title_is_not_worth_breaking_a_budget() {
    let world = World::with(|setup| setup.settings.summaries.titles = true).await;
    set_own(&world, world.user, per_day(9_000)).await;
    world.model.script(Reply::text("Hello.").usage(100, 840, 0));
    let mut reader = world.follow_from(0).await;
    world.post("What a fine day it is").await;
    crate::world::until_type(&mut reader, "session_updated").await;
    assert_eq!(world.session().await.name.unwrap(), "What a fine day it is", "the first words cost nothing");
    assert_eq!((world.model.requests().len(), world.spent().await), (1, 8_500));
}

/// HOUSE-15
#[tokio::test]
async fn a_budget_costs_one_transaction_of_three_statements() {
    let world = World::with(|setup| setup.settings.budget.default = per_day(1_000_000_000)).await;
    world.model.respond(|_| Reply::text("Hello."));
    let (statements, commits) = statements::per_turn(&world).await;
    assert!(statements <= 14 + 3 && commits <= 2 + 1, "{statements} statements, {commits} commits");
}
