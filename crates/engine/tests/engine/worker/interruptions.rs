//! A database that cannot work for a moment decides nothing: tools run on, and turns go on at once.

use crate::{
    agents::abilities::process,
    reply::markup::ON,
    world::{House, PATIENCE, World, node, postgres, shown},
};
use domain::{Budget, CapabilityRef, TurnId};
use engine::{AgentFields, Change};
use provider::{Price, Wire};
use serde_json::json;
use std::{
    pin::pin,
    sync::{Arc, mpsc},
    time::Duration,
};
use store::{Arg, Store, Tx, args};
use testkit::model::Reply;
use tokio::{
    sync::{Notify, oneshot},
    task::JoinHandle,
};

/// Keeps a SQLite database from being written to until it is dropped: by others, and by this store itself.
struct Occupied {
    _release: mpsc::Sender<()>,
}

impl Occupied {
    async fn by(store: &Store) -> Self {
        let (release, released) = mpsc::channel::<()>();
        let (tell, told) = oneshot::channel();
        let store = store.clone();
        tokio::spawn(async move {
            let hold = move |_: &mut Tx| {
                let _ = tell.send(());
                // On the thread of this store's own writer.
                let _ = released.recv();
                Ok(())
            };
            store.write(hold).await.unwrap();
        });
        told.await.unwrap();
        Self { _release: release }
    }
}

/// The model looks and touches, and is content with what comes of it.
fn works(world: &World) {
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("look", json!({ "gate": "look" })), ("touch", json!({ "gate": "touch" }))]),
        _ => Reply::text("Done."),
    });
}

async fn attempts(world: &World, turn: TurnId) -> u32 {
    let read = move |tx: &mut Tx| store::turns::attempt(tx, turn);
    world.store.read(read).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_database_that_is_busy_for_long_stops_no_turn_and_ends_no_tool() {
    let world = World::new().await;
    works(&world);
    let accepted = world.post("Work").await;
    world.tools.started(2).await;
    let occupied = Occupied::by(&world.store).await;
    world.tools.open("look");
    world.tools.finished(1).await;
    // SQLite itself waits for five seconds before it says so; nothing tells when it has.
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert!(world.tools.runs("touch").iter().all(|run| !run.gone), "the other tool goes on");
    drop(occupied);
    world.tools.open("touch");
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 1, "nobody had to take it up");
    world.check(&["Work"]).await;
}

/// A lock of PostgreSQL, which holds up everything that needs it.
struct HeldLock {
    release: oneshot::Sender<()>,
    holding: JoinHandle<()>,
}

impl HeldLock {
    /// By this statement, until it is released.
    async fn take(world: &World, sql: &'static str, values: Vec<Arg>) -> Self {
        let (release, released) = oneshot::channel::<()>();
        let (tell, told) = oneshot::channel();
        let store = world.store.clone();
        let holding = tokio::spawn(async move {
            let hold = move |tx: &mut Tx| {
                tx.run(sql, values)?;
                let _ = tell.send(());
                let _ = released.blocking_recv();
                Ok(())
            };
            store.write(hold).await.unwrap();
        });
        told.await.unwrap();
        Self { release, holding }
    }

    async fn release(self) {
        self.release.send(()).unwrap();
        self.holding.await.unwrap();
    }
}

/// Cuts the connections of everything that a lock holds up, once there is something.
async fn cut_what_waits(world: &World) {
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'";
    let waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let held_up = async || world.store.read(move |tx: &mut Tx| tx.one::<u64>(waits, vec![])).await;
    let tries = async {
        while held_up().await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, tries).await.expect("it is not tried again");
    world.store.write(move |tx: &mut Tx| tx.run(cut, vec![])).await.unwrap();
}

#[tokio::test]
async fn a_connection_that_is_cut_stops_no_turn_and_ends_no_tool() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    works(&world);
    let accepted = world.post("Work").await;
    world.tools.started(2).await;
    // In the middle of the worker's transaction.
    let row = "UPDATE turns SET epoch = epoch WHERE id = $1";
    let lock = HeldLock::take(&world, row, args![accepted.turn_id]).await;
    world.tools.open("look");
    for _ in 0..3 {
        cut_what_waits(&world).await;
    }
    assert!(world.tools.runs("touch").iter().all(|run| !run.gone), "the other tool goes on");
    lock.release().await;
    world.tools.open("touch");
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 1, "nobody had to take it up");
    world.check(&["Work"]).await;
}

/// Before an effect it is stored that it begins. That is tried again until it is, and the effect comes once.
#[tokio::test]
async fn a_connection_that_is_cut_as_an_effect_begins_stops_no_turn() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    world.model.queue([Reply::calls([("touch", json!({}))]), Reply::text("Done.")]);
    // What the message says is stored by an INSERT before that, which nothing holds up.
    let waits_as_it_begins = [
        "CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END'",
        "CREATE TRIGGER held_up BEFORE UPDATE ON calls FOR EACH ROW EXECUTE FUNCTION held_up()",
    ];
    for sql in waits_as_it_begins {
        world.store.write(move |tx: &mut Tx| tx.run(sql, vec![])).await.unwrap();
    }
    let lock = HeldLock::take(&world, "SELECT pg_advisory_xact_lock(4711)", vec![]).await;
    let accepted = world.post("Work").await;
    for _ in 0..3 {
        cut_what_waits(&world).await;
    }
    assert_eq!(world.count("calls").await, 1, "the message and its call are stored");
    assert_eq!(world.tools.runs("touch"), [], "nothing begins before that is stored");
    lock.release().await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 1, "no other worker had to take it up");
    assert_eq!(world.tools.runs("touch").len(), 1, "nothing is run twice");
    world.check(&["Work"]).await;
}

/// A step is refused by the database, and not because it cannot work just now: its worker stops. The turn gets another one at
/// once, also where there is one node, which never looks for turns without a worker.
#[tokio::test]
async fn a_turn_whose_worker_had_to_stop_gets_another_one() {
    let world = World::new().await;
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("touch", json!({}))]),
        _ => Reply::text("Done."),
    });
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON calls \
                  WHEN (SELECT attempt FROM turns WHERE id = NEW.turn_id) = 1 \
                  BEGIN SELECT RAISE(ABORT, 'no'); END";
    world.store.write(move |tx: &mut Tx| tx.run(refuse, vec![])).await.unwrap();
    let accepted = world.post("Work").await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 2);
    assert_eq!(world.tools.runs("touch").len(), 1);
    world.check(&["Work"]).await;
}

/// The connection breaks in the COMMIT itself, so that its worker does not know what counts. It looks, finds that nothing is
/// stored, and does the same once more.
#[tokio::test]
async fn a_commit_that_is_cut_and_decided_nothing_ends_no_tool() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    works(&world);
    let accepted = world.post("Work").await;
    world.tools.started(2).await;
    let waits_at_its_end = [
        "CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END'",
        "CREATE CONSTRAINT TRIGGER held_up AFTER UPDATE ON turns DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION held_up()",
    ];
    for sql in waits_at_its_end {
        world.store.write(move |tx: &mut Tx| tx.run(sql, vec![])).await.unwrap();
    }
    let lock = HeldLock::take(&world, "SELECT pg_advisory_xact_lock(4711)", vec![]).await;
    world.tools.open("look");
    cut_what_waits(&world).await;
    assert!(world.tools.runs("touch").iter().all(|run| !run.gone), "the other tool goes on");
    lock.release().await;
    world.tools.open("touch");
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 1, "no other worker had to take it up");
    assert_eq!(world.tools.runs("look").len(), 1, "nothing is run twice");
    world.check(&["Work"]).await;
}

/// The answer pauses, and the money for going on cannot be held back at once.
#[tokio::test]
async fn a_connection_that_is_cut_while_an_answer_pauses_stops_no_turn() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| {
        setup.url = Some(url);
        setup.wire = Wire::Anthropic;
        setup.markup = ON;
        setup.prices.usual = Some(Price { input: 1, output: 1, cached: None, stored: None });
        setup.settings.budget.default =
            Budget { per_turn_microusd: None, per_day_microusd: Some(1_000_000_000) };
    })
    .await;
    let pause = Arc::new(Notify::new());
    world.model.queue([
        Reply::pieces(["@system(touch, {gate: \"touch\"})\n", "and on "])
            .finish("pause_turn")
            .gate_after_pieces(1, pause.clone()),
        Reply::text("to the end."),
        Reply::text("Done."),
    ]);
    let accepted = world.post("Work").await;
    world.tools.started(1).await;
    let row = "UPDATE users SET role = role WHERE id = $1";
    let lock = HeldLock::take(&world, row, args![world.user]).await;
    pause.notify_one();
    for _ in 0..3 {
        cut_what_waits(&world).await;
    }
    assert!(world.tools.runs("touch").iter().all(|run| !run.gone), "the tool goes on");
    lock.release().await;
    world.tools.open("touch");
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 1, "nobody had to take it up");
    assert_eq!(world.tools.runs("touch").len(), 1, "nothing is run twice");
    world.check(&["Work"]).await;
}

/// What a person wrote for their agents cannot be read at the moment at which a turn begins.
#[tokio::test]
async fn a_connection_that_is_cut_while_abilities_are_read_stops_no_turn() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    world.model.respond(|_| Reply::text("Done."));
    world.engine().create_ability(world.user, process("report", "Be brief.")).await.unwrap();
    let lock = HeldLock::take(&world, "LOCK TABLE abilities IN ACCESS EXCLUSIVE MODE", vec![]).await;
    let accepted = world.post("Work").await;
    for _ in 0..3 {
        cut_what_waits(&world).await;
    }
    lock.release().await;
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 1, "nobody had to take it up");
    world.check(&["Work"]).await;
}

/// A tool that cannot store what it does tries again before it says so.
#[tokio::test]
async fn a_tool_whose_connection_is_cut_stores_its_work_all_the_same() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    let capabilities = Change::Set(vec![CapabilityRef::from("session_file_system")]);
    let fields = AgentFields { capabilities, ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.model.script(Reply::calls([("write_file", json!({ "path": "/notes.txt", "content": "x" }))]));
    world.model.script(Reply::text("Done."));
    let lock = HeldLock::take(&world, "LOCK TABLE session_files IN EXCLUSIVE MODE", vec![]).await;
    let accepted = world.post("Work").await;
    for _ in 0..2 {
        cut_what_waits(&world).await;
    }
    lock.release().await;
    let lines = shown(&world.ended(accepted).await);
    assert!(lines.contains(&"tool_result write_file Ok".to_owned()), "{lines:?}");
    let file = "/notes.txt".parse().unwrap();
    assert_eq!(world.engine().file(world.user, world.session, file).await.unwrap().content, b"x");
    world.check(&["Work"]).await;
}

/// Ten turns were under way. The start returns although none of them can be taken up yet.
#[tokio::test]
async fn the_start_does_not_wait_for_what_is_taken_up() {
    let mut world = World::new().await;
    world.model.respond(|_| Reply::text("Never.").gate(Arc::new(Notify::new())));
    let mut begun = Vec::new();
    for number in 0..10 {
        let (user, agent) = (world.user, world.agent);
        let new = engine::NewSession::with(agent);
        let session = world.engine().create_session(user, new).await.unwrap().id;
        let message = engine::NewMessage { session_id: session, ..world.message(&format!("work {number}")) };
        begun.push((session, world.send(message).await.unwrap()));
    }
    world.model.wait_for(10).await;
    world.house.kill().await;
    world.model.respond(|_| Reply::text("Done."));
    let store = world.site.open().await;
    // Its own writer is held: whoever waits for something to be stored waits until the test goes on.
    let occupied = Occupied::by(&store).await;
    let mut start = pin!(House::over(node(1), &world.site, store));
    let in_time = tokio::time::timeout(PATIENCE, &mut start).await;
    drop(occupied);
    let Ok(started) = in_time else {
        drop(start.await);
        panic!("the start waits for the turns that are to be taken up");
    };
    world.house = started.expect("the engine does not start");
    for (session, accepted) in begun {
        let (user, turn, after) = (world.user, accepted.turn_id, accepted.after);
        let reader = world.engine().follow_turn(user, session, turn, after).await.unwrap();
        assert_eq!(shown(&crate::world::rest(reader).await).last().unwrap(), "turn_ended completed");
    }
}
