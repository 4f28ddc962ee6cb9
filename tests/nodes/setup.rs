//! The first minute of a house with two nodes: each shows a link, and either opens it.

use serde_json::json;
use std::{fs, path::Path, time::Duration};
use testkit::{model::ModelServer, postgres::Cluster, program::Program};

const LOOK_EVERY: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(60);

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, waiting).await.is_ok(), "{what}");
}

fn link(data: &Path) -> String {
    let link = fs::read_to_string(data.join("setup-link")).unwrap();
    link.trim().split_once('#').unwrap().1.to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn any_node_opens_the_link_that_another_shows() {
    let Some(cluster) = Cluster::shared().unwrap() else { return };
    let (database, folder) = (cluster.database().unwrap(), tempfile::tempdir().unwrap());
    let model = ModelServer::start().await;
    let program = |place: &str| {
        Program::new(env!("CARGO_BIN_EXE_majordomo-under-test"), folder.path().join(place))
            .model(&model.url())
            .env("MAJORDOMO_LOG", "error")
            .env("MAJORDOMO_STORE_URL", &database)
    };
    let (first, second) = (program("first"), program("second"));
    let one = first.serve().await.unwrap();
    fs::create_dir(second.data()).unwrap();
    fs::copy(first.data().join("master.key"), second.data().join("master.key")).unwrap();
    let two = second.serve().await.unwrap();
    let (shown, also_shown) = (link(first.data()), link(second.data()));
    assert_ne!(shown, also_shown);
    let body = |token: &str| json!({ "token": token, "name": "Ada", "password": "correct horse" });
    let (one, two) = (one.client(""), two.client(""));
    assert_eq!(two.post("/v1/setup", &body("another")).await.unwrap().status, 401);
    two.post("/v1/setup", &body(&shown)).await.unwrap().expect(201);
    for (node, token) in [(&one, &shown), (&one, &also_shown), (&two, &also_shown)] {
        assert_eq!(node.post("/v1/setup", &body(token)).await.unwrap().status, 409);
    }
    // The other node hears of it, and takes its link away.
    until("the links are still shown", || {
        [&first, &second].iter().all(|program| !program.data().join("setup-link").exists())
    })
    .await;
    assert_eq!(cluster.ask(&database, "SELECT COUNT(*) FROM setup_links").unwrap(), "0");
}
