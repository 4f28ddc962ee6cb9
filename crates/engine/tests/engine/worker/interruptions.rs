//! A database that cannot work for a moment decides nothing: tools run on, and turns go on at once.

use crate::world::{House, PATIENCE, World, node, postgres, shown};
use domain::TurnId;
use serde_json::json;
use std::{
    sync::{Arc, mpsc},
    time::Duration,
};
use store::{Store, Tx, args};
use testkit::model::Reply;
use tokio::sync::{Notify, oneshot};

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

#[tokio::test]
async fn a_connection_that_is_cut_stops_no_turn_and_ends_no_tool() {
    let Some(url) = postgres().await else { return };
    let world = World::with(|setup| setup.url = Some(url)).await;
    works(&world);
    let accepted = world.post("Work").await;
    world.tools.started(2).await;
    // Whoever holds the row holds the worker up in the middle of its transaction.
    let (release, released) = oneshot::channel::<()>();
    let (tell, told) = oneshot::channel();
    let (store, turn) = (world.store.clone(), accepted.turn_id);
    let holding = tokio::spawn(async move {
        let hold = move |tx: &mut Tx| {
            tx.run("UPDATE turns SET epoch = epoch WHERE id = $1", args![turn])?;
            let _ = tell.send(());
            let _ = released;
            Ok(())
        };
        store.write(hold).await.unwrap();
    });
    told.await.unwrap();
    world.tools.open("look");
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock'";
    let waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    for _ in 0..3 {
        let held_up = async || world.store.read(move |tx: &mut Tx| tx.one::<u64>(waits, vec![])).await;
        let tries = async {
            while held_up().await.unwrap() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, tries).await.expect("the worker does not try again");
        world.store.write(move |tx: &mut Tx| tx.run(cut, vec![])).await.unwrap();
    }
    assert!(world.tools.runs("touch").iter().all(|run| !run.gone), "the other tool goes on");
    release.send(()).unwrap();
    holding.await.unwrap();
    world.tools.open("touch");
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended completed");
    assert_eq!(attempts(&world, accepted.turn_id).await, 1, "nobody had to take it up");
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
        let new = engine::NewSession { agent_id: agent, name: None, handler: None };
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
    let start = tokio::time::timeout(PATIENCE, House::over(node(1), &world.site, store));
    let started = start.await.expect("the start waits for the turns that are to be taken up");
    world.house = started.expect("the engine does not start");
    drop(occupied);
    for (session, accepted) in begun {
        let (user, turn, after) = (world.user, accepted.turn_id, accepted.after);
        let reader = world.engine().follow_turn(user, session, turn, after).await.unwrap();
        assert_eq!(shown(&crate::world::rest(reader).await).last().unwrap(), "turn_ended completed");
    }
}
