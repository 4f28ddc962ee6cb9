//! What `doctor` and the API say of the nodes, on any machine.

use crate::several::Nodes;
use serde_json::Value;
use std::sync::Arc;
use testkit::{client::Client, model::Reply, program::Program};
use tokio::sync::Notify;

/// The lines about servers, by their status.
async fn examined(program: &Program, status: &str) -> Vec<String> {
    let output = program.run(&["doctor", "--json"], "").await.unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let about = |finding: &&Value| finding["section"] == "servers" && finding["status"] == status;
    let findings = report["findings"].as_array().unwrap().iter().filter(about);
    findings.map(|finding| format!("{} → {}", finding["text"], finding["remedy"])).collect()
}

/// What a server answers of each: its id, its status, its running replies, and whether it is the one that answers.
async fn listed(client: &Client) -> Vec<(String, String, u64, bool)> {
    let list = client.get("/v1/nodes").await.unwrap().expect(200);
    let text = |node: &Value, name: &str| node[name].as_str().unwrap().to_owned();
    let row = |node: &Value| {
        assert_eq!(node["version"], env!("CARGO_PKG_VERSION"));
        assert!(
            node["clock_ahead_ms"].as_i64().unwrap().abs() < 5_000 && node["clock_is_off"] == false,
            "{node}"
        );
        let lease = node["lease_left_ms"].as_i64().unwrap();
        assert_eq!(lease < 0, node["status"] == "silent", "{node}");
        let is_this = node["is_this"].as_bool().unwrap();
        (text(node, "id"), text(node, "status"), node["running_turns"].as_u64().unwrap(), is_this)
    };
    list["items"].as_array().unwrap().iter().map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_and_every_node_list_the_nodes() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let running = nodes.serve_all().await;
    nodes.model.script(Reply::text("Never said.").gate(Arc::new(Notify::new())));
    nodes.begin(&running[1].client(&nodes.key), "Wait.").await;
    nodes.model.wait_for(1).await;
    let good = examined(&nodes.programs[0], "ok").await;
    assert_eq!(good.len(), 2, "{good:?}");
    assert!(good[0].contains(&nodes.id(0)) && good[0].contains("Running replies: 0"), "{good:?}");
    assert!(good[1].contains(&nodes.id(1)) && good[1].contains("Running replies: 1"), "{good:?}");
    let (first, second) = (nodes.id(0), nodes.id(1));
    let row = |id: &str, status: &str, turns, is_this| (id.to_owned(), status.to_owned(), turns, is_this);
    let clients = [running[0].client(&nodes.key), running[1].client(&nodes.key)];
    for (place, client) in clients.iter().enumerate() {
        let wanted = [row(&first, "serving", 0, place == 0), row(&second, "serving", 1, place == 1)];
        assert_eq!(listed(client).await, wanted);
    }
    // One dies: the others say so, and that its lease is over.
    let [_first, other] = <[_; 2]>::try_from(running).unwrap_or_else(|_| panic!("two nodes"));
    other.kill().await.unwrap();
    let over = "SELECT COUNT(*) FROM nodes WHERE lease_until < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
    nodes.until(over, "1").await;
    // Its turn is its own until another node has it.
    let seen = listed(&clients[0]).await;
    assert_eq!((seen[1].0.as_str(), seen[1].1.as_str()), (second.as_str(), "silent"), "{seen:?}");
    let silent = examined(&nodes.programs[0], "notable").await;
    assert!(
        matches!(&silent[..], [one] if one.contains(&nodes.id(1)) && one.contains("was not shut down")),
        "{silent:?}"
    );
}

/// The one with the smallest id makes the backups of all, of those that make any.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_says_whether_it_makes_backups() {
    let Some(mut nodes) = Nodes::new(2).await else { return };
    nodes.programs[0] = nodes.programs[0].clone().env("MAJORDOMO_BACKUP_EVERY", "never");
    let _running = nodes.serve_all().await;
    let said =
        |place: usize| nodes.ask(&format!("SELECT backs_up FROM nodes WHERE id = '{}'", nodes.id(place)));
    assert_eq!((said(0), said(1)), ("0".to_owned(), "1".to_owned()));
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
