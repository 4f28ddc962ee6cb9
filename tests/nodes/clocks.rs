//! Nodes whose clocks differ.

use crate::several::{Nodes, said};
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

/// A clock that is wrong takes no turn from a node that is alive, and keeps none from it: leases go by the database's clock.
#[tokio::test(flavor = "multi_thread")]
async fn twenty_seconds_of_skew_take_nothing_over() {
    let Some(mut nodes) = Nodes::new(3).await else { return };
    if !nodes.set_clock(1, "+20s") || !nodes.set_clock(2, "-20s") {
        return;
    }
    let running = nodes.serve_all().await;
    let gate = Arc::new(Notify::new());
    nodes.model.script(Reply::text("Here I am.").gate(gate.clone()));
    let client = running[0].client(&nodes.key);
    let session = nodes.begin(&client, "Are you there?").await;
    nodes.model.wait_for(1).await;
    // More than a lease and what is added to it: every node has judged the others again and again.
    nodes.beat_for(3, 14).await;
    // The control: their clocks do differ.
    let differ = "SELECT COUNT(*) FROM nodes WHERE ABS(clock - seen_at) > 15000";
    assert_eq!(nodes.ask(differ), "2");
    gate.notify_one();
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "1").await;
    assert_eq!(nodes.ask("SELECT attempt, outcome FROM turns"), "1|completed");
    assert_eq!(said(&client, &session).await, ["Are you there?", "Here I am."]);
    assert_eq!((nodes.model.request_count(), nodes.model.hang_ups()), (1, 0));
    // A turn that begins at a node with a wrong clock is as safe.
    let gate = Arc::new(Notify::new());
    nodes.model.script(Reply::text("Still here.").gate(gate.clone()));
    nodes.begin(&running[2].client(&nodes.key), "And you?").await;
    nodes.model.wait_for(2).await;
    nodes.beat_for(3, 13).await;
    gate.notify_one();
    nodes.until("SELECT COUNT(*) FROM turns WHERE status = 'ended'", "2").await;
    assert_eq!(nodes.ask("SELECT MAX(attempt) FROM turns"), "1");
    assert_eq!((nodes.model.request_count(), nodes.model.hang_ups()), (2, 0));
}
