//! A node that dies while it has much to do: the others take all of it, and nothing else is held up by that.
//!
//! `STORM` says how many turns each node has; `make soak-takeover` has a thousand.

use crate::several::Nodes;
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::{client::Client, model::Reply};
use tokio::{sync::Notify, task::JoinHandle};

const AT_ONCE: usize = 8;
const LOOK_EVERY: Duration = Duration::from_millis(50);

fn turns() -> usize {
    testkit::shorter_without(
        "STORM",
        "running turns of a node that dies or leaves: some, not 1,000",
        "make soak-takeover",
    );
    std::env::var("STORM").ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

/// The model answers nothing before it is let.
struct Held {
    open: Arc<AtomicBool>,
    gate: Arc<Notify>,
}

impl Held {
    fn new(nodes: &Nodes) -> Self {
        let (open, gate) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let (is_open, waits) = (open.clone(), gate.clone());
        nodes.model.respond(move |request| {
            let reply = Reply::text(format!("Heard {}", request.last_user()));
            if is_open.load(Ordering::SeqCst) { reply } else { reply.gate(waits.clone()) }
        });
        Self { open, gate }
    }

    /// Every request is answered, and those that come later, until the database says this.
    async fn open_until(&self, nodes: &Nodes, sql: &str, wanted: &str) {
        self.open.store(true, Ordering::SeqCst);
        let opening = async {
            loop {
                self.gate.notify_waiters();
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        tokio::select! {
            () = opening => {}
            () = nodes.until(sql, wanted) => {}
        }
    }
}

/// Begins so many turns, each in a session of its own.
async fn begin(client: &Client, agent: &str, name: &str) {
    let one = async |number: usize| {
        let created = client.post("/v1/sessions", &json!({ "agent_id": agent })).await.unwrap().expect(201);
        let (session, words) = (created["id"].as_str().unwrap().to_owned(), format!("{name} {number}"));
        loop {
            let sent = client.send_message(&session, &words, &json!({ "content": words })).await.unwrap();
            match sent.status {
                200 => return,
                // A full line refuses at once; what was refused comes again.
                429 | 503 => tokio::time::sleep(LOOK_EVERY).await,
                other => panic!("{words}: {other}"),
            }
        }
    };
    stream::iter(0..turns()).for_each_concurrent(AT_ONCE, one).await;
}

async fn agent(client: &Client) -> String {
    let made: Value =
        client.post("/v1/agents", &json!({ "name": "busy", "capabilities": [] })).await.unwrap().expect(201);
    made["id"].as_str().unwrap().to_owned()
}

/// Asks a node all the time whether it is ready; gives how often, and what else it said.
fn watch(client: Client, until: Arc<AtomicBool>) -> JoinHandle<(usize, Vec<u16>)> {
    tokio::spawn(async move {
        let (mut ready, mut other) = (0, Vec::new());
        while !until.load(Ordering::SeqCst) {
            match client.get("/readyz").await.unwrap().status {
                200 => ready += 1,
                status => other.push(status),
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        (ready, other)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_turns_of_a_dead_node_are_spread_and_no_healthy_one_is_touched() {
    let Some(nodes) = Nodes::new(3).await else { return };
    let held = Held::new(&nodes);
    let (first, second, third) = (nodes.serve(0).await, nodes.serve(1).await, nodes.serve(2).await);
    let (one, two) = (first.client(&nodes.key), second.client(&nodes.key));
    let agent = agent(&one).await;
    begin(&one, &agent, "left").await;
    begin(&two, &agent, "kept").await;
    nodes.model.wait_for(2 * turns()).await;
    // A node judges others when it has beaten for a while.
    nodes.beat_for(3, 4).await;
    let over = Arc::new(AtomicBool::new(false));
    let watched = [watch(two.clone(), over.clone()), watch(third.client(&nodes.key), over.clone())];
    let (a, b, c) = (nodes.id(0), nodes.id(1), nodes.id(2));
    first.kill().await.unwrap();
    nodes.until(&format!("SELECT COUNT(*) FROM turns WHERE owner = '{a}'"), "0").await;
    nodes.model.wait_for(3 * turns()).await;
    over.store(true, Ordering::SeqCst);
    for watched in watched {
        let (ready, other) = watched.await.unwrap();
        assert!(ready > 0 && other.is_empty(), "ready {ready} times, and {other:?}");
    }
    // What the second node had is as it was: nothing of it was taken, by itself or another.
    let kept =
        nodes.ask(&format!("SELECT COUNT(*) FROM turns WHERE attempt = 1 AND epoch = 1 AND owner = '{b}'"));
    assert_eq!(kept, turns().to_string());
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM turns WHERE attempt = 2"), turns().to_string());
    let taken = |node: &str| {
        let sql = format!("SELECT COUNT(*) FROM turns WHERE attempt = 2 AND owner = '{node}'");
        nodes.ask(&sql).parse::<usize>().unwrap()
    };
    let (by_second, by_third) = (taken(&b), taken(&c));
    println!("of {} turns {by_second} and {by_third} were taken over", turns());
    assert!(by_second.min(by_third) * 10 >= turns(), "{by_second} and {by_third} of {}", turns());
    let ended = format!("completed|{}", 2 * turns());
    held.open_until(&nodes, "SELECT outcome, COUNT(*) FROM turns GROUP BY outcome", &ended).await;
    // One request for each, and one more for each that was taken over.
    assert_eq!(nodes.model.request_count(), 3 * turns());
}

/// Locks every session until it is let go of: none of their turns can be taken up meanwhile.
struct LockedSessions {
    nodes: Arc<Nodes>,
    locking: JoinHandle<()>,
}

impl LockedSessions {
    async fn new(nodes: &Arc<Nodes>) -> Self {
        nodes.ask("CREATE TABLE let_go (yes INT)");
        let with = nodes.clone();
        let locking = tokio::task::spawn_blocking(move || {
            with.ask(
                "SELECT id FROM sessions FOR UPDATE; \
                 DO $$ BEGIN WHILE NOT EXISTS (SELECT 1 FROM let_go) LOOP PERFORM pg_sleep(0.05); END LOOP; END $$",
            );
        });
        nodes.until("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", "1").await;
        Self { nodes: nodes.clone(), locking }
    }

    async fn let_go(self) {
        self.nodes.ask("INSERT INTO let_go VALUES (1)");
        self.locking.await.unwrap();
    }
}

/// Nothing that it left can be taken up before it is ready: if its start waited for that, it would never say that it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_starts_with_many_orphans_is_ready_at_once() {
    let Some(nodes) = Nodes::new(1).await else { return };
    let held = Held::new(&nodes);
    let first = nodes.serve(0).await;
    let client = first.client(&nodes.key);
    begin(&client, &agent(&client).await, "left").await;
    nodes.model.wait_for(turns()).await;
    first.kill().await.unwrap();
    let nodes = Arc::new(nodes);
    let locked = LockedSessions::new(&nodes).await;
    let again = nodes.serve(0).await;
    // Its first answer, and another one to a person.
    let client = again.client(&nodes.key);
    assert_eq!(client.get("/readyz").await.unwrap().status, 200);
    client.get("/v1/me").await.unwrap().expect(200);
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM turns WHERE attempt = 2"), "0", "the control");
    locked.let_go().await;
    nodes.model.wait_for(2 * turns()).await;
    let ended = format!("2|completed|{}", turns());
    held.open_until(&nodes, "SELECT attempt, outcome, COUNT(*) FROM turns GROUP BY attempt, outcome", &ended)
        .await;
}
