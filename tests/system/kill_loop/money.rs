//! kill -9 while the money of the day runs out, again and again: the model is never asked for more than was allowed, and
//! what it has charged is in the books, also where the program did not live to hear of it.

use super::{SESSIONS, TALKERS, Talker, kills, seed};
use crate::{
    checker::{self, Acknowledged},
    ground,
    script::{asked, summary},
    world::{self, Backend, World},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use testkit::{
    client::Client,
    model::{Recorded, Reply},
    program::Running,
};
use tokio::{sync::watch, task::JoinHandle, time::sleep};

const READ: u64 = 100;
const MOST_WRITTEN: u64 = 1_000;
/// What the person adds to the day's budget whenever it has run out: a request for each session, and hardly more.
const PURSE: u64 = 60_000;

/// One micro-USD for a token that the model reads, ten for one that it writes; and a house where it is noon, so that the day
/// does not end in between.
fn settings() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let east = 12 - i64::try_from(now / 3_600 % 24).unwrap();
    // These names have their sign the other way round.
    let zone = format!("Etc/GMT{:+}", -east);
    format!(
        "[limits]\nbudget_time_zone = \"{zone}\"\n\
         [provider.test]\nprice = {{ input = 1_000_000, output = 10_000_000 }}\n"
    )
}

/// As much as it may: a model that takes every token that it is given.
fn written(request: &Recorded) -> u64 {
    let most = request.body["max_tokens"].as_u64();
    most.expect("the model is told what was paid for")
}

fn reply(request: &Recorded) -> Reply {
    if let Some(summary) = summary(request) {
        return summary.usage(READ, written(request), 0);
    }
    let (said, results) = asked(request);
    let number: usize = said.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let text = Reply::pieces(vec!["word "; 30]).pace(Duration::from_millis(1));
    let reply = match (number % 2, results) {
        (1, 0) => text.then_calls([("count_effect", json!({ "tag": said }))]),
        _ => text,
    };
    reply.usage(READ, written(request), 0)
}

/// What the model has charged for all that it was asked.
fn charged(world: &World) -> u64 {
    world.model.look_at_requests(0, |request| READ + 10 * written(request)).iter().sum()
}

/// What may be spent this day, and whether nothing will be added to it.
#[derive(Clone, Copy)]
struct Budget {
    per_day: u64,
    is_last: bool,
}

/// Talks until the money is gone, and goes on when there is more.
struct Spender {
    talker: Talker,
    budget: watch::Receiver<Budget>,
    /// The highest budget that is known to have run out.
    gone: watch::Sender<u64>,
}

impl Spender {
    async fn spend(mut self) {
        for number in 0.. {
            let budget = *self.budget.borrow();
            if !self.is_refused(&format!("{}-{number}", self.talker.name)).await {
                continue;
            }
            if budget.is_last {
                return;
            }
            self.gone.send_modify(|gone| *gone = budget.per_day.max(*gone));
            self.budget.wait_for(|now| now.per_day > budget.per_day).await.unwrap();
        }
    }

    /// Says it; whether the turn was paused for want of money, as far as the connection lived to tell.
    async fn is_refused(&self, text: &str) -> bool {
        let mut stream = self.talker.say(text).await;
        let mut refused = false;
        while let Ok(Some(event)) = stream.next().await {
            refused |= event.data.pointer("/data/error/code") == Some(&json!("limit_budget"));
        }
        refused
    }
}

async fn allow(client: &Client, per_day: u64) {
    let budget = json!({ "budget": { "per_day_microusd": per_day } });
    let me = client.patch("/v1/me", &budget).await.unwrap().expect(200);
    assert_eq!(me["budget"]["own"], budget["budget"]);
}

/// The program, and what it takes to kill it while others spend.
struct Trial {
    world: World,
    running: Running,
    sessions: Vec<String>,
    spenders: Vec<JoinHandle<()>>,
    acknowledged: Arc<Mutex<Vec<Acknowledged>>>,
    address: watch::Sender<String>,
    budget: watch::Sender<Budget>,
    gone: watch::Receiver<u64>,
    ran_out: usize,
}

impl Trial {
    async fn begin(world: World) -> Self {
        fs::write(world.program.data().join("majordomo.toml"), settings()).unwrap();
        // The first requests are answered by half: they are under way when the program dies for the first time.
        let first = AtomicUsize::new(0);
        world.model.respond(move |request| match first.fetch_add(1, Ordering::SeqCst) < SESSIONS {
            true => reply(request).stall_after_pieces(3),
            false => reply(request),
        });
        let running = world.serve().await;
        let client = running.client(&world.key);
        allow(&client, PURSE).await;
        let agent = json!({ "name": "worker", "capabilities": ["counting"], "parameters": { "max_tokens": MOST_WRITTEN } });
        let agent = world::agent(&client, agent).await;
        let (address, base) = watch::channel(running.base.clone());
        let (purse, budget) = watch::channel(Budget { per_day: PURSE, is_last: false });
        let (tell, gone) = watch::channel(0);
        let acknowledged = Arc::new(Mutex::new(Vec::new()));
        let (mut sessions, mut spenders) = (Vec::new(), Vec::new());
        for index in 0..SESSIONS {
            let session = world::new_session(&client, &agent).await;
            for person in 0..TALKERS {
                let talker = Talker {
                    client: client.clone(),
                    session: session.clone(),
                    name: format!("s{index}p{person}"),
                    base: base.clone(),
                    acknowledged: acknowledged.clone(),
                };
                let spender = Spender { talker, budget: budget.clone(), gone: tell.clone() };
                spenders.push(tokio::spawn(spender.spend()));
            }
            sessions.push(session);
        }
        world.model.wait_for(SESSIONS).await;
        Self { world, running, sessions, spenders, acknowledged, address, budget: purse, gone, ran_out: 0 }
    }

    fn per_day(&self) -> u64 {
        self.budget.borrow().per_day
    }

    /// However fast the machine is, the program dies once when nothing is left to spend.
    async fn until_all_is_spent(&mut self) {
        let per_day = self.per_day();
        let gone = self.gone.wait_for(|gone| *gone == per_day);
        let waited = tokio::time::timeout(Duration::from_secs(60), gone).await;
        assert!(waited.is_ok(), "{} of {per_day} was spent, and there is more", charged(&self.world));
    }

    /// However slow the machine is, most kills find a request under way; where there is no money left, none comes.
    async fn until_something_is_asked(&self) {
        let requests = self.world.model.request_count() + 1;
        drop(tokio::time::timeout(Duration::from_secs(1), self.world.model.wait_for(requests)).await);
    }

    async fn kill(mut self) -> Self {
        self.running.kill().await.unwrap();
        self.running = self.world.serve().await;
        self.address.send_replace(self.running.base.clone());
        self
    }

    /// Adds to a budget that has run out.
    async fn refill(&mut self, is_last: bool) {
        let (charged, per_day) = (charged(&self.world), self.per_day());
        assert!(charged <= per_day, "{charged} of {per_day} was spent");
        if *self.gone.borrow() == per_day {
            self.ran_out += 1;
            let per_day = per_day + PURSE;
            allow(&self.running.client(&self.world.key), per_day).await;
            self.budget.send_replace(Budget { per_day, is_last });
        }
    }

    /// Waits until nobody can spend any more, and looks at everything.
    async fn end(mut self) {
        for spender in self.spenders.drain(..) {
            spender.await.unwrap();
        }
        let client = self.running.client(&self.world.key);
        for session in &self.sessions {
            world::quiet(&client, session).await;
        }
        let acknowledged = self.acknowledged.lock().unwrap().clone();
        let report = checker::check(&self.world, &client, &self.sessions, &acknowledged).await;
        let expected = ["completed", "failed no_progress", "limit limit_budget"];
        assert!(report.outcomes.keys().all(|outcome| expected.contains(&outcome.as_str())), "{report:?}");
        assert!(report.outcomes.contains_key("limit limit_budget"), "the money was never gone: {report:?}");
        let usage = client.get("/v1/usage").await.unwrap().expect(200);
        let per_day = self.per_day();
        assert_eq!(self.running.terminate().await.unwrap(), Some(0));
        ground::check_nothing_left(self.world.program.data());
        let (charged, books) = (charged(&self.world), ground::books(&self.world).await);
        println!(
            "{report:?}; {} requests charged {charged} of {per_day}, {books:?}, ran out {} times between the kills",
            self.world.model.request_count(),
            self.ran_out
        );
        assert!(charged <= books.counted && books.counted <= per_day, "the books are wrong");
        assert!(books.unheard >= SESSIONS as u64, "no request was under way when the program died");
        let told = |name: &str| usage["budget"][name].as_u64();
        let told = (told("spent_microusd"), told("reserved_microusd"));
        assert_eq!(told, (Some(books.counted), Some(0)), "{usage}");
    }
}

async fn kill_loop(backend: Backend, kills: usize, seed: u64) {
    println!("kill loop with a budget: {backend:?}, {kills} kills, replay with KILL_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let Some(world) = World::new(backend).await else {
        return;
    };
    let mut trial = Trial::begin(world).await;
    for kill in 1..=kills {
        let is_last = kill == kills;
        if is_last {
            trial.until_all_is_spent().await;
        }
        trial.until_something_is_asked().await;
        sleep(Duration::from_millis(random.random_range(10..250))).await;
        trial = trial.kill().await;
        trial.refill(is_last).await;
    }
    trial.end().await;
}

/// A fifth of those that a long run makes without a budget.
fn fewer_kills(default: usize) -> usize {
    (kills(default * 5) / 5).max(1)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_holds_on_sqlite() {
    kill_loop(Backend::Sqlite, fewer_kills(8), seed()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_holds_on_postgres() {
    kill_loop(Backend::Postgres, fewer_kills(4), seed()).await;
}
