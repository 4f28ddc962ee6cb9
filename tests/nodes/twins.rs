//! Two processes that would be the same node.

use crate::several::Nodes;
use std::{
    os::unix::fs::MetadataExt as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::{client::Client, model::Reply};
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

/// The clone of a machine has the same directory on a disk of the same number. It does not take the place of the original, which is alive.
#[tokio::test(flavor = "multi_thread")]
async fn a_cloned_machine_is_refused_in_words() {
    let Some(nodes) = Nodes::new(1).await else { return };
    let first = nodes.serve(0).await;
    let clone = nodes.copy_of(0);
    let lock = std::fs::metadata(clone.data().join("lock")).unwrap();
    let file = clone.data().join("node");
    let noted = std::fs::read_to_string(&file).unwrap();
    let who: Vec<&str> = noted.lines().take(2).collect();
    // As an earlier version noted it, and as another run of a machine did.
    for run in ["", " 00000000-0000-4000-8000-000000000000"] {
        let place = format!("{}:{}{run}", lock.dev(), lock.ino());
        std::fs::write(&file, format!("{}\n{}\n{place}\n", who[0], who[1])).unwrap();
        let refused = clone.run(&["serve", "--bind", "127.0.0.1:0"], "").await.unwrap();
        let words = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{words}");
        assert!(words.contains("A server with the same node id is running on"), "{words}");
    }
    assert_eq!(first.terminate().await.unwrap(), Some(0), "the original goes on until it is stopped");
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

/// A service manager starts the same server twice: one of them has the data directory.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_that_start_together_on_one_data_directory_one_starts() {
    let Some(nodes) = Nodes::new(1).await else { return };
    let program = &nodes.programs[0];
    for _ in 0..3 {
        let (one, two) = tokio::join!(program.serve(), program.serve());
        let mut started: Vec<_> = [one, two].into_iter().flatten().collect();
        assert_eq!(started.len(), 1, "so many started");
        let running = started.remove(0);
        let refused = program.run(&["serve", "--bind", "127.0.0.1:0"], "").await.unwrap();
        let words = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(1), "{words}");
        assert!(words.contains(&program.data().display().to_string()), "{words}");
        running.client(&nodes.key).get("/v1/me").await.unwrap().expect(200);
        assert_eq!(nodes.ask("SELECT COUNT(*) FROM nodes"), "1");
        assert_eq!(running.terminate().await.unwrap(), Some(0));
    }
}

/// The original and its copy start in the same moment. One of them is the node at last, whichever came later; the other one does not start,
/// or stops when it notices.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_that_start_together_under_one_name_one_is_left() {
    let Some(nodes) = Nodes::new(1).await else { return };
    // Only a start gives a data directory its name.
    assert_eq!(nodes.serve(0).await.terminate().await.unwrap(), Some(0));
    let copy = nodes.copy_of(0);
    let (one, two) = tokio::join!(nodes.programs[0].serve(), copy.serve());
    let left = match (one, two) {
        (Ok(one), Ok(two)) => {
            let (base_of_one, base_of_two) = (one.base.clone(), two.base.clone());
            let mut ends = (Box::pin(one.wait()), Box::pin(two.wait()));
            let (ended, base) = tokio::select! {
                ended = &mut ends.0 => (ended, base_of_two),
                ended = &mut ends.1 => (ended, base_of_one),
            };
            assert_eq!(ended.unwrap(), Some(1));
            look(&nodes, &base).await;
            return;
        }
        (Ok(left), Err(_)) | (Err(_), Ok(left)) => left,
        (Err(one), Err(two)) => panic!("none has started: {one}, {two}"),
    };
    look(&nodes, &left.base).await;
    assert_eq!(left.terminate().await.unwrap(), Some(0));
}

/// It is the node, and goes on working.
async fn look(nodes: &Nodes, base: &str) {
    nodes.beat_for(1, 5).await;
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM nodes"), "1");
    nodes.model.script(Reply::text("Here I am."));
    nodes.begin(&Client::new(base, &nodes.key), "Are you there?").await;
    nodes.until("SELECT attempt, outcome FROM turns", "1|completed").await;
}
