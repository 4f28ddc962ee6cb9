//! Three nodes that die, stand still and are restarted, again and again, while people talk to all of them and readers go from one to the
//! next: nothing is lost, doubled or reordered, and a session never has two turns.
//!
//! `make soak-nodes` does it a hundred times; the normal run ten times.

mod anywhere;
mod everything;
mod reader;
mod season;
mod talkers;

use crate::{
    beside::{self, name},
    ground,
    world::World,
};
use anywhere::Addresses;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::{
    fs,
    time::{Duration, Instant},
};
use testkit::{
    postgres::Cluster,
    program::{Program, Running},
};
use tokio::time::sleep;

const NODES: usize = 3;
/// As [`LEASE`](crate::several::LEASE) says.
const LEASE_TIME: Duration = Duration::from_secs(8);
/// After so many faults everything comes to rest and is looked at, and people begin new conversations.
const SEASON: usize = 10;
/// A node that stood still has so long to notice that its turns are another's. It takes less than a second on a machine that has
/// nothing else to do.
const HANGS_UP_WITHIN: Duration = Duration::from_secs(5);
/// One micro-USD for a token that the model reads, ten for one that it writes.
const PRICE: &str = "[provider.test]\nprice = { input = 1_000_000, output = 10_000_000 }\n";

/// What happens to a node.
#[derive(Clone, Copy, Debug)]
enum Blow {
    /// kill -9, and a start right behind it.
    KilledAndStarted,
    /// kill -9, and its turns are another's before it is started again.
    Killed,
    /// It stands still for longer than its lease, and goes on.
    Stopped,
    /// As before, and another node is killed meanwhile.
    StoppedBesideADeadOne,
    /// SIGTERM, and a start.
    Restarted,
}

const BLOWS: [Blow; 5] =
    [Blow::KilledAndStarted, Blow::Killed, Blow::Stopped, Blow::StoppedBesideADeadOne, Blow::Restarted];

/// The nodes, and what has happened to them.
struct Town {
    world: World,
    cluster: &'static Cluster,
    programs: Vec<Program>,
    running: Vec<Option<Running>>,
    addresses: Addresses,
    random: StdRng,
    slowest_takeover: Duration,
    takeovers: usize,
}

impl Town {
    async fn new(seed: u64) -> Option<Self> {
        let cluster = Cluster::shared().unwrap()?;
        let world = World::with_store(&cluster.database().unwrap()).await;
        world.model.one_at_a_time_by(season::conversation);
        let programs = beside::programs(&world, NODES, PRICE);
        let mut town = Self {
            world,
            cluster,
            programs,
            running: (0..NODES).map(|_| None).collect(),
            addresses: Addresses::default(),
            random: StdRng::seed_from_u64(seed),
            slowest_takeover: Duration::ZERO,
            takeovers: 0,
        };
        for node in 0..NODES {
            town.start(node).await;
        }
        Some(town)
    }

    async fn start(&mut self, node: usize) {
        let running = self.programs[node].serve().await.unwrap();
        self.addresses.set(node, &running.base);
        self.running[node] = Some(running);
    }

    async fn kill(&mut self, node: usize) {
        self.running[node].take().unwrap().kill().await.unwrap();
    }

    async fn signal(&self, node: usize, signal: &str) {
        self.running[node].as_ref().unwrap().signal(signal).await.unwrap();
    }

    fn ask(&self, sql: &str) -> String {
        self.cluster.ask(&self.world.store, sql).unwrap()
    }

    fn id(&self, node: usize) -> String {
        let file = fs::read_to_string(self.programs[node].data().join("node")).unwrap();
        file.lines().next().unwrap().to_owned()
    }

    /// One blow, from which every node has recovered at its end.
    async fn strike(&mut self) {
        sleep(Duration::from_millis(self.random.random_range(200..3_000))).await;
        let blow = BLOWS[self.random.random_range(0..BLOWS.len())];
        let node = self.random.random_range(0..NODES);
        println!("  {} is to be {blow:?}", name(node));
        match blow {
            Blow::KilledAndStarted => {
                self.kill(node).await;
                self.start(node).await;
            }
            Blow::Killed => {
                self.kill(node).await;
                self.until_taken_over(node, Instant::now()).await;
                self.start(node).await;
            }
            Blow::Stopped => self.stop_for_a_while(node, None).await,
            Blow::StoppedBesideADeadOne => {
                let other = (node + self.random.random_range(1..NODES)) % NODES;
                self.stop_for_a_while(node, Some(other)).await;
            }
            Blow::Restarted => {
                let ended = self.running[node].take().unwrap().terminate().await.unwrap();
                assert_eq!(ended, Some(0), "{} did not end in good order", name(node));
                self.start(node).await;
            }
        }
    }

    async fn stop_for_a_while(&mut self, node: usize, killed_meanwhile: Option<usize>) {
        self.world.model.falls_asleep(&name(node));
        self.signal(node, "STOP").await;
        let begun = Instant::now();
        if let Some(other) = killed_meanwhile {
            self.kill(other).await;
            self.start(other).await;
        }
        self.until_taken_over(node, begun).await;
        sleep((LEASE_TIME * 3 / 2).saturating_sub(begun.elapsed())).await;
        self.signal(node, "CONT").await;
        self.world.model.wakes_up(&name(node), HANGS_UP_WITHIN).await;
    }

    /// A node does nothing any more: within two leases others work on what it worked on.
    async fn until_taken_over(&mut self, node: usize, since: Instant) {
        let left =
            format!("SELECT COUNT(*) FROM turns WHERE status = 'running' AND owner = '{}'", self.id(node));
        let mut found = 0;
        loop {
            let count: usize = self.ask(&left).parse().unwrap();
            found = found.max(count);
            if count == 0 {
                break;
            }
            let waited = since.elapsed();
            let problem = || {
                self.ask("SELECT t.id, t.owner, t.epoch, s.active_turn FROM turns t JOIN sessions s ON s.id = t.session_id WHERE t.status = 'running'; SELECT pid, state, wait_event_type, left(query, 100), NOW() - state_change FROM pg_stat_activity WHERE state <> 'idle'")
            };
            assert!(
                waited <= LEASE_TIME * 2,
                "{count} turns of {} wait for {waited:?}: {}",
                name(node),
                problem()
            );
            sleep(Duration::from_millis(100)).await;
        }
        if found > 0 {
            self.takeovers += found;
            self.slowest_takeover = self.slowest_takeover.max(since.elapsed());
        }
    }

    /// Every node ends in good order and leaves nothing behind.
    async fn end(&mut self) {
        for node in 0..NODES {
            let ended = self.running[node].take().unwrap().terminate().await.unwrap();
            assert_eq!(ended, Some(0), "{} did not end in good order", name(node));
            ground::check_nothing_left(self.programs[node].data());
        }
        assert_eq!(self.ask("SELECT COUNT(*) FROM nodes"), "0", "a node that is gone is still listed");
    }
}

fn from_environment<T: std::str::FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok().and_then(|value| value.parse().ok())
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_die_and_stand_still_while_people_talk() {
    testkit::shorter_without(
        "NODE_FAULTS",
        "faults of three nodes while people talk: ten, not 100",
        "make soak-nodes",
    );
    let blows = from_environment("NODE_FAULTS").unwrap_or(10);
    let seed = from_environment("NODE_SEED").unwrap_or_else(rand::random);
    println!("nodes: {blows} faults, replay with NODE_SEED={seed}");
    let Some(mut town) = Town::new(seed).await else { return };
    let mut left = blows;
    let mut number = 0;
    while left > 0 {
        let now = left.min(SEASON);
        season::live_through(&mut town, number, now).await;
        left -= now;
        number += 1;
    }
    town.end().await;
    println!(
        "{blows} faults, {} turns taken over, the slowest in {:?} (a lease is {LEASE_TIME:?})",
        town.takeovers, town.slowest_takeover
    );
}
