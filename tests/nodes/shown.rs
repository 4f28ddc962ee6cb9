//! What `doctor` says of the nodes, on any machine.

use crate::several::Nodes;
use serde_json::Value;
use std::sync::Arc;
use testkit::{model::Reply, program::Program};
use tokio::sync::Notify;

/// The lines about servers, by their status.
async fn examined(program: &Program, status: &str) -> Vec<String> {
    let output = program.run(&["doctor", "--json"], "").await.unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let about = |finding: &&Value| finding["section"] == "servers" && finding["status"] == status;
    let findings = report["findings"].as_array().unwrap().iter().filter(about);
    findings.map(|finding| format!("{} → {}", finding["text"], finding["remedy"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_lists_every_node() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    nodes.model.script(Reply::text("Never said.").gate(Arc::new(Notify::new())));
    nodes.begin(&running[1].client(&nodes.key), "Wait.").await;
    nodes.model.wait_for(1).await;
    let good = examined(&nodes.programs[0], "ok").await;
    assert_eq!(good.len(), 2, "{good:?}");
    assert!(good[0].contains(&nodes.id(0)) && good[0].contains("Running replies: 0"), "{good:?}");
    assert!(good[1].contains(&nodes.id(1)) && good[1].contains("Running replies: 1"), "{good:?}");
    // One dies: the others say so, and that its lease is over.
    let [_first, second] = <[_; 2]>::try_from(running).unwrap_or_else(|_| panic!("two nodes"));
    second.kill().await.unwrap();
    let over = "SELECT COUNT(*) FROM nodes WHERE lease_until < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
    nodes.until(over, "1").await;
    let silent = examined(&nodes.programs[0], "notable").await;
    assert!(
        matches!(&silent[..], [one] if one.contains(&nodes.id(1)) && one.contains("was not shut down")),
        "{silent:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_wrong_is_a_problem_in_words() {
    let Some(mut nodes) = Nodes::new(3).await else { return };
    if !nodes.set_clock(1, "+20s") || !nodes.set_clock(2, "-4s") {
        return;
    }
    let _running = nodes.serve_all().await;
    let problems = examined(&nodes.programs[0], "problem").await;
    assert!(
        matches!(&problems[..], [one] if one.contains(&nodes.id(1)) && one.contains("s ahead of that of the database") && one.contains("NTP")),
        "{problems:?}"
    );
    // Different versions are said, too.
    assert_eq!(examined(&nodes.programs[0], "notable").await, Vec::<String>::new());
    nodes.ask(&format!("UPDATE nodes SET version = '0.0.1' WHERE id = '{}'", nodes.id(2)));
    let versions = examined(&nodes.programs[0], "notable").await;
    assert!(matches!(&versions[..], [one] if one.contains("different versions: 0.0.1, ")), "{versions:?}");
}
