//! Nodes whose clocks differ.

mod due_times;

use crate::several::{Nodes, new_session, said};
use serde_json::json;
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

/// What a turn has spent is counted from when it began, at whichever node that was.
#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_a_turn_holds_when_it_moves_to_a_node_with_another_clock() {
    let Some(mut nodes) = Nodes::new(2).await else { return };
    if !nodes.set_clock(0, "+90s") {
        return;
    }
    let mut running = nodes.serve_all().await;
    nodes.beat_for(2, 2).await;
    // A step costs a dollar, and there is a dollar and a half.
    let price = json!({ "price": { "input": 1_000_000, "output": 1_000_000 } });
    let client = running[1].client(&nodes.key);
    let fields = json!({ "base_url": nodes.model.url(), "api_key": "sk-test", "models": ["small"], "price": price["price"] });
    client.put("/v1/providers/priced", &fields).await.unwrap().expect(200);
    let agent = json!({ "name": "priced", "model": "priced/small", "capabilities": ["current_time"],
        "budget": { "per_turn_microusd": 1_500_000 } });
    let agent = client.post("/v1/agents", &agent).await.unwrap().expect(201);
    let session = client.post("/v1/sessions", &json!({ "agent_id": agent["id"] })).await.unwrap().expect(201);
    let gate = Arc::new(Notify::new());
    let step = || Reply::calls([("get_current_time", json!({}))]).usage(1_000_000, 0, 0);
    nodes.model.script(step().gate(gate.clone()));
    nodes.model.respond(move |_| step());
    nodes.say(&running[0].client(&nodes.key), session["id"].as_str().unwrap(), "How late is it?").await;
    nodes.model.wait_for(1).await;
    nodes.hang_up();
    let (going, ()) = tokio::join!(running.remove(0).terminate(), async { gate.notify_one() });
    assert_eq!(going.unwrap(), Some(0));
    nodes.until("SELECT status FROM turns", "ended").await;
    // The control: the turn has moved.
    assert_eq!(nodes.ask("SELECT attempt > 1 FROM turns"), "t");
    assert_eq!(nodes.model.request_count(), 2, "more than its budget was spent");
}

/// What a person deletes can be taken back for a minute, also beside a node for which the minute is over.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_clock_is_ahead_does_not_empty_the_bin() {
    let Some(mut nodes) = Nodes::new(2).await else { return };
    if !nodes.set_clock(1, "+90s") {
        return;
    }
    let first = nodes.serve(0).await;
    let client = first.client(&nodes.key);
    let session = new_session(&client).await;
    let keep = async |action: &str| {
        let kept = client.post("/v1/sessions/batch", &json!({ "ids": [session], "action": action })).await;
        kept.unwrap().expect(200)
    };
    keep("delete").await;
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM sessions WHERE delete_at IS NOT NULL"), "1");
    // It looks into the bin when it starts.
    let _second = nodes.serve(1).await;
    nodes.beat_for(2, 3).await;
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM nodes WHERE clock - seen_at > 60000"), "1");
    keep("restore").await;
    client.get(&format!("/v1/sessions/{session}")).await.unwrap().expect(200);
}
