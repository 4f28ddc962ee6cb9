//! The wire between a node and its database is cut without a word: a machine has lost its power, its name leads to another one, and no connection
//! to the first was ever ended. What waits there for an answer holds nothing up.

use crate::several::{Nodes, said};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use testkit::{client::Client, model::Reply};
use tokio::{
    sync::Notify,
    task::{JoinHandle, JoinSet},
    time::sleep,
};

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

/// Connections that wait for a lock.
const WAITING: &str = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
/// One that has a lock.
const HOLDING: &str = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";

/// What locks the sessions, until this ends.
struct Lock(JoinHandle<()>);

impl Lock {
    async fn take(nodes: &Arc<Nodes>, how: &str) -> Self {
        let until_cancelled =
            "DO $$ BEGIN PERFORM pg_sleep(120); EXCEPTION WHEN query_canceled THEN NULL; END $$";
        let (locking, sql) = (nodes.clone(), format!("BEGIN; {how}; {until_cancelled}"));
        let held = tokio::task::spawn_blocking(move || drop(locking.ask(&sql)));
        nodes.until(&format!("SELECT COUNT(*) {HOLDING}"), "1").await;
        Self(held)
    }

    async fn end(self, nodes: &Nodes) {
        nodes.ask(&format!("SELECT pg_cancel_backend(pid) {HOLDING}"));
        self.0.await.unwrap();
    }
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
    let lock = Lock::take(&nodes, "LOCK TABLE sessions").await;
    let mut asked = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (client, path) = (one.clone(), format!("/v1/sessions/{session}"));
        asked.spawn(async move { client.get(&path).await.map(|answer| answer.status) });
    }
    nodes.until(&format!("SELECT COUNT(*) >= 16 {WAITING}"), "t").await;
    wire.cut();
    lock.end(&nodes).await;
    until_ready(&one, false).await;
    // Each of them is answered, although the database answers none.
    let answered = tokio::time::timeout(Duration::from_secs(60), asked.join_all()).await;
    for answered in answered.expect("some requests are not answered") {
        assert_eq!(answered.unwrap(), 503);
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

/// A call stands in the text that the model still writes, and it never becomes known whether it was stored. The node loses the turn
/// meanwhile: it hangs up the model before it knows more.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_waits_for_its_database_hangs_up_the_model() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let ((first, wire), second) = (nodes.serve_by_wire(0).await, nodes.serve(1).await);
    nodes.beat_for(2, 2).await;
    let (one, two) = (first.client(&nodes.key), second.client(&nodes.key));
    let (cut, done) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    // The call is stored before it begins, because it has an effect.
    let pieces = ["I begin. \n", "@system(count_effect, {tag: \"never\"})\n", "And ", "more."];
    nodes.model.queue([
        Reply::pieces(pieces).gate_after_pieces(1, cut.clone()).stall_after_pieces(3),
        Reply::text("I took over.").gate(done.clone()),
    ]);
    let rules = json!([{ "tool": "count_effect", "action": "allow" }]);
    let agent = json!({ "name": "counting", "capabilities": ["counting"], "tool_rules": rules });
    let agent = one.post("/v1/agents", &agent).await.unwrap().expect(201);
    let session = one.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    let session = session["id"].as_str().unwrap();
    let mut stream = one.follow(session, None).await.unwrap();
    nodes.say(&one, session, "Count.").await;
    while stream.next().await.unwrap().unwrap().event != "text" {}
    let nodes = Arc::new(nodes);
    let lock = Lock::take(&nodes, "SELECT id FROM sessions FOR UPDATE").await;
    cut.notify_one();
    nodes.until(&format!("SELECT COUNT(*) >= 1 {WAITING} AND query LIKE '%sessions%'"), "t").await;
    wire.cut();
    lock.end(&nodes).await;
    // Another node asks by now, and is not answered before the first has hung up.
    nodes.model.wait_for(2).await;
    nodes.model.wait_for_hang_ups(1).await;
    done.notify_one();
    nodes.until("SELECT attempt, outcome FROM turns", "2|completed").await;
    assert_eq!(said(&two, session).await, ["Count.", "I took over."]);
    wire.mend();
    until_ready(&one, true).await;
    nodes.beat_for(2, 2).await;
}
