//! Two processes that would be the same node.

use crate::several::Nodes;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::model::Reply;
use tokio::sync::Notify;

/// An owner copies a data directory to get a second node: the copy does not start, and the turns of the first go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_copied_data_directory_is_refused_in_words() {
    let Some(nodes) = Nodes::new(1).await else { return };
    let first = nodes.serve(0).await;
    let gate = Arc::new(Notify::new());
    nodes.model.script(Reply::text("Done.").gate(gate.clone()));
    nodes.begin(&first.client(&nodes.key), "Take your time.").await;
    nodes.model.wait_for(1).await;
    let copy = nodes.copy_of(0);
    let refused = copy.run(&["serve", "--bind", "127.0.0.1:0"], "").await.unwrap();
    let words = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{words}");
    assert!(words.contains("A server with the same node id is running on"), "{words}");
    assert!(words.contains(&format!("Delete the file {}", copy.data().join("node").display())), "{words}");
    nodes.beat_for(1, 5).await;
    gate.notify_one();
    nodes.until("SELECT attempt, outcome FROM turns", "1|completed").await;
    // What it says is what helps: with an id of its own the copy is a second node.
    std::fs::remove_file(copy.data().join("node")).unwrap();
    let second = copy.serve().await.unwrap();
    nodes.until("SELECT COUNT(*) FROM nodes", "2").await;
    // Once the first is dead, its id is free: a data directory may be moved.
    first.kill().await.unwrap();
    second.kill().await.unwrap();
    std::fs::copy(nodes.programs[0].data().join("node"), copy.data().join("node")).unwrap();
    let moved = copy.serve().await.unwrap();
    assert_eq!(moved.terminate().await.unwrap(), Some(0));
}

/// Twins that started in the same moment see nothing of each other: the one that was there first stops when it notices.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_place_was_taken_stops_in_words() {
    let Some(nodes) = Nodes::new(1).await else { return };
    let log = nodes.programs[0].data().with_extension("log");
    let first = nodes.programs[0].serve_into(&log).await.unwrap();
    nodes.model.script(Reply::text("Never said.").gate(Arc::new(Notify::new())));
    nodes.begin(&first.client(&nodes.key), "Wait.").await;
    nodes.model.wait_for(1).await;
    let nodes = Arc::new(nodes);
    let (taken, stopped) = (nodes.clone(), Arc::new(AtomicBool::new(false)));
    let until = stopped.clone();
    let other = tokio::task::spawn_blocking(move || {
        // It has the place, and it is alive. A row that is only named after another process is no reason to stop: see below.
        while !until.load(Ordering::SeqCst) {
            taken.ask(
                "UPDATE nodes SET boot = 'another', seen_at = seen_at + 1, lease_until = lease_until + 1",
            );
            std::thread::sleep(Duration::from_millis(200));
        }
    });
    nodes.model.wait_for_hang_ups(1).await;
    assert_eq!(first.wait().await.unwrap(), Some(1));
    stopped.store(true, Ordering::SeqCst);
    other.await.unwrap();
    let words = std::fs::read_to_string(&log).unwrap();
    assert!(words.contains("Another server with the same node id was started"), "{words}");
    // What it worked on is left as it is, for the one that is the node now.
    assert_eq!(nodes.ask("SELECT status, attempt, owner FROM turns"), format!("running|1|{}", nodes.id(0)));
}

/// A server was started anew, and moments later the database failed over to one that knows only the process before: what a node says of itself
/// is not waited for. That process is dead, and the one that is alive goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_last_start_was_forgotten_goes_on() {
    let Some(nodes) = Nodes::new(1).await else { return };
    let first = nodes.serve(0).await;
    let gate = Arc::new(Notify::new());
    nodes.model.script(Reply::text("Still here.").gate(gate.clone()));
    nodes.begin(&first.client(&nodes.key), "Are you there?").await;
    nodes.model.wait_for(1).await;
    nodes.ask("UPDATE nodes SET boot = 'before', lease_until = 0");
    nodes.until("SELECT COUNT(*) FROM nodes WHERE boot <> 'before' AND lease_until > 0", "1").await;
    nodes.beat_for(1, 2).await;
    gate.notify_one();
    nodes.until("SELECT attempt, outcome FROM turns", "1|completed").await;
    assert_eq!(first.terminate().await.unwrap(), Some(0));
}
