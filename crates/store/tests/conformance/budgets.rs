//! Money is held back before it is spent, and never twice.

use crate::world::{World, at, turn_id, uuid};
use domain::{Budget, ModelCallId, Timestamp, TurnId, Usage};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use store::{
    Error, Tx,
    budgets::{self, Caps, Range, Reserved, Spending, Which},
    model_calls::{self, EndedModelCall, NewModelCall},
    users,
};

impl World {
    fn spending(&self, turn: TurnId) -> Spending {
        let (user, agent) = (self.user, self.agent.id);
        Spending { user, agent, turn, turn_since: at(0), day_since: at(0) }
    }

    async fn call_noted(&self, turn: TurnId, millis: i64) -> ModelCallId {
        let id = ModelCallId::from_uuid(uuid());
        let new = NewModelCall {
            id,
            session_id: self.session,
            turn_id: turn,
            user_id: self.user,
            agent_id: self.agent.id,
            step: 1,
            attempt: 1,
            model: "a/x".to_owned(),
            at: at(millis),
        };
        self.store.write(move |tx: &mut Tx| model_calls::start(tx, &new)).await.unwrap();
        id
    }

    async fn hold(&self, call: ModelCallId, of: Spending, caps: Caps, (least, most): (u64, u64)) -> Reserved {
        self.hold_more(call, of, caps, Range { before: 0, least, most }).await
    }

    async fn hold_more(&self, call: ModelCallId, of: Spending, caps: Caps, range: Range) -> Reserved {
        let now = at(10);
        let write = move |tx: &mut Tx| budgets::reserve(tx, call, of, caps, range, now);
        self.store.write(write).await.unwrap()
    }

    async fn call_ended(&self, call: ModelCallId, cost_microusd: Option<u64>) {
        let usage = Usage { cost_microusd, ..Usage::ZERO };
        let write = move |tx: &mut Tx| model_calls::finish(tx, call, ended(usage), at(20));
        assert!(self.store.write(write).await.unwrap());
    }

    async fn day_spent(&self, since: Timestamp) -> (u64, u64) {
        let user = self.user;
        self.store.read(move |tx: &mut Tx| budgets::of_day(tx, user, since)).await.unwrap()
    }
}

fn ended(usage: Usage) -> EndedModelCall {
    EndedModelCall { ok: true, usage, requests: Some(1), estimated: false }
}

/// An answer that pauses is asked to go on: what it has cost so far stays held back, and what is left is all there is.
pub async fn a_request_that_goes_on_holds_back_anew(world: World) {
    let turn = turn_id();
    let of = world.spending(turn);
    let call = world.call_noted(turn, 1).await;
    assert_eq!(world.hold(call, of, per_day(100), (10, 60)).await, Reserved::Granted(60));
    let range = |before| Range { before, least: 10, most: 60 };
    let more = world.hold_more(call, of, per_day(100), range(20)).await;
    assert_eq!(more, Reserved::Granted(60), "forty of the first came back");
    assert_eq!(world.day_spent(at(0)).await, (80, 80));
    let more = world.hold_more(call, of, per_day(100), range(70)).await;
    assert_eq!(more, Reserved::Granted(30), "what is left");
    let refused = Reserved::Refused { which: Which::UserDay, cap: 100, spent: 95, reserved: 95 };
    assert_eq!(world.hold_more(call, of, per_day(100), range(95)).await, refused);
    assert_eq!(world.day_spent(at(0)).await, (95, 95), "only what it has cost");
}

fn per_day(cap: u64) -> Caps {
    Caps { user_day: Some(cap), ..Caps::default() }
}

pub async fn what_is_held_back_is_gone_until_it_is_known_what_it_cost(world: World) {
    let turn = turn_id();
    let of = world.spending(turn);
    let first = world.call_noted(turn, 1).await;
    assert_eq!(world.hold(first, of, per_day(100), (10, 60)).await, Reserved::Granted(60));
    let second = world.call_noted(turn, 1).await;
    assert_eq!(world.hold(second, of, per_day(100), (10, 60)).await, Reserved::Granted(40), "what is left");
    assert_eq!(world.day_spent(at(0)).await, (100, 100));
    let third = world.call_noted(turn, 1).await;
    let refused = Reserved::Refused { which: Which::UserDay, cap: 100, spent: 100, reserved: 100 };
    assert_eq!(world.hold(third, of, per_day(100), (10, 60)).await, refused);
    world.call_ended(first, Some(5)).await;
    assert_eq!(world.day_spent(at(0)).await, (45, 40), "what it did not cost is there again");
    world.call_ended(second, None).await;
    assert_eq!(
        world.day_spent(at(0)).await,
        (45, 0),
        "nobody knows what it cost: it may have been all of it"
    );
    assert_eq!(world.hold(third, of, per_day(100), (10, 60)).await, Reserved::Granted(55));
    assert_eq!(world.day_spent(at(11)).await, (0, 0), "another day");
}

pub async fn each_budget_counts_its_own(world: World) {
    let (turn, other) = (turn_id(), turn_id());
    let call = world.call_noted(other, 1).await;
    world.call_ended(call, Some(50)).await;
    let caps = Caps { turn: Some(30), user_day: Some(1_000), agent_day: Some(100) };
    let mut of = world.spending(turn);
    let call = world.call_noted(turn, 1).await;
    assert_eq!(world.hold(call, of, caps, (10, 90)).await, Reserved::Granted(30), "of the turn");
    world.call_ended(call, Some(25)).await;
    let call = world.call_noted(turn, 1).await;
    let refused = Reserved::Refused { which: Which::Turn, cap: 30, spent: 25, reserved: 0 };
    assert_eq!(world.hold(call, of, caps, (10, 90)).await, refused);
    // Run once more by a person, a turn counts anew; the day does not.
    of.turn_since = at(11);
    let agent_only = Caps { turn: Some(1_000), ..caps };
    assert_eq!(world.hold(call, of, agent_only, (10, 90)).await, Reserved::Granted(25), "of the agent's day");
    of.agent = domain::AgentId::from_uuid(uuid());
    let call = world.call_noted(turn, 12).await;
    assert_eq!(world.hold(call, of, agent_only, (10, 90)).await, Reserved::Granted(90), "another agent");
    let over = move |tx: &mut Tx| {
        model_calls::finish(tx, call, EndedModelCall::UNSENT, at(20))?;
        budgets::reserve(tx, call, of, agent_only, Range { before: 0, least: 1, most: 1 }, at(21))
    };
    assert!(matches!(world.store.write(over).await, Err(Error::Fenced)), "nobody works on it any more");
}

/// Many at once, from here and from another node: what is held back and what was spent never exceed the budget, at any
/// moment, whatever each of them turns out to have cost.
pub async fn nobody_overshoots_together(world: World) {
    const CAP: u64 = 1_000;
    let world = Arc::new(world);
    let spent = Arc::new(AtomicU64::new(0));
    let workers: Vec<_> = (0..8_u64)
        .map(|worker| {
            let (world, spent) = (world.clone(), spent.clone());
            tokio::spawn(async move {
                let turn = turn_id();
                for round in 0..12_u64 {
                    let call = world.call_noted(turn, 1).await;
                    let range = (5, 40 + (worker * 31 + round * 17) % 90);
                    match world.hold(call, world.spending(turn), per_day(CAP), range).await {
                        Reserved::Granted(amount) => {
                            let (counted, _) = world.day_spent(at(0)).await;
                            assert!(counted <= CAP, "{counted} of {CAP}");
                            let cost = amount * ((worker + round) % 4) / 3;
                            world.call_ended(call, Some(cost)).await;
                            spent.fetch_add(cost, Ordering::SeqCst);
                        }
                        Reserved::Refused { .. } => world.call_ended(call, Some(0)).await,
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    let real = spent.load(Ordering::SeqCst);
    assert!(real <= CAP, "{real} of {CAP} was spent");
    assert!(real > CAP * 9 / 10, "only {real} was spent: the test has tried nothing");
    assert_eq!(world.day_spent(at(0)).await, (real, 0), "the books say what was spent");
}

pub async fn the_house_and_the_person_say_what_they_may_spend(world: World) {
    let (user, vault) = (world.user, world.store.vault().clone());
    let house = Budget { per_turn_microusd: Some(1), per_day_microusd: Some(2) };
    let own = Budget { per_turn_microusd: None, per_day_microusd: Some(3) };
    let write = move |tx: &mut Tx| {
        assert!(users::set_house_budget(tx, user, house)?);
        assert!(users::set_own_budget(tx, user, own)?);
        users::by_id(tx, &vault, user)
    };
    let budget = world.store.write(write).await.unwrap().unwrap().budget;
    assert_eq!((budget.house, budget.own), (house, own));
}
