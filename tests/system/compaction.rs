//! A conversation that is much longer than its model's window: what was said once is known for ever, every request fits,
//! and whenever the program dies the model is told the old view or the new one.

use crate::{
    checker::{self, Acknowledged},
    ground,
    script::summary,
    world::{self, Backend, World},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::{
    client::Client,
    model::{Recorded, Reply},
    program::Running,
};
use tokio::time::sleep;

const WINDOW: usize = 4_000;
const MODEL: &str = "test/scripted";
const FACT: &str = "#the-spare-key-is-at-number-42";
const HEADING: &str = "[Summary of earlier conversation]";
const LEFT_OUT: &str = "Earlier parts of this conversation were left out";
/// Both sides of every durable step of a summary; the model is asked behind the second, and tells behind the last.
const POINTS: [&str; 6] = [
    "summary_call_before_commit",
    "summary_call_after_commit",
    "summary_cost_before_commit",
    "summary_cost_after_commit",
    "compaction_before_commit",
    "compaction_after_commit",
];

/// What is wrong with a request: it does not fit, or what must be known is not in it. While the program dies in every
/// summary something may be left out, and the prompt says so; once there is a summary, nothing is missing any more.
fn problem(request: &Recorded, summarised: &AtomicBool) -> Option<String> {
    let weight = request.raw.len() / 4;
    if weight > WINDOW {
        return Some(format!("a request of {weight} tokens"));
    }
    let told = summarised.fetch_or(request.raw.contains(HEADING), Ordering::SeqCst);
    let excused = request.raw.contains(LEFT_OUT) && !told;
    (!request.raw.contains(FACT) && !excused).then(|| format!("the fact is lost: {}", request.raw))
}

fn reply(request: &Recorded) -> Reply {
    if let Some(summary) = summary(request) {
        return summary;
    }
    let said = request.last_user();
    let number: usize = said.split(['-', ' ']).nth(1).and_then(|digits| digits.parse().ok()).unwrap_or(0);
    match (number % 3, request.results_since_user().len()) {
        (1, 0) => Reply::text("Let me see.").then_calls([
            ("count_effect", json!({ "tag": said.split(' ').next() })),
            ("get_current_time", json!({})),
        ]),
        _ => Reply::text("An answer that goes on for a while, as answers do. ".repeat(6)),
    }
}

/// One person who talks on, whatever dies in between.
struct Talk<'a> {
    world: &'a World,
    running: Option<Running>,
    client: Client,
    session: String,
    random: StdRng,
    /// How often in a hundred turns the program is killed.
    kills: u32,
    number: usize,
    deaths: usize,
    acknowledged: Vec<Acknowledged>,
}

impl Talk<'_> {
    fn words(&self) -> String {
        match self.number {
            0 => format!("turn-0 remember {FACT} for me"),
            number => format!("turn-{number} {}", "and then we spoke of this and that, ".repeat(6)),
        }
    }

    /// One turn to its end, however often that takes.
    async fn turn(&mut self) {
        let text = self.words();
        let deadly = self.random.random_range(0..100) < self.kills;
        let moment = Duration::from_millis(self.random.random_range(1..60));
        if deadly {
            let _ = tokio::time::timeout(moment, self.say(&text)).await;
            self.restart(None).await;
        }
        while !self.say(&text).await {
            self.restart(None).await;
        }
        if deadly && self.random.random_range(0..2) == 0 {
            // Behind the end of the turn, where summaries are made.
            sleep(moment).await;
            self.restart(None).await;
        }
        self.number += 1;
    }

    /// False when the program died before the turn had ended.
    async fn say(&mut self, text: &str) -> bool {
        let key = text.split(' ').next().unwrap();
        let body = json!({ "content": text });
        let Ok(mut stream) = self.client.send_message(&self.session, key, &body).await else { return false };
        while let Ok(Some(event)) = stream.next().await {
            if event.event == "input_accepted" && self.acknowledged.len() == self.number {
                let turn = event.data["turn_id"].as_str().unwrap().to_owned();
                let (session, text) = (self.session.clone(), text.to_owned());
                self.acknowledged.push(Acknowledged { session, text, turn });
            }
            if event.event == "turn_ended" {
                assert_eq!(event.data["data"]["outcome"], "completed", "{:?}", event.data);
                return true;
            }
        }
        false
    }

    async fn restart(&mut self, crash_at: Option<&str>) {
        if let Some(running) = self.running.take() {
            // It may have ended itself.
            let _ = running.kill().await;
        }
        self.deaths += 1;
        let mut program = self.world.program.clone();
        if let Some(point) = crash_at {
            program = program.env("CRASH_AT", format!("{point}:1"));
        }
        let running = program.serve().await.unwrap();
        self.client = running.client(&self.world.key);
        world::known(&self.client, MODEL).await;
        self.running = Some(running);
    }

    /// Talks until the program has ended itself at this point.
    async fn run_into(&mut self, point: &str) {
        self.restart(Some(point)).await;
        let before = self.deaths;
        let most = self.number + 60;
        while self.deaths == before {
            assert!(self.number < most, "{point} was not reached");
            self.turn().await;
        }
    }

    async fn summaries(&self) -> Vec<Value> {
        let path = format!("/v1/sessions/{}/events?types=compaction_complete&limit=1000", self.session);
        self.client.get(&path).await.unwrap().expect(200)["items"].as_array().unwrap().clone()
    }
}

async fn agent(client: &Client) -> String {
    let fields = json!({
        "name": "listener",
        "capabilities": ["counting", "current_time"],
        "markup": { "mode": "off" },
        "limits": { "compact_at": 45 },
    });
    world::agent(client, fields).await
}

async fn long_talk(backend: Backend, messages: usize, points: &[&str], kills: u32, seed: u64) {
    println!("long talk: {backend:?}, {messages} messages, replay with COMPACT_SEED={seed}");
    let Some(world) = World::new(backend).await else {
        return;
    };
    world.model.model_entries([json!({ "id": "scripted", "context_length": WINDOW })]);
    let problems = Arc::new(Mutex::new(Vec::new()));
    let (found, summarised) = (problems.clone(), AtomicBool::new(false));
    world.model.respond(move |request| {
        let is_title = request.last_user().starts_with("Write a title");
        if let Some(problem) = problem(request, &summarised).filter(|_| !is_title) {
            found.lock().unwrap().push(problem);
        }
        reply(request)
    });
    let running = world.serve().await;
    let client = running.client(&world.key);
    world::known(&client, MODEL).await;
    let session = world::new_session(&client, &agent(&client).await).await;
    let random = StdRng::seed_from_u64(seed);
    let (number, deaths, acknowledged) = (0, 0, Vec::new());
    let mut talk = Talk {
        world: &world,
        running: Some(running),
        client,
        session,
        random,
        kills: 0,
        number,
        deaths,
        acknowledged,
    };
    for point in points {
        talk.run_into(point).await;
    }
    talk.kills = kills;
    let path = format!("/v1/sessions/{}", talk.session);
    loop {
        talk.turn().await;
        let state = talk.client.get(&path).await.unwrap().expect(200);
        if state["message_count"].as_u64().unwrap() as usize >= messages && talk.summaries().await.len() >= 5
        {
            break;
        }
        assert!(talk.number < messages + 200, "only {} summaries", talk.summaries().await.len());
    }
    talk.kills = 0;
    talk.turn().await;
    let told = world.model.requests().into_iter().rfind(|request| summary(request).is_none()).unwrap();
    let beginning = told.messages()[1]["content"].as_str().unwrap();
    assert!(beginning.starts_with(HEADING) && beginning.contains(FACT), "{beginning}");
    let problems = problems.lock().unwrap().clone();
    finish(talk, &problems).await;
}

/// Everything that must hold in the end.
async fn finish(talk: Talk<'_>, problems: &[String]) {
    assert!(problems.is_empty(), "{} requests: {}", problems.len(), problems[0]);
    let summaries = talk.summaries().await;
    for (number, event) in summaries.iter().enumerate() {
        assert_eq!(event["data"]["generation"], number as u64 + 1, "each generation once");
        assert_eq!(event["data"]["level"], 1, "{event}");
    }
    let report =
        checker::check(talk.world, &talk.client, std::slice::from_ref(&talk.session), &talk.acknowledged)
            .await;
    assert!(is_found(&talk).await, "what was summarised is still found");
    let (turns, deaths, count) = (talk.number, talk.deaths, summaries.len());
    assert_eq!(talk.running.unwrap().terminate().await.unwrap(), Some(0));
    ground::check_nothing_left(talk.world.program.data());
    println!("{turns} turns, {count} summaries, {deaths} deaths: {report:?}");
}

/// A search ends early when it takes too long, and says where it goes on.
async fn is_found(talk: &Talk<'_>) -> bool {
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/sessions?search=spare-key-is-at-number{cursor}");
        let page = talk.client.get(&path).await.unwrap().expect(200);
        if page["items"].as_array().unwrap().iter().any(|item| item["id"] == talk.session.as_str()) {
            return true;
        }
        let Some(next) = page["next_cursor"].as_str() else { return false };
        cursor = format!("&cursor={next}");
    }
}

fn seed() -> u64 {
    std::env::var("COMPACT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random)
}

fn messages(default: usize) -> usize {
    testkit::shorter_without(
        "MESSAGES",
        "the conversation with many summaries: some messages, not 3,000",
        "make soak-compact",
    );
    std::env::var("MESSAGES").ok().and_then(|messages| messages.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_talk_on_sqlite() {
    long_talk(Backend::Sqlite, messages(150), &POINTS, 8, seed()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_talk_on_postgres() {
    long_talk(Backend::Postgres, messages(60), &POINTS, 4, seed()).await;
}
