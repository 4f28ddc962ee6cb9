//! The wire between a node and its database is cut without a word: a machine has lost its power, its name leads to another one, and no connection
//! to the first was ever ended. What waits there for an answer holds nothing up.

use crate::several::{Nodes, said};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use testkit::{client::Client, model::Reply};
use tokio::{sync::Notify, task::JoinSet, time::sleep};

/// More than a node has connections.
const AT_ONCE: usize = 20;

/// Until the node says that it is ready, or that it is not.
async fn until_ready(client: &Client, wanted: bool) {
    let asking = async {
        while (client.get("/readyz").await.unwrap().status == 200) != wanted {
            sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asking).await.expect("readyz says nothing else");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_leaves_a_wire_that_was_cut_in_the_middle_of_statements() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let ((first, wire), second) = (nodes.serve_by_wire(0).await, nodes.serve(1).await);
    let (one, two) = (first.client(&nodes.key), second.client(&nodes.key));
    nodes.model.respond(|_| Reply::text("Here."));
    let session = nodes.begin(&one, "Hello?").await;
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "1").await;
    nodes.beat_for(2, 2).await;
    // Every connection of the first node waits for an answer.
    let nodes = Arc::new(nodes);
    let locking = nodes.clone();
    let lock = tokio::task::spawn_blocking(move || {
        locking.ask("BEGIN; LOCK TABLE sessions; SELECT pg_sleep(60)");
    });
    nodes.until("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", "1").await;
    let mut asked = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (client, path) = (one.clone(), format!("/v1/sessions/{session}"));
        asked.spawn(async move { client.get(&path).await.map(|answer| answer.status) });
    }
    let waiting = "SELECT COUNT(*) >= 16 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    nodes.until(waiting, "t").await;
    wire.cut();
    nodes.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    assert!(lock.await.is_err(), "the lock was over before");
    until_ready(&one, false).await;
    // Each of them is answered, although the database answers none.
    while let Some(answered) = asked.join_next().await {
        assert_eq!(answered.unwrap().unwrap(), 503);
    }
    wire.mend();
    until_ready(&one, true).await;
    nodes.beat_for(2, 3).await;
    // It works, and hears what another node says: a reply that is being written is told by notes only.
    nodes.say(&one, &session, "And now?").await;
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "2").await;
    assert_eq!(said(&two, &session).await, ["Hello?", "Here.", "And now?", "Here."]);
    let held = Arc::new(Notify::new());
    let gate = held.clone();
    nodes.model.respond(move |_| Reply::pieces(["I am ", "writing."]).gate_after_pieces(1, gate.clone()));
    let mut stream = one.follow(&session, None).await.unwrap();
    nodes.say(&two, &session, "What do you do?").await;
    let hearing = async { while stream.next().await.unwrap().unwrap().event != "text" {} };
    tokio::time::timeout(Duration::from_secs(60), hearing).await.expect("it hears nothing");
    held.notify_one();
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "3").await;
    // It ends in good order while it waits for answers again.
    drop(stream);
    nodes.hang_up();
    wire.cut();
    assert_eq!(first.terminate().await.unwrap(), Some(0));
}

/// A call stands in the text that the model still writes, and cannot be stored. The node has lost the turn: it hangs up the model while it
/// waits for the database.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_waits_for_its_database_hangs_up_the_model() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let ((first, wire), second) = (nodes.serve_by_wire(0).await, nodes.serve(1).await);
    nodes.beat_for(2, 2).await;
    let (one, two) = (first.client(&nodes.key), second.client(&nodes.key));
    let (cut, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let pieces = ["I begin. ", "@system(current_time, {})\n", "Never said."];
    nodes.model.queue([
        Reply::pieces(pieces).gate_after_pieces(1, cut.clone()).stall_after_pieces(2),
        Reply::text("I took over.").gate(done.clone()),
    ]);
    let agent = json!({ "name": "clock", "capabilities": ["current_time"] });
    let agent = one.post("/v1/agents", &agent).await.unwrap().expect(201);
    let session = one.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    let session = session["id"].as_str().unwrap();
    let mut stream = one.follow(session, None).await.unwrap();
    nodes.say(&one, session, "What time is it?").await;
    while stream.next().await.unwrap().unwrap().event != "text" {}
    wire.cut();
    cut.notify_one();
    // Another node asks by now, and is not answered before the first has hung up.
    nodes.model.wait_for(2).await;
    nodes.model.wait_for_hang_ups(1).await;
    done.notify_one();
    nodes.until("SELECT attempt, outcome FROM turns", "2|completed").await;
    assert_eq!(said(&two, session).await, ["What time is it?", "I took over."]);
    wire.mend();
    until_ready(&one, true).await;
    nodes.beat_for(2, 2).await;
}
