//! Ways to spend more than was held back: requests that break, budgets that change, waits that cost nothing.

use crate::world::{World, shown, until_type};
use domain::{Budget, EnvelopeBody, EventBody, Role};
use engine::{AgentFields, Change, UsageLine, UsageQuestion};
use provider::{Price, Wire};
use serde_json::json;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use testkit::model::Reply;
use tokio::sync::Notify;

on_both_databases! {
    an_answer_that_pauses_goes_on_within_the_budget,
    a_request_that_broke_counts_as_what_may_have_been_read,
    a_request_that_stayed_silent_counts_as_what_may_have_been_read,
    what_broke_is_sent_again_only_where_money_can_be_held_back,
    a_budget_that_is_lowered_in_mid_turn_holds_at_the_next_request,
    a_budget_that_is_lowered_while_a_turn_waits_holds_when_it_asks_again,
    a_stop_while_the_turn_waits_ends_it_at_once_and_costs_nothing,
    a_kill_while_the_turn_waits_resumes_it,
    a_title_is_counted_as_what_was_sent,
    a_summary_that_breaks_off_costs_what_was_written_of_it,
}

fn per_day(amount: u64) -> Budget {
    Budget { per_turn_microusd: None, per_day_microusd: Some(amount) }
}

impl World {
    async fn give_budget(&self, budget: Budget) {
        let fields = AgentFields { budget: Change::Set(budget), ..AgentFields::default() };
        self.engine().change_agent(&self.me(), self.agent, fields).await.unwrap();
    }

    /// What was sent and what it cost, of everything in this world.
    async fn sent(&self) -> UsageLine {
        let question = UsageQuestion { by: Some("user".to_owned()), ..UsageQuestion::default() };
        let user = self.user;
        let lines =
            self.house.on(move |engine| async move { engine.usage(user, Some(user), question).await });
        lines.await.unwrap().remove(0)
    }
}

/// An answer that pauses is asked to go on by a request of its own: each holds back what it may cost.
async fn an_answer_that_pauses_goes_on_within_the_budget(postgres: bool) {
    const CAP: u64 = 12_000;
    let mut costs = Vec::new();
    for budget in [Budget { per_turn_microusd: Some(CAP), ..Budget::NONE }, Budget::NONE] {
        let price = Price { input: 1_000_000, output: 10_000_000, cached: None, stored: None };
        let world = World::on(postgres, |setup| {
            setup.wire = Wire::Anthropic;
            setup.prices.usual = Some(price);
        })
        .await;
        world.give_budget(budget).await;
        let billed = Arc::new(AtomicU64::new(0));
        let bill = billed.clone();
        world.model.respond(move |request| {
            let written = request.body["max_tokens"].as_u64().unwrap().min(300);
            bill.fetch_add(100 + written * 10, Ordering::SeqCst);
            Reply::text("and on ").finish("pause_turn").usage(100, written, 0)
        });
        let events = world.run("Go on").await;
        let sent = world.sent().await;
        let cost = billed.load(Ordering::SeqCst);
        assert_eq!(sent.calls, u64::try_from(world.model.request_count()).unwrap());
        assert_eq!(sent.usage.cost_microusd, Some(cost), "the books say what was spent");
        let left = world.engine().budget_left(world.user).await.unwrap();
        assert_eq!((left.spent_microusd, left.reserved_microusd), (cost, 0));
        let end = shown(&events).pop().unwrap();
        match budget.per_turn_microusd {
            Some(_) => assert_eq!(end, "turn_ended limit limit_budget"),
            None => assert_eq!(end, "turn_ended completed"),
        }
        costs.push((cost, world.model.request_count()));
    }
    assert!(costs[0].0 <= CAP && costs[0].1 > 1, "{costs:?}");
    assert!(costs[1].0 > CAP && costs[1].1 == 17, "without a budget it goes on: {costs:?}");
}

/// A request that broke before the head of its answer may have been read: it counts, and what is sent again is a request of
/// its own.
async fn a_request_that_broke_counts_as_what_may_have_been_read(postgres: bool) {
    let world = World::on(postgres, |setup| setup.settings.budget.default = per_day(1_000_000)).await;
    world.model.script(Reply::text("Hello.").usage(100, 10, 0));
    world.run("Hello").await;
    let before = world.sent().await;
    world.model.queue([Reply::hang_up(), Reply::text("Here.").usage(100, 10, 0)]);
    let events = world.run("Are you there?").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert_eq!(world.model.request_count(), 3);
    let after = world.sent().await;
    assert_eq!((after.calls, after.unknown_calls), (3, 0), "each request that was sent");
    let lost = after.usage.input_tokens - before.usage.input_tokens - 100;
    assert!(lost > 0, "what the broken one had told counts");
    assert_eq!(after.usage.cost_microusd.unwrap() - before.usage.cost_microusd.unwrap(), 200 + lost);
}

/// The same where the connection holds and no head comes for as long as is waited for it.
async fn a_request_that_stayed_silent_counts_as_what_may_have_been_read(postgres: bool) {
    let world = World::on(postgres, |setup| {
        setup.settings.budget.default = per_day(1_000_000);
        setup.stall = Duration::from_secs(2);
    })
    .await;
    let never = Arc::new(Notify::new());
    world.model.queue([Reply::text("Never.").gate(never), Reply::text("Hello.").usage(100, 10, 0)]);
    let events = world.run("Hello").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    assert_eq!(world.model.request_count(), 2);
    let sent = world.sent().await;
    assert_eq!((sent.calls, sent.unknown_calls), (2, 0), "each request that was sent");
    assert!(sent.usage.input_tokens > 100, "what the silent one had told counts: {:?}", sent.usage);
    assert_eq!(sent.usage.cost_microusd, Some(sent.usage.input_tokens + 100), "{:?}", sent.usage);
}

/// Money is held back for each: where there is too little for a second one, it is not sent.
async fn what_broke_is_sent_again_only_where_money_can_be_held_back(postgres: bool) {
    let world = World::on(postgres, |_| {}).await;
    world.model.queue([Reply::hang_up(), Reply::text("Hello.").usage(100, 10, 0)]);
    world.run("Hello").await;
    let spent = world.sent().await.usage.cost_microusd.unwrap();
    // Enough for one: what it is told, with the half that is held back on top, and the least that a model may write.
    let told = spent - 200;
    world.give_budget(per_day(spent + (told + 100) * 3 / 2 + 200 + 512 * 10)).await;
    world.model.respond(|_| Reply::hang_up());
    let events = world.run("Are you there?").await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_budget");
    let sent = u64::try_from(world.model.request_count()).unwrap();
    assert!((3..7).contains(&sent), "{sent} requests");
    assert_eq!(world.sent().await.calls, sent, "each that was sent, and none that was not");
}

/// Somebody lowers a budget, or sets the first one, while a turn is at work.
async fn a_budget_that_is_lowered_in_mid_turn_holds_at_the_next_request(postgres: bool) {
    for before in [per_day(10_000_000), Budget::NONE] {
        let world = World::on(postgres, |_| {}).await;
        world.give_budget(before).await;
        let gate = Arc::new(Notify::new());
        world.model.script(Reply::calls([("look", json!({}))]).usage(100, 100, 0).gate(gate.clone()));
        world.model.respond(|_| Reply::text("More.").usage(100, 100, 0));
        let accepted = world.post("Look").await;
        world.model.wait_for(1).await;
        world.give_budget(per_day(1_200)).await;
        gate.notify_one();
        let events = world.ended(accepted).await;
        assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_budget", "{before:?}");
        assert_eq!(world.model.request_count(), 1);
        // The control: who raises it again is asked again.
        world.give_budget(before).await;
        world.clock.advance(1);
        let (turn, after) = world.retry().await.unwrap();
        assert_eq!(shown(&world.turn(turn, after).await).last().unwrap(), "turn_ended completed");
    }
}

/// The same where the person's own budget is lowered while the model is away and the turn waits to ask again.
async fn a_budget_that_is_lowered_while_a_turn_waits_holds_when_it_asks_again(postgres: bool) {
    let world = World::on(postgres, |setup| setup.settings.turn.policy.first_delay_ms = 400).await;
    world.give_budget(per_day(10_000_000)).await;
    world.model.script(Reply::status(503));
    world.model.respond(|_| Reply::text("Back.").usage(100, 100, 0));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Hello").await;
    until_type(&mut reader, "message_restarted").await;
    world.give_budget(per_day(10)).await;
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended limit limit_budget");
    assert_eq!(world.model.request_count(), 1);
    assert_eq!(world.engine().budget_left(world.user).await.unwrap().spent_microusd, 0);
}

/// A stop while the turn waits costs nothing: nothing was sent.
async fn a_stop_while_the_turn_waits_ends_it_at_once_and_costs_nothing(postgres: bool) {
    let world = World::on(postgres, |setup| {
        setup.settings.turn.policy.first_delay_ms = 3_600_000;
        setup.settings.turn.policy.longest_delay_ms = 3_600_000;
        setup.limits.wall_seconds = 7_200;
    })
    .await;
    world.give_budget(per_day(10_000_000)).await;
    world.model.script(Reply::status(503));
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Hello").await;
    until_type(&mut reader, "message_restarted").await;
    world.abort().await;
    let events = world.ended(accepted).await;
    let Some(EnvelopeBody::Durable(EventBody::TurnEnded { usage, .. })) =
        events.last().map(|e| e.body.clone())
    else {
        panic!("no end")
    };
    assert_eq!((usage.input_tokens, usage.cost_microusd), (0, Some(0)), "nothing was sent a second time");
    let sent = world.sent().await;
    assert_eq!((sent.calls, sent.usage.cost_microusd), (1, Some(0)), "the one that was refused");
    let left = world.engine().budget_left(world.user).await.unwrap();
    assert_eq!((left.spent_microusd, left.reserved_microusd), (0, 0));
}

/// A kill while the turn waits: whoever takes it up asks at once, and the request that was never sent costs nothing.
async fn a_kill_while_the_turn_waits_resumes_it(postgres: bool) {
    let mut world = World::on(postgres, |setup| {
        setup.settings.turn.policy.first_delay_ms = 3_600_000;
        setup.settings.turn.policy.longest_delay_ms = 3_600_000;
        setup.limits.wall_seconds = 7_200;
    })
    .await;
    world.give_budget(per_day(10_000_000)).await;
    world.model.queue([Reply::status(503), Reply::text("Back.").usage(100, 10, 0)]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("Hello").await;
    until_type(&mut reader, "message_restarted").await;
    world.crash().await;
    let events = world.ended(accepted).await;
    assert_eq!(shown(&events).last().unwrap(), "turn_ended completed");
    let sent = world.sent().await;
    assert_eq!((sent.calls, sent.unknown_calls, sent.usage.cost_microusd), (2, 0, Some(200)));
    world.check(&["Hello"]).await;
}

/// Titles are requests like any other.
async fn a_title_is_counted_as_what_was_sent(postgres: bool) {
    let world = World::on(postgres, |setup| setup.settings.summaries.titles = true).await;
    world.model.queue([
        Reply::text("Hello.").usage(100, 10, 0),
        // Refused: it was sent, and cost nothing.
        Reply::status(401),
    ]);
    let mut reader = world.follow_from(0).await;
    world.post("What a fine day it is").await;
    until_type(&mut reader, "session_updated").await;
    let sent = world.sent().await;
    assert_eq!((sent.calls, sent.unknown_calls, sent.usage.cost_microusd), (2, 0, Some(200)));
    assert!(world.messages().await.iter().any(|message| message.role == Role::Assistant));
}

/// A summary that breaks off costs what was written of it, also what was only thought: the provider counts it at the end, and what it
/// says at the beginning is no count.
async fn a_summary_that_breaks_off_costs_what_was_written_of_it(postgres: bool) {
    const WORDS: &str = "and so on and on, as they said before; ";
    // Four characters are a token, about.
    let written = u64::try_from(WORDS.len()).unwrap() * 100 / 5;
    let whole = || Reply::pieces(vec![WORDS; 200]);
    let thought = || Reply::text("## Key facts\nNone.").thinking(&WORDS.repeat(200));
    for (reply, most, least) in [
        (whole().cut_after_pieces(120), u64::MAX, written),
        (thought().without_finish().close(), u64::MAX, written),
        // The control: the provider has counted this one to its end.
        (Reply::text("## Key facts\nNone.").usage(100, 7, 0), 8, 7),
    ] {
        let world = World::on(postgres, |setup| {
            setup.wire = Wire::Anthropic;
            setup.window = Some(8_000);
            setup.prices.usual = Some(Price { input: 1, output: 1_000_000, cached: None, stored: None });
        })
        .await;
        world.model.respond(move |request| match request.raw.contains("Summarise the conversation") {
            true => reply.clone(),
            false => Reply::text("An answer of some length. ".repeat(8)),
        });
        world.talk_at_length(4).await;
        world.compact().await.unwrap();
        let sql = "SELECT output_tokens, cost_microusd FROM model_calls WHERE step = 0 ORDER BY started_at, id LIMIT 1";
        let (tokens, cost): (u64, u64) = world.store.read(move |tx| tx.one(sql, Vec::new())).await.unwrap();
        assert!((least..=most).contains(&tokens), "{tokens} of at least {least}");
        assert!((least..=most).contains(&cost), "{cost} of at least {least}");
    }
}
