//! Whether it is ready is known at once and truly, also when the database is away or its disk is full.

use crate::support::{House, Options};
use std::time::Duration;
use store::{Health, Tx};
use testkit::postgres::Cluster;

/// A server that has not changed its mind after so many looks will not.
const LOOKS: u32 = 3_000;

async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    for _ in 0..LOOKS {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what}: not after {LOOKS} looks");
}

async fn until_ready(house: &House, status: u16) {
    let is_so = async || house.anonymous("GET", "/readyz").send().await.status == status;
    until(&format!("/readyz says {status}"), is_so).await;
}

/// As many as the store has for people.
const CONNECTIONS: usize = 16;

/// More than anything here takes, and less than fifty requests that wait for a database take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A house with a PostgreSQL of its own.
async fn house() -> Option<(Cluster, House)> {
    let start = || Cluster::start_durable().unwrap();
    let cluster = tokio::task::spawn_blocking(start).await.unwrap()?;
    let url = cluster.database().unwrap();
    let house = House::with(Options { url: Some(url), ..Options::default() }).await;
    until_ready(&house, 200).await;
    Some((cluster, house))
}

async fn nobody_waits(house: &House) {
    let away = async {
        until_ready(house, 503).await;
        for _ in 0..25 {
            let answer = house.call("GET", "/v1/me").send().await;
            assert_eq!(answer.header("retry-after"), "2");
            answer.refused(503, "unavailable");
            let answer = house.anonymous("GET", "/readyz").send().await;
            assert_eq!(answer.refused(503, "unavailable"), "The database does not answer.");
            house.anonymous("GET", "/healthz").send().await.expect(200);
        }
    };
    tokio::time::timeout(PATIENCE, away).await.expect("nobody waits for it");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_database_that_is_away() {
    let Some((cluster, house)) = house().await else { return };
    cluster.stop_at_once().unwrap();
    nobody_waits(&house).await;
    until("the store is away", async || house.engine.store().health().await == Health::Away).await;
    cluster.start_again().unwrap();
    until_ready(&house, 200).await;
    house.call("GET", "/v1/me").send().await.expect(200);
}

/// It takes connections, and answers nothing: whoever waited for it would wait for ever.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_database_that_hangs() {
    let Some((cluster, house)) = house().await else { return };
    let hanging = cluster.hang().unwrap();
    nobody_waits(&house).await;
    drop(hanging);
    until_ready(&house, 200).await;
    house.call("GET", "/v1/me").send().await.expect(200);
}

/// As after a failover: what is stored is read, new work is told to come back, and all goes on by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_takes_no_changes_is_read_and_not_ready() {
    let Some((cluster, house)) = house().await else { return };
    let agent = |name: &str| house.call("POST", "/v1/agents").json(&serde_json::json!({ "name": name }));
    cluster.read_only(true).unwrap();
    // Whether it is known yet or not, nothing is a failure of the server.
    for number in 0..3 {
        let answer = agent(&format!("refused {number}")).send().await;
        assert_eq!(answer.header("retry-after"), "2");
        answer.refused(503, "unavailable");
    }
    until_ready(&house, 503).await;
    let answer = house.anonymous("GET", "/readyz").send().await;
    assert_eq!(answer.header("retry-after"), "2");
    let detail = answer.refused(503, "unavailable");
    assert!(detail.starts_with("The database can only be read"), "{detail}");
    let answer = agent("refused").send().await;
    assert_eq!(answer.header("retry-after"), "2");
    let detail = answer.refused(503, "unavailable");
    assert!(detail.starts_with("The database can only be read"), "{detail}");
    house.call("GET", "/v1/me").send().await.expect(200);
    cluster.read_only(false).unwrap();
    until_ready(&house, 200).await;
    agent("after").send().await.expect(201);
}

/// Connections that people hold for long say nothing of the server, and readiness does not wait for one of them.
#[tokio::test(flavor = "multi_thread")]
async fn no_free_connection_is_no_reason_to_be_unready() {
    let Some((_cluster, house)) = house().await else { return };
    let (release, held) = tokio::sync::watch::channel(false);
    let (tell, mut told) = tokio::sync::mpsc::channel(CONNECTIONS);
    let mut holding = Vec::new();
    for _ in 0..CONNECTIONS {
        let (store, held, tell) = (house.engine.store().clone(), held.clone(), tell.clone());
        let runtime = tokio::runtime::Handle::current();
        holding.push(tokio::spawn(async move {
            let hold = move |tx: &mut Tx| {
                let one: u64 = tx.one("SELECT COUNT(*) FROM users", Vec::new())?;
                let _ = tell.try_send(one);
                let mut held = held;
                let _ = runtime.block_on(held.wait_for(|over| *over));
                Ok(())
            };
            store.read(hold).await
        }));
    }
    for _ in 0..CONNECTIONS {
        told.recv().await.unwrap();
    }
    house.anonymous("GET", "/readyz").send().await.expect(200);
    // Who needs one is told to come back.
    let answer = house.call("GET", "/v1/me").send().await;
    assert_eq!(answer.header("retry-after"), "2");
    answer.refused(503, "unavailable");
    release.send(true).unwrap();
    for holding in holding {
        holding.await.unwrap().unwrap();
    }
    house.call("GET", "/v1/me").send().await.expect(200);
}

#[tokio::test]
async fn a_full_disk_is_not_ready() {
    let house = House::new().await;
    until_ready(&house, 200).await;
    // The database may not grow any more, which is what a full disk is to it.
    let pages = move |tx: &mut Tx| tx.one::<u64>("PRAGMA max_page_count = 1", Vec::new());
    house.engine.store().write(pages).await.unwrap();
    let long = serde_json::json!({ "name": "long", "system_prompt": "x".repeat(500 << 10) });
    house.call("POST", "/v1/agents").json(&long).send().await.refused(507, "disk_full");
    let answer = house.anonymous("GET", "/readyz").send().await;
    assert_eq!(answer.header("retry-after"), "2");
    let detail = answer.refused(503, "unavailable");
    assert!(detail.starts_with("The disk of the server is full"), "{detail}");
    house.call("GET", "/v1/me").send().await.expect(200);
    let pages = move |tx: &mut Tx| tx.one::<u64>("PRAGMA max_page_count = 1000000", Vec::new());
    house.engine.store().write(pages).await.unwrap();
    house.call("POST", "/v1/agents").json(&long).send().await.expect(201);
    house.anonymous("GET", "/readyz").send().await.expect(200);
}
