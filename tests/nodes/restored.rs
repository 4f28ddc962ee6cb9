//! A backup, restored for several nodes.

use crate::several::{Nodes, said};
use serde_json::json;
use std::sync::Arc;
use testkit::model::Reply;
use tokio::sync::Notify;

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_restored_for_all_nodes() {
    let Some(nodes) = Nodes::new(3).await else { return };
    let (first, second) = (nodes.serve(0).await, nodes.serve(1).await);
    nodes.model.script(Reply::text("Never said.").gate(Arc::new(Notify::new())));
    let session = nodes.begin(&second.client(&nodes.key), "Who answers?").await;
    nodes.model.wait_for(1).await;
    let file = nodes.programs[0].data().with_extension("backup");
    let file = file.to_str().unwrap();
    nodes.programs[0].must(&["backup", file], "").await;
    // From the machine of a third node, which does not run: the others use the database.
    let refused = nodes.programs[2].run(&["restore", file, "--force"], "").await.unwrap();
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && words.contains("uses this database"), "{words}");
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM turns WHERE status = 'running'"), "1");
    for node in [first, second] {
        assert_eq!(node.terminate().await.unwrap(), Some(0));
    }
    nodes.programs[2].must(&["restore", file, "--force", "--keep-keys"], "").await;
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM nodes"), "0", "servers of that time look alive");
    let running = nodes.serve_all().await;
    nodes.until("SELECT status, outcome FROM turns", "ended|failed").await;
    // Nothing goes on by itself, at any of them.
    nodes.beat_for(3, 4).await;
    assert_eq!(nodes.model.request_count(), 1);
    nodes.model.script(Reply::text("As you asked for it."));
    let (one, other) = (running[0].client(&nodes.key), running[2].client(&nodes.key));
    let retried = one.post(&format!("/v1/sessions/{session}/retry"), &json!({})).await.unwrap();
    assert!(retried.status < 300, "{retried:?}");
    nodes.until("SELECT outcome FROM turns", "completed").await;
    let words = said(&other, &session).await;
    assert_eq!(words.last().unwrap(), "As you asked for it.", "{words:?}");
    assert_eq!(nodes.model.request_count(), 2);
}
