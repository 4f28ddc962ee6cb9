//! Titles of conversations, which one node asks a model for.

use crate::several::Nodes;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

/// A node that starts looks for titles that a crash left unmade. One that a node waits for, which is alive, is not among them.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_starts_asks_for_no_title_that_another_waits_for() {
    let Some(mut nodes) = Nodes::new(2).await else { return };
    for program in &mut nodes.programs {
        *program = program.clone().env("MAJORDOMO_DEFAULTS_TITLES", "true");
    }
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    nodes.model.respond(move |request| match request.last_user().starts_with("Write a title") {
        true => Reply::text("Dinner plans").usage(70, 3, 0).gate(held.clone()),
        false => Reply::text("Soup."),
    });
    let first = nodes.serve(0).await;
    nodes.begin(&first.client(&nodes.key), "What is for dinner?").await;
    nodes.model.wait_for(2).await;
    let titles = "SELECT status, requests IS NULL FROM model_calls WHERE step = 0";
    assert_eq!(nodes.ask(titles), "started|t");
    let _second = nodes.serve(1).await;
    // It has looked for what was left when it says for the third time that it is there.
    nodes.beat_for(2, 4).await;
    assert_eq!(nodes.ask(titles), "started|t", "another node's request was given up");
    gate.notify_one();
    nodes.until("SELECT status, input_tokens FROM model_calls WHERE step = 0", "ok|70").await;
    nodes.until("SELECT COUNT(*) FROM sessions WHERE name IS NOT NULL", "1").await;
    assert_eq!(nodes.model.request_count(), 2, "the same title was paid for twice");
}
