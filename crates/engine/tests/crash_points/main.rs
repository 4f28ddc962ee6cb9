//! Every crash point, one after the other: whatever was under way is cut off there, the engine is started again, and the
//! session must end as if nothing had happened.
//!
//! Fail points belong to the whole process, so these tests have a binary of their own and run one at a time.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests end the tasks that they start")]

#[path = "../engine/world/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the other tests use the rest of this world")]
mod world;

mod approvals;
mod between;
mod budgets;
mod colleagues;
mod content;
mod cut_off;
mod files;
mod hooks;
mod knowledge;
mod markup;
mod programs;
mod schedules;
mod sent_again;

use engine::{CRASH_POINTS, NewMessage, Start};
use fail::FailScenario;
use serde_json::json;
use std::{
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use testkit::model::Reply;
use tokio::sync::Notify;
use world::{World, shown};

/// Cuts off whoever passes the point for the `nth` time, once. The others pass.
struct Trap {
    point: &'static str,
    sprung: Arc<Notify>,
    passed: Arc<AtomicUsize>,
    nth: usize,
}

impl Trap {
    fn set(point: &'static str, nth: usize) -> Self {
        let (sprung, passed) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
        let (tell, count) = (sprung.clone(), passed.clone());
        fail::cfg_callback(point, move || {
            if count.fetch_add(1, Ordering::SeqCst) + 1 == nth {
                tell.notify_one();
                // Unlike a panic it says nothing on the terminal.
                resume_unwind(Box::new(engine::CutOff));
            }
        })
        .unwrap();
        Self { point, sprung, passed, nth }
    }

    async fn sprung(&self) {
        let waiting = tokio::time::timeout(world::PATIENCE, self.sprung.notified());
        assert!(waiting.await.is_ok(), "nobody came to {} for the {}. time", self.point, self.nth);
    }

    fn disarm(&self) {
        fail::remove(self.point);
    }

    fn passed(&self) -> usize {
        self.passed.load(Ordering::SeqCst)
    }
}

/// Two messages; the first makes three calls, one of which must not run twice.
fn answers(world: &World) {
    world.model.respond(|request| match request.results_since_user().len() {
        0 if request.last_user() == "work" => Reply::text("Let me see.").then_calls([
            ("touch", json!({ "say": "once" })),
            ("put", json!({ "say": "by key" })),
            ("look", json!({})),
        ]),
        _ => Reply::text(format!("Answer to {}", request.last_user())),
    });
}

fn keyed(world: &World, text: &str) -> NewMessage {
    NewMessage { idempotency_key: Some(text.to_owned()), ..world.message(text) }
}

/// Sends both messages as a client does: what was not acknowledged is sent again, with the same key.
async fn send_both(world: &World) -> Option<domain::TurnId> {
    let mut last = None;
    for text in ["work", "rest"] {
        last = world.send(keyed(world, text)).await.ok().map(|accepted| accepted.turn_id);
    }
    last
}

async fn all_is_well(world: &World) {
    let mut accepted = Vec::new();
    for text in ["work", "rest"] {
        accepted.push(world.send(keyed(world, text)).await.unwrap());
    }
    for one in accepted {
        let told = shown(&world.ended(one).await);
        assert_eq!(told.last().unwrap(), "turn_ended completed", "{told:?}");
    }
    // What was not acknowledged may have come second, after it was sent again.
    let first = world.messages().await.remove(0).content;
    let order = if first == "work" { ["work", "rest"] } else { ["rest", "work"] };
    world.check(&order).await;
    assert!(world.tools.runs("touch").len() <= 1, "the effect happened twice");
    let keys: std::collections::HashSet<_> = world.tools.runs("put").into_iter().map(|run| run.key).collect();
    assert_eq!(keys.len(), 1, "what is repeated has the same key");
}

/// Lets the work run into one point, as often as it passes there.
async fn try_point(point: &'static str) {
    let mut nth = 1;
    loop {
        let mut world = World::new().await;
        answers(&world);
        let trap = Trap::set(point, nth);
        let mut reader = world.follow(Start::Now).await.unwrap();
        let sent = send_both(&world).await;
        let through = async {
            let Some(last) = sent else { return std::future::pending().await };
            world::until(&mut reader, |event| {
                event.turn_id == Some(last) && event.type_name() == "turn_ended"
            })
            .await;
        };
        let cut_off = tokio::select! {
            biased;
            () = trap.sprung() => true,
            () = through => false,
        };
        trap.disarm();
        if !cut_off {
            assert!(trap.passed() > 0, "nobody ever came to {point}");
            assert!(nth > 1, "nobody was cut off at {point}");
            return;
        }
        drop(reader);
        world.crash().await;
        all_is_well(&world).await;
        println!("{point}: cut off at the {nth}. time, and all is well");
        nth += 1;
    }
}

#[tokio::test]
async fn a_turn_survives_every_point_on_its_road() {
    let scenario = FailScenario::setup();
    for point in CRASH_POINTS {
        if ["accept", "turn", "begin", "tool"].iter().any(|road| point.starts_with(road)) {
            try_point(point).await;
        }
    }
    scenario.teardown();
}

#[tokio::test]
async fn taking_over_survives_being_cut_off_itself() {
    let scenario = FailScenario::setup();
    for point in ["claim_before_commit", "claim_after_commit"] {
        let mut world = World::new().await;
        world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
        let accepted = world.post("work").await;
        world.model.wait_for(1).await;
        world.house.kill().await;
        answers(&world);
        let trap = Trap::set(point, 1);
        world.house = world.house(world.house.node).await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
        world.check(&["work"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_stop_is_kept_or_was_never_acknowledged() {
    let scenario = FailScenario::setup();
    for (point, kept) in [("cancel_before_commit", false), ("cancel_after_commit", true)] {
        let mut world = World::new().await;
        world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
        let accepted = world.post("rest").await;
        world.model.wait_for(1).await;
        let trap = Trap::set(point, 1);
        let (user, session) = (world.user, world.session);
        let asked = world.house.on(|engine| async move { engine.abort(user, session, None).await }).await;
        assert!(asked.is_err(), "it was acknowledged although it was cut off");
        trap.disarm();
        answers(&world);
        world.crash().await;
        let end = if kept { "turn_ended cancelled" } else { "turn_ended completed" };
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), end, "{point}");
        world.check(&["rest"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_retry_is_kept_or_was_never_acknowledged() {
    let scenario = FailScenario::setup();
    for (point, kept) in [("retry_before_commit", false), ("retry_after_commit", true)] {
        let mut world = World::new().await;
        world.model.script(Reply::status(401));
        let accepted = world.post("rest").await;
        world.ended(accepted).await;
        answers(&world);
        let trap = Trap::set(point, 1);
        assert!(world.retry().await.is_err(), "it was acknowledged although it was cut off");
        trap.disarm();
        world.crash().await;
        if !kept {
            assert_eq!(world.model.requests().len(), 1, "nothing runs that nobody asked for");
            world.retry().await.unwrap();
        }
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed", "{point}");
        world.check(&["rest"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_turn_that_waits_in_an_idle_session_is_started_after_all() {
    let scenario = FailScenario::setup();
    for point in ["waiting_before_commit", "waiting_after_commit"] {
        let mut world = World::new().await;
        let gate = Arc::new(Notify::new());
        world.model.script(Reply::text("One.").gate(gate.clone()));
        world.post("rest").await;
        world.model.wait_for(1).await;
        let second = world.post("more rest").await;
        answers(&world);
        let engine = world.engine().clone();
        let down = world.house.handle().spawn(async move { engine.shutdown(Duration::from_secs(15)).await });
        while !world.engine().is_draining() {
            tokio::task::yield_now().await;
        }
        gate.notify_one();
        down.await.unwrap();
        world.house.kill().await;
        let trap = Trap::set(point, 1);
        world.house = world.house(world.house.node).await;
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        assert_eq!(shown(&world.ended(second).await).last().unwrap(), "turn_ended completed", "{point}");
        world.check(&["rest", "more rest"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_turn_that_cannot_start_is_ended_once() {
    let scenario = FailScenario::setup();
    for point in ["unstartable_before_commit", "unstartable_after_commit"] {
        let mut world = World::new().await;
        let gate = Arc::new(Notify::new());
        world.model.script(Reply::text("One.").gate(gate.clone()));
        let first = world.post("rest").await;
        world.model.wait_for(1).await;
        let second = world.post("lost").await;
        let third = world.post("more rest").await;
        let spoil = "UPDATE inbox SET body = $1 WHERE turn_id = $2";
        let spoil = move |tx: &mut store::Tx| tx.run(spoil, store::args![vec![7_u8; 80], second.turn_id]);
        world.store.write(spoil).await.unwrap();
        answers(&world);
        let trap = Trap::set(point, 1);
        gate.notify_one();
        trap.sprung().await;
        trap.disarm();
        world.crash().await;
        assert_eq!(shown(&world.ended(first).await).last().unwrap(), "turn_ended completed", "{point}");
        let told = shown(&world.ended(second).await);
        assert_eq!(told.last().unwrap(), "turn_ended failed turn_unreadable", "{point}");
        assert_eq!(shown(&world.ended(third).await).last().unwrap(), "turn_ended completed", "{point}");
        world.check(&["rest", "more rest"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_shutdown_that_is_cut_off_is_a_crash() {
    let scenario = FailScenario::setup();
    for point in ["release_before_commit", "release_after_commit"] {
        let mut world = World::new().await;
        world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
        let accepted = world.post("rest").await;
        world.model.wait_for(1).await;
        answers(&world);
        let trap = Trap::set(point, 1);
        let engine = world.engine().clone();
        let down = world.house.handle().spawn(async move { engine.shutdown(Duration::ZERO).await });
        assert!(down.await.is_err(), "the shutdown should have been cut off");
        trap.disarm();
        world.crash().await;
        assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed", "{point}");
        world.check(&["rest"]).await;
    }
    scenario.teardown();
}

#[tokio::test]
async fn a_worker_that_dies_alone_is_noticed_and_its_turn_is_taken_up() {
    let scenario = FailScenario::setup();
    let world = World::with(|setup| setup.settings.turn.lease = Duration::from_millis(60)).await;
    answers(&world);
    let trap = Trap::set("turn_before_commit", 1);
    let accepted = world.post("rest").await;
    trap.sprung().await;
    let told = shown(&world.ended(accepted).await);
    assert!(told.contains(&"turn_started 2".to_owned()), "{told:?}");
    assert_eq!(told.last().unwrap(), "turn_ended completed");
    trap.disarm();
    world.check(&["rest"]).await;
    scenario.teardown();
}

#[tokio::test]
async fn arguments_that_could_not_be_read_stay_unreadable() {
    let scenario = FailScenario::setup();
    let mut world = World::new().await;
    world.model.script(Reply::text("").then_raw_call("touch", "{\"say\": "));
    let trap = Trap::set("turn_after_commit", 1);
    let accepted = world.post("work").await;
    trap.sprung().await;
    trap.disarm();
    world.model.script(Reply::text("I see."));
    world.crash().await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(world.tools.runs("touch"), [], "it is not run with something else instead");
    let told = world.model.last_request().unwrap().results_since_user();
    assert!(told[0].contains("not a JSON object"), "{told:?}");
    world.check(&["work"]).await;
    scenario.teardown();
}

#[test]
fn no_point_is_left_out() {
    let tried = [
        "accept",
        "turn",
        "begin",
        "tool",
        "claim",
        "cancel",
        "retry",
        "waiting",
        "release",
        "upload",
        "fork",
        "title",
        "answer",
        "prompt",
        "intent",
        "park",
        "approval",
        "errand",
        "send",
        "deliver",
        "reserve",
        "file",
        "run",
        "unstartable",
        "fire",
        "knowledge",
        "review",
        "purge",
        "schedule",
        "reminder",
    ];
    // A change of the master key is a matter of files too, summaries are made beside the turns, and a turn is handed over to
    // another node: all of them are tried with the whole program.
    let elsewhere = ["rotation", "summary", "compaction", "handover"];
    for point in CRASH_POINTS {
        let what = point.split('_').next().unwrap();
        assert!(elsewhere.contains(&what) || tried.contains(&what), "{point} is not tried here");
    }
}
