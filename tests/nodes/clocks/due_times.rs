//! What is due at many times, while the servers are killed and their clocks jump by a day: each due time ends in exactly one run, with one
//! turn, and nothing runs that was not planned.
//!
//! `DUE_TIMES` says how many; `make soak-time` has ten thousand.

use crate::{
    beside, checker, ground,
    several::{LEASE, faketime},
    world::{self, World},
};
use domain::Timestamp;
use futures_util::{StreamExt as _, stream};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::{Duration, Instant},
};
use store::{Store, Tx};
use testkit::{
    client::Client,
    model::Reply,
    postgres::Cluster,
    program::{Program, Running},
};
use tokio::time::{sleep, timeout};

/// So many are planned before they come, and looked at afterwards.
const SEASON: usize = 250;
/// The shortest plan is fired within about this.
const SPREAD_MS: i64 = 4_000;
const AT_ONCE: usize = 8;
/// A server that is killed again and again has so long for a season.
const PATIENCE: Duration = Duration::from_secs(240);
/// An answer that takes this long is not coming: the server was killed.
const ANSWER: Duration = Duration::from_secs(5);
const STEPS: [&str; 3] = ["+0", "+86400s", "-86400s"];

fn due_times() -> usize {
    testkit::shorter_without("DUE_TIMES", "due times beside kills: some, not 10,000", "make soak-time");
    std::env::var("DUE_TIMES").ok().and_then(|count| count.parse().ok()).unwrap_or(40)
}

/// The servers of one house, and what they are to do.
struct Times {
    world: World,
    programs: Vec<Program>,
    running: Vec<Option<Running>>,
    agent: String,
    /// Each schedule with the moment for which it was made.
    plan: BTreeMap<String, i64>,
    random: StdRng,
    kills: usize,
}

impl Times {
    async fn new(world: World, servers: usize) -> Self {
        world.model.respond(|_| Reply::text("Done."));
        let programs = match servers {
            1 => vec![world.program.clone()],
            many => beside::programs(&world, many, ""),
        };
        let set = |program: Program| {
            program.env("MAJORDOMO_LIMITS_LEASE", LEASE).env("MAJORDOMO_SCHEDULES_AT_ONCE", "50")
        };
        let programs =
            programs.into_iter().map(|one| set(one).env("MAJORDOMO_SCHEDULES_PER_PERSON", "10000"));
        let seed = rand::random();
        println!("seed {seed}");
        let mut times = Self {
            world,
            programs: programs.collect(),
            running: (0..servers).map(|_| None).collect(),
            agent: String::new(),
            plan: BTreeMap::new(),
            random: StdRng::seed_from_u64(seed),
            kills: 0,
        };
        times.serve_all().await;
        times.agent = world::agent(&times.client(0), json!({ "name": "punctual", "capabilities": [] })).await;
        times
    }

    async fn serve_all(&mut self) {
        for server in 0..self.programs.len() {
            self.running[server] = Some(self.programs[server].serve().await.unwrap());
        }
    }

    fn client(&self, server: usize) -> Client {
        self.running[server].as_ref().unwrap().client(&self.world.key)
    }

    /// Makes so many that are due within the next seconds; some of them are due at the same moment.
    async fn make(&mut self, count: usize) {
        let (client, agent) = (self.client(0), self.agent.clone());
        let now = Timestamp::from_millis(now_ms());
        let moments: Vec<i64> = (0..count)
            .map(|_| now.as_millis() + self.random.random_range(0..=SPREAD_MS) / 500 * 500 + 1_000)
            .collect();
        let make = async |at: i64| {
            let when = json!({ "kind": "once", "at": Timestamp::from_millis(at).to_string() });
            let new = json!({ "when": when, "note": "Look.", "place": "fresh", "agent_id": agent, "missed": "one" });
            let made = client.post("/v1/schedules", &new).await.unwrap().expect(201);
            (made["id"].as_str().unwrap().to_owned(), at)
        };
        let made: Vec<_> = stream::iter(moments).map(make).buffer_unordered(AT_ONCE).collect().await;
        self.plan.extend(made);
    }

    /// Kills one of them, as if its power went, and starts it again, perhaps with another time on its clock.
    async fn strike(&mut self) {
        let server = self.random.random_range(0..self.programs.len());
        sleep(Duration::from_millis(self.random.random_range(0..1_500))).await;
        self.running[server].take().unwrap().kill().await.unwrap();
        self.kills += 1;
        let step = STEPS[self.random.random_range(0..STEPS.len())];
        if let Some(library) = faketime() {
            let program = self.programs[server].clone().env("LD_PRELOAD", library.to_string_lossy());
            let program = program.env("FAKETIME", step).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            self.programs[server] = program.env("DONT_FAKE_MONOTONIC", "1");
        }
        self.running[server] = Some(self.programs[server].serve().await.unwrap());
    }

    /// Asks until each of these has an outcome; what a killed server does not answer is asked again.
    async fn until_settled(&mut self, strikes: usize) {
        let (begun, mut left) = (Instant::now(), strikes);
        let mut open: BTreeSet<String> = self.plan.keys().cloned().collect();
        while !open.is_empty() {
            assert!(begun.elapsed() < PATIENCE, "{} are without an outcome: {:?}", open.len(), open.first());
            if left > 0 {
                left -= 1;
                self.strike().await;
            }
            let server = self.random.random_range(0..self.programs.len());
            let client = self.client(server);
            let asked: Vec<String> = open.iter().take(50).cloned().collect();
            let is_settled = async |id: String| {
                let path = format!("/v1/schedules/{id}/runs");
                let Ok(Ok(answer)) = timeout(ANSWER, client.get(&path)).await else { return None };
                (answer.status == 200 && answer.expect(200)["items"][0]["ended_at"].is_string()).then_some(id)
            };
            let settled: Vec<_> =
                stream::iter(asked).map(is_settled).buffer_unordered(AT_ONCE).collect().await;
            let before = open.len();
            for id in settled.into_iter().flatten() {
                open.remove(&id);
            }
            if open.len() == before {
                sleep(Duration::from_millis(100)).await;
            }
        }
    }

    /// What the database holds is the plan, once and whole.
    async fn check(&mut self) {
        for server in &mut self.running {
            assert_eq!(server.take().unwrap().terminate().await.unwrap(), Some(0));
        }
        ground::check(&self.world).await;
        let store = Store::open(&self.world.store, ground::keys(&self.world)).await.unwrap();
        let every = "SELECT schedule_id || ' ' || due_at || ' ' || outcome FROM schedule_runs";
        let mut found: Vec<String> = store.read(move |tx: &mut Tx| tx.all(every, vec![])).await.unwrap();
        let mut wanted: Vec<String> =
            self.plan.iter().map(|(id, at)| format!("{id} {at} completed")).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "what ran is not what was planned");
        let mut counts = Vec::new();
        for sql in [
            "SELECT COUNT(*) FROM turns",
            "SELECT COUNT(*) FROM turns WHERE outcome = 'completed'",
            "SELECT COUNT(*) FROM sessions",
            "SELECT COUNT(DISTINCT turn_id) FROM schedule_runs",
            "SELECT COUNT(DISTINCT session_id) FROM schedule_runs",
        ] {
            counts.push(store.read(move |tx: &mut Tx| tx.one::<u64>(sql, vec![])).await.unwrap());
        }
        let planned = self.plan.len() as u64;
        assert_eq!(
            counts, [planned; 5],
            "turns, those that ended well, conversations, and both as the runs name them"
        );
        store.close().await;
        self.world.model.assert_clean();
    }

    /// Some of the conversations say it: one message, one reply.
    async fn look_in(&self) {
        let client = self.client(0);
        for id in self.plan.keys().take(5) {
            let runs = client.get(&format!("/v1/schedules/{id}/runs")).await.unwrap().expect(200);
            let session = runs["items"][0]["session_id"].as_str().unwrap();
            let events = checker::log(&client, session).await;
            let count = |kind: &str| events.iter().filter(|event: &&Value| event["type"] == kind).count();
            assert_eq!(
                (count("user_message"), count("message_complete"), count("turn_ended")),
                (1, 1, 1),
                "{events:?}"
            );
        }
    }
}

/// By the machine's clock, which is the one of both databases here.
fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

async fn all_come_once(world: World, servers: usize) {
    let mut times = Times::new(world, servers).await;
    let mut left = due_times();
    while left > 0 {
        let season = left.min(SEASON);
        times.make(season).await;
        times.until_settled(3 + season / 50).await;
        times.check().await;
        left -= season;
        times.serve_all().await;
        println!("  {} due times, {} kills", times.plan.len(), times.kills);
    }
    times.look_in().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn due_times_come_once_at_two_nodes_that_are_killed() {
    let Some(cluster) = Cluster::shared().unwrap() else { return };
    all_come_once(World::with_store(&cluster.database().unwrap()).await, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn due_times_come_once_at_one_server_whose_clock_jumps() {
    all_come_once(World::new(world::Backend::Sqlite).await.unwrap(), 1).await;
}
