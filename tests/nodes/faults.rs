//! What happens to PostgreSQL while two nodes work on it: it fails over to another server, has no connections left, is slow, says nothing
//! for longer than a lease. New work is refused and told when to come back, nothing that was acknowledged is lost, and everything
//! goes on by itself.

use crate::{
    beside,
    checker::{self, Acknowledged},
    sending::{Sent, after, send},
    several::Nodes,
    world::{self, World},
};
use serde_json::json;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use testkit::{
    client::Client,
    model::{Recorded, Reply},
    postgres::{Cluster, Wire},
    program::Running,
};
use tokio::{sync::Notify, time::sleep};

/// A server that is cut off says nothing for longer than a lease and all that is added to it.
const CUT_OFF: Duration = Duration::from_secs(25);

fn words() -> Vec<String> {
    (0..20).map(|word| format!("word{word} ")).collect()
}

/// The first time it is asked, the reply is held behind its first words until the database is gone.
fn reply(request: &Recorded, held: &Arc<Notify>) -> Reply {
    let said = request.last_user();
    match request.results_since_user().len() {
        0 if said.starts_with("held") => Reply::pieces(words())
            .gate_after_pieces(3, held.clone())
            .then_calls([("count_effect", json!({ "tag": said }))]),
        _ => Reply::text("done"),
    }
}

/// Two nodes, in each of which a reply is being written.
struct Pair {
    world: World,
    running: Vec<Running>,
    clients: Vec<Client>,
    agent: String,
    sessions: Vec<String>,
    acknowledged: Vec<Acknowledged>,
    held: Arc<Notify>,
}

impl Pair {
    async fn new(url: &str) -> Self {
        let world = World::with_store(url).await;
        let held = Arc::new(Notify::new());
        let gate = held.clone();
        world.model.respond(move |request| reply(request, &gate));
        let mut running = Vec::new();
        for program in beside::programs(&world, 2, "") {
            running.push(program.serve().await.unwrap());
        }
        let clients: Vec<Client> = running.iter().map(|node| node.client(&world.key)).collect();
        let agent = world::worker(&clients[0]).await;
        Self { world, running, clients, agent, sessions: Vec::new(), acknowledged: Vec::new(), held }
    }

    async fn session(&mut self) -> String {
        let session = world::new_session(&self.clients[0], &self.agent).await;
        self.sessions.push(session.clone());
        session
    }

    /// A reply at each node, of which the first words were said.
    async fn begin(&mut self) {
        for node in 0..2 {
            let session = self.session().await;
            let mut stream = self.clients[node].follow(&session, Some("0")).await.unwrap();
            let text = format!("held-{node}");
            let Sent::Acknowledged(sent) = send(&self.clients[node], &session, &text, &text).await else {
                panic!("refused before anything happened")
            };
            self.acknowledged.push(sent);
            while stream.next().await.unwrap().unwrap().event != "text" {}
        }
    }

    fn go_on(&self) {
        self.held.notify_waiters();
    }

    /// Each node refuses new work, and says when to come back. What it took before it knew is done.
    async fn is_refused(&mut self) {
        for node in 0..2 {
            let begun = Instant::now();
            for number in 0.. {
                let text = format!("during {number} at {node}");
                match send(&self.clients[node], &self.sessions[node], &text, &text).await {
                    Sent::Acknowledged(sent) => self.acknowledged.push(sent),
                    Sent::Refused { code, .. } if code == "queue_full" => {}
                    Sent::Refused { status, retry_after, code } => {
                        assert_eq!((status, code.as_str()), (503, "unavailable"));
                        assert!(retry_after.is_some(), "it does not say when to come back");
                        break;
                    }
                }
                assert!(begun.elapsed() < Duration::from_secs(60), "node {node} never refuses");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Each node tells a proxy that it cannot work.
    async fn is_not_ready(&self) {
        for client in &self.clients {
            let begun = Instant::now();
            while client.get("/readyz").await.unwrap().status != 503 {
                assert!(begun.elapsed() < Duration::from_secs(30), "it says that it is ready");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }

    /// Each node works again by itself, and everything that was acknowledged comes to its end.
    async fn recovers(mut self) {
        for node in 0..2 {
            let text = format!("after at {node}");
            self.acknowledged.push(after(&self.clients[node], &self.sessions[node], &text).await);
        }
        // A reply that had to begin again is held again.
        let held = self.held.clone();
        let releasing = tokio::spawn(async move {
            loop {
                held.notify_waiters();
                sleep(Duration::from_millis(100)).await;
            }
        });
        for session in &self.sessions {
            world::quiet(&self.clients[1], session).await;
        }
        releasing.abort();
        let report = checker::check(&self.world, &self.clients[0], &self.sessions, &self.acknowledged).await;
        assert!(report.outcomes.keys().all(|outcome| outcome == "completed"), "{report:?}");
        assert!(report.effects + report.unknown >= 2, "{report:?}");
        println!("{report:?}");
        for node in self.running {
            assert_eq!(node.terminate().await.unwrap(), Some(0));
        }
    }
}

/// The primary dies, and the name leads to its standby, which is only read until it is promoted.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_takes_the_primarys_place() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let mut pair = Pair::new(&cluster.named_database().unwrap()).await;
    cluster.follow().unwrap();
    pair.begin().await;
    cluster.stop_at_once().unwrap();
    pair.go_on();
    pair.is_refused().await;
    pair.is_not_ready().await;
    cluster.switch_name().unwrap();
    // What is stored can be read before anything can be written.
    let path = format!("/v1/sessions/{}/messages", pair.sessions[0]);
    let begun = Instant::now();
    while pair.clients[1].get(&path).await.unwrap().status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the standby is not read");
        sleep(Duration::from_millis(100)).await;
    }
    pair.is_refused().await;
    pair.is_not_ready().await;
    cluster.promote().unwrap();
    pair.recovers().await;
}

/// PostgreSQL is restarted under both nodes in the middle of their replies.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_restarted_is_endured() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let mut pair = Pair::new(&cluster.database().unwrap()).await;
    pair.begin().await;
    cluster.stop_at_once().unwrap();
    pair.go_on();
    pair.is_refused().await;
    pair.is_not_ready().await;
    cluster.start_again().unwrap();
    pair.recovers().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_connections_is_endured() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let url = cluster.database_of_role().unwrap();
    let mut pair = Pair::new(&url).await;
    pair.begin().await;
    cluster.limit_connections(&url, Some(0)).unwrap();
    pair.go_on();
    pair.is_refused().await;
    cluster.limit_connections(&url, None).unwrap();
    pair.recovers().await;
}

/// Every node lets go of its turns, because another one may have them: none is lost, and none is done twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_says_nothing_for_longer_than_a_lease_is_endured() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let mut pair = Pair::new(&cluster.database().unwrap()).await;
    pair.begin().await;
    let hanging = cluster.hang().unwrap();
    let begun = Instant::now();
    pair.is_refused().await;
    pair.is_not_ready().await;
    sleep(CUT_OFF.saturating_sub(begun.elapsed())).await;
    drop(hanging);
    pair.recovers().await;
}

/// A slow server makes everything slow, and takes no turn from its node.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_server_is_endured() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let url = cluster.database().unwrap();
    let cluster = Arc::new(cluster);
    let mut pair = Pair::new(&url).await;
    pair.begin().await;
    let (slowed, until) = (cluster.clone(), Instant::now() + Duration::from_secs(12));
    let slow = tokio::task::spawn_blocking(move || {
        while Instant::now() < until {
            let hanging = slowed.hang().unwrap();
            std::thread::sleep(Duration::from_millis(300));
            drop(hanging);
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    for node in 0..2 {
        let session = pair.session().await;
        let text = format!("meanwhile at {node}");
        pair.acknowledged.push(after(&pair.clients[node], &session, &text).await);
    }
    slow.await.unwrap();
    assert_eq!(cluster.ask(&url, "SELECT MAX(attempt) FROM turns").unwrap(), "1", "a turn was taken over");
    pair.recovers().await;
}

/// Each way takes 300 milliseconds, so that a node speaks of itself once in two seconds at best: it is as alive as others.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_far_away_is_endured() {
    let Some(cluster) = Cluster::start_durable().unwrap() else { return };
    let url = cluster.database().unwrap();
    let wire = Wire::to(&cluster, &url).await.unwrap();
    let mut pair = Pair::new(&wire.url).await;
    pair.begin().await;
    wire.slow_down(Duration::from_millis(300));
    // For longer than a node without a beat keeps its turns.
    let began = cluster.ask(&url, "SELECT MAX(seen_at) FROM nodes").unwrap();
    let beat = format!("SELECT COUNT(*) FROM nodes WHERE seen_at > {began} + 16000");
    let begun = Instant::now();
    while cluster.ask(&url, &beat).unwrap() != "2" {
        assert!(begun.elapsed() < Duration::from_secs(90), "a node does not beat");
        sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(cluster.ask(&url, "SELECT MAX(attempt) FROM turns").unwrap(), "1", "a turn was let go of");
    wire.slow_down(Duration::ZERO);
    pair.go_on();
    pair.recovers().await;
}

/// A node stands still in the middle of a transaction that has locked a session: the server ends it, and another node takes over.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_stands_still_holds_no_locks() {
    let Some(nodes) = Nodes::new(2).await else { return };
    let (first, second) = (nodes.serve(0).await, nodes.serve(1).await);
    let held = Arc::new(Notify::new());
    nodes.model.script(Reply::text("Never stored.").gate(held.clone()));
    let session = nodes.begin(&first.client(&nodes.key), "Who answers?").await;
    nodes.model.wait_for(1).await;
    nodes.model.script(Reply::text("I took over."));
    // While the row of the session is locked, the node waits for it in its transaction; it has the lock when it stands still.
    let nodes = Arc::new(nodes);
    let locking = nodes.clone();
    let lock = tokio::task::spawn_blocking(move || {
        locking.ask("SELECT id FROM sessions FOR UPDATE; SELECT pg_sleep(3)");
    });
    let sleeps =
        "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    nodes.until(sleeps, "1").await;
    held.notify_one();
    let waits = "SELECT COUNT(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'majordomo'";
    nodes.until(waits, "t").await;
    first.signal("STOP").await.unwrap();
    lock.await.unwrap();
    nodes.until("SELECT attempt, outcome FROM turns", "2|completed").await;
    let client = second.client(&nodes.key);
    assert_eq!(crate::several::said(&client, &session).await, ["Who answers?", "I took over."]);
    first.signal("CONT").await.unwrap();
    // It is a node as before.
    nodes.beat_for(2, 3).await;
    let state = first.client(&nodes.key).get(&format!("/v1/sessions/{session}")).await.unwrap().expect(200);
    assert_eq!(state["status"], "idle");
}
