//! A node that dies, or stands still: another one takes its turns over.

use crate::several::{Nodes, said};
use std::{sync::Arc, time::Duration};
use testkit::model::Reply;
use tokio::sync::Notify;

/// It looks before it does anything else: within a second, and so much more for a machine with two cores that has much else to do.
const HANGS_UP_WITHIN: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn the_turns_of_a_killed_node_go_on_at_another() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let (first, second) = (nodes.serve(0).await, nodes.serve(1).await);
    // One turn of each: the survivor's is not touched.
    let (never, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    nodes.model.queue([Reply::text("Never said.").gate(never), Reply::text("Mine.").gate(gate.clone())]);
    let (one, two) = (first.client(&nodes.key), second.client(&nodes.key));
    let left = nodes.begin(&one, "Who answers?").await;
    nodes.model.wait_for(1).await;
    let kept = nodes.begin(&two, "And you?").await;
    nodes.model.wait_for(2).await;
    nodes.model.script(Reply::text("I took over."));
    first.kill().await.unwrap();
    nodes.model.wait_for(3).await;
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "1").await;
    assert_eq!(said(&two, &left).await, ["Who answers?", "I took over."]);
    gate.notify_one();
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "2").await;
    assert_eq!(said(&two, &kept).await, ["And you?", "Mine."]);
    assert_eq!(
        nodes.ask("SELECT attempt, outcome FROM turns ORDER BY created_at"),
        "2|completed\n1|completed"
    );
    assert_eq!(nodes.model.request_count(), 3);
}

/// It stands still for longer than its lease, as a machine does that was put to sleep. When it goes on it has lost its turn: it hangs
/// up, and says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_stood_still_hangs_up_when_it_goes_on() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let (first, second) = (nodes.serve(0).await, nodes.serve(1).await);
    nodes.model.script(Reply::text("Never said.").gate(Arc::new(Notify::new())));
    let session = nodes.begin(&first.client(&nodes.key), "Who answers?").await;
    nodes.model.wait_for(1).await;
    nodes.model.script(Reply::text("I took over."));
    first.signal("STOP").await.unwrap();
    nodes.model.wait_for(2).await;
    nodes.until("SELECT attempt, outcome FROM turns", "2|completed").await;
    assert_eq!(nodes.model.hang_ups(), 0);
    first.signal("CONT").await.unwrap();
    tokio::time::timeout(HANGS_UP_WITHIN, nodes.model.wait_for_hang_ups(1))
        .await
        .expect("it does not hang up");
    let client = second.client(&nodes.key);
    assert_eq!(said(&client, &session).await, ["Who answers?", "I took over."]);
    assert_eq!(nodes.model.request_count(), 2);
    // It is a node as before.
    nodes.until("SELECT COUNT(*) FROM nodes WHERE lease_until > seen_at + 2000", "2").await;
    nodes.model.script(Reply::text("Here."));
    let session = nodes.begin(&first.client(&nodes.key), "Are you back?").await;
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "2").await;
    assert_eq!(said(&client, &session).await, ["Are you back?", "Here."]);
}

/// A command that ends soon is a node of its own: under the id of the server that died it would keep that server's turns from the others.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_not_stand_in_for_a_dead_server() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let first = nodes.serve(0).await;
    nodes.model.script(Reply::text("Never said.").gate(Arc::new(Notify::new())));
    nodes.begin(&first.client(&nodes.key), "Who answers?").await;
    nodes.model.wait_for(1).await;
    let id = nodes.id(0);
    first.kill().await.unwrap();
    nodes.programs[0].must(&["api-key", "new", "--user", "ada"], "").await;
    // It came and went, and the dead server is as dead as before.
    assert_eq!(nodes.ask("SELECT id FROM nodes"), id);
    nodes.model.script(Reply::text("I took over."));
    let _second = nodes.serve(1).await;
    nodes.until("SELECT attempt, outcome FROM turns", "2|completed").await;
}
