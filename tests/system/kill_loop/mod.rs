//! kill -9, again and again, while people talk: nothing lost, nothing doubled.

mod money;

use crate::{
    checker::{self, Acknowledged},
    follower, ground,
    script::{INLINE, KINDS, reply},
    world::{self, Backend, World},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use testkit::{
    client::{Client, SseStream},
    counting,
};
use tokio::{sync::watch, time::sleep};

const SESSIONS: usize = 4;
/// Two people at once in each session, so that there is always a queue.
const TALKERS: usize = 2;

/// Sends one message after the other, each until it is acknowledged, whatever dies in between.
struct Talker {
    client: Client,
    session: String,
    name: String,
    base: watch::Receiver<String>,
    acknowledged: Arc<Mutex<Vec<Acknowledged>>>,
}

impl Talker {
    async fn talk(self, enough: Arc<AtomicBool>) {
        let mut number = 0;
        let mut left = KINDS;
        while left > 0 {
            // After the last kill each kind of reply comes once more: how much happened before is a matter of the machine.
            if enough.load(Ordering::SeqCst) {
                left -= 1;
            }
            let text = format!("{}-{number}", self.name);
            let mut stream = self.say(&text).await;
            // The first event names the turn; the rest is followed as long as the connection holds.
            while let Ok(Some(_)) = stream.next().await {}
            number += 1;
        }
    }

    async fn say(&self, text: &str) -> SseStream {
        loop {
            let address = self.base.borrow().clone();
            let client = self.client.at(&address);
            if let Ok(mut stream) =
                client.send_message(&self.session, text, &json!({ "content": text })).await
            {
                // The head of the answer is the acknowledgement; the stream may break right behind it.
                if stream.status == 200
                    && let Ok(Some(first)) = stream.next().await
                {
                    self.acknowledge(text, &first.data);
                    return stream;
                }
                assert!(matches!(stream.status, 200 | 429 | 503), "refused with {}", stream.status);
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    fn acknowledge(&self, text: &str, first: &Value) {
        assert_eq!(first["type"], "input_accepted");
        let turn = first["turn_id"].as_str().unwrap().to_owned();
        let acknowledged = Acknowledged { session: self.session.clone(), text: text.to_owned(), turn };
        self.acknowledged.lock().unwrap().push(acknowledged);
    }
}

/// How long the program is left alive at most: on a machine with much to do at least as long as one conversation takes, or
/// nothing would ever happen between two kills.
async fn longest_life(client: &Client, agent: &str) -> Duration {
    let session = world::new_session(client, agent).await;
    let begun = Instant::now();
    let alone = json!({ "content": "alone-1" });
    let mut stream = client.send_message(&session, "alone-1", &alone).await.unwrap();
    while let Ok(Some(_)) = stream.next().await {}
    begun.elapsed().max(Duration::from_millis(250))
}

async fn kill_loop(backend: Backend, kills: usize, seed: u64) {
    println!("kill loop: {backend:?}, {kills} kills, replay with KILL_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let Some(world) = World::new(backend).await else {
        return;
    };
    world.model.respond(|request| reply(request, Duration::from_millis(1)));
    let mut running = world.serve().await;
    let client = running.client(&world.key);
    let (address, base) = watch::channel(running.base.clone());
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let enough = Arc::new(AtomicBool::new(false));
    let mut sessions = Vec::new();
    let mut talkers = Vec::new();
    let mut followers = Vec::new();
    let agent = world::worker(&client).await;
    let (shortest, longest) = (Duration::from_millis(10), longest_life(&client, &agent).await);
    for index in 0..SESSIONS {
        let session = world::new_session(&client, &agent).await;
        let (finish, until) = watch::channel(None);
        let follow = follower::follow(client.clone(), session.clone(), base.clone(), until);
        followers.push((finish, tokio::spawn(follow)));
        for person in 0..TALKERS {
            let talker = Talker {
                client: client.clone(),
                session: session.clone(),
                name: format!("s{index}p{person}"),
                base: base.clone(),
                acknowledged: acknowledged.clone(),
            };
            talkers.push(tokio::spawn(talker.talk(enough.clone())));
        }
        sessions.push(session);
    }
    for _ in 0..kills {
        sleep(random.random_range(shortest..longest)).await;
        running.kill().await.unwrap();
        running = world.serve().await;
        address.send_replace(running.base.clone());
    }
    enough.store(true, Ordering::SeqCst);
    for talker in talkers {
        talker.await.unwrap();
    }
    let client = running.client(&world.key);
    let mut ends = Vec::new();
    for session in &sessions {
        ends.push(world::quiet(&client, session).await);
    }
    let acknowledged = acknowledged.lock().unwrap().clone();
    let report = checker::check(&world, &client, &sessions, &acknowledged).await;
    let mut resumed = 0;
    for ((finish, follower), (session, end)) in followers.into_iter().zip(sessions.iter().zip(ends)) {
        finish.send_replace(Some(end));
        let seen = tokio::time::timeout(Duration::from_secs(60), follower).await.unwrap().unwrap();
        let log = checker::log(&client, session).await;
        let data = |events: &[Value]| events.iter().map(|event| event["data"].clone()).collect::<Vec<_>>();
        assert_eq!(data(&seen.durable), data(&log), "the reader saw something else than the log");
        resumed += seen.resumed_mid_message;
    }
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    ground::check_nothing_left(world.program.data());
    let checkup = world.program.must(&["doctor", "--json"], "").await;
    assert!(checkup.contains("database"), "{checkup}");
    // Three kills in a row without a step forward, and a turn says so and gives up; nothing else may fail.
    let expected = ["completed", "failed no_progress"];
    assert!(report.outcomes.keys().all(|outcome| expected.contains(&outcome.as_str())), "{report:?}");
    // How much happens between two kills is a matter of the machine; that everybody got a word in is not.
    assert!(report.turns >= SESSIONS * TALKERS, "too little happened: {report:?}");
    let counted = counting::counts(&world.counter);
    let inline = counted.keys().filter(|(_, tag)| tag.ends_with(INLINE)).count();
    assert!(inline > 0, "no call of a text was carried out: {report:?}");
    println!(
        "{kills} kills, each within {longest:?}: {report:?}, {inline} effects of calls in a text, readers resumed in the middle of a message {resumed} times"
    );
}

fn seed() -> u64 {
    std::env::var("KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random)
}

fn kills(default: usize) -> usize {
    testkit::shorter_without(
        "KILLS",
        "kills of the program while it works: a few, not hundreds",
        "make soak-kill",
    );
    std::env::var("KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_doubled_on_sqlite() {
    kill_loop(Backend::Sqlite, kills(50), seed()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_doubled_on_postgres() {
    kill_loop(Backend::Postgres, kills(10), seed()).await;
}
