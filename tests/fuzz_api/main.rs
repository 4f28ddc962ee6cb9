//! A fuzzer that reads the API's own description and sends every route what it asks for, nearly that, and what nobody
//! should send: as nobody, guest, member, admin and owner, with logins and with keys. Whatever comes: no 5xx, every
//! answer is one that the description announces, the server stays alive, its log has no complaint, and its memory and
//! its files are bounded.
//!
//! `CALLS=5000 SEED=7` chooses how much and what; a failure prints the seed and the calls that went wrong.

#![cfg(test)]

mod actor;
mod check;
mod document;
mod generate;
mod hostile;
mod house;
mod process;
mod report;
mod request;
mod spoil;
mod wire;

use check::Checker;
use document::{Document, Operation};
use house::House;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use report::Report;
use request::{Framing, Request};
use serde_json::Value;
use std::collections::VecDeque;
use testkit::postgres::Cluster;

/// Half of it is some four per route.
const CALLS: usize = 1_000;
const SEED: u64 = 20_261_115;
/// More than this the server may not grow, in bytes: bodies of some megabytes are read whole, several at a time.
const GROWTH: u64 = 128 << 20;
/// Connections that are closing, and the database's own files.
const FILES: usize = 40;
/// So many calls that every route has had its chance.
const MANY: usize = 2_000;
/// Steps of a chain that wait for their turn.
const WAITING: usize = 40;

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_sent_breaks_the_server() {
    Fuzzer::new(None).await.run(setting("CALLS", CALLS)).await;
}

/// Half as much on the other database, whose text is stricter than that of SQLite.
#[tokio::test(flavor = "multi_thread")]
async fn nor_does_it_on_postgresql() {
    let Some(cluster) = Cluster::shared().unwrap() else { return };
    let url = cluster.database().unwrap();
    Fuzzer::new(Some(&url)).await.run(setting("CALLS", CALLS) / 2).await;
}

struct Fuzzer {
    seed: u64,
    house: House,
    document: Document,
    report: Report,
    /// What is done next with something that was just made: an operation, the id, and by whom.
    chain: VecDeque<(usize, String, usize)>,
}

impl Fuzzer {
    async fn new(store: Option<&str>) -> Self {
        let house = House::new(store).await;
        let document = Document::new(house.description().await);
        let seed = setting("SEED", SEED);
        Self { seed, house, document, report: Report::default(), chain: VecDeque::new() }
    }

    async fn run(mut self, calls: usize) {
        // What a first call builds up for good is no leak.
        let document = Document::new(self.document.whole.clone());
        let mut checker = Checker::new(&document);
        self.tour(&mut checker, calls / 10).await;
        let (memory, files) = (self.house.memory(), self.house.open_files());
        self.tour(&mut checker, calls).await;
        self.house.alive("the end").await;
        let grown = self.house.memory().saturating_sub(memory);
        let opened = self.house.open_files().saturating_sub(files);
        self.report.print();
        let seed = self.seed;
        println!("{calls} calls with SEED={seed}: grown by {} KiB, {opened} more files", grown >> 10);
        println!("never done: {:?}", self.report.never());
        let findings = self.report.findings();
        assert!(findings.is_empty(), "SEED={seed} CALLS={calls}\n{findings}");
        let complaints = self.house.complaints();
        assert!(complaints.is_empty(), "SEED={seed} CALLS={calls}: in the log {complaints:#?}");
        assert!(grown < GROWTH, "SEED={seed}: the server grew by {grown} bytes");
        assert!(opened < FILES, "SEED={seed}: {opened} more files are open");
        // A few calls per route may all be refused; of many some succeed.
        let never = self.report.never();
        let most = if calls >= MANY { 8 } else { self.document.operations.len() / 2 };
        assert!(never.len() <= most, "what should work does: {never:?}");
        self.house.end().await;
    }

    async fn tour(&mut self, checker: &mut Checker<'_>, calls: usize) {
        for call in 0..calls {
            let mut dice = StdRng::seed_from_u64(self.seed.wrapping_mul(1_000_003).wrapping_add(call as u64));
            // Every route has its turn; what it is sent is chance.
            let mut next = (call % self.document.operations.len(), None, None);
            if dice.random_bool(0.4)
                && let Some((operation, id, actor)) = self.chain.pop_front()
            {
                next = (operation, Some(id), Some(actor));
            }
            self.call(checker, next, &mut dice).await;
            if call % 200 == 199 {
                self.house.alive(&format!("SEED={} call {call}", self.seed)).await;
            }
        }
    }

    async fn call(
        &mut self,
        checker: &mut Checker<'_>,
        (place, id, actor): (usize, Option<String>, Option<usize>),
        dice: &mut StdRng,
    ) {
        let operation = &self.document.operations[place];
        let actor = actor.unwrap_or_else(|| self.house.choose(operation, dice));
        let wish = self.house.wish(actor, operation, dice);
        let mut request = Request::new(&self.document, operation, &wish, id.as_deref(), dice);
        let repeat = operation.takes_header("Idempotency-Key") && dice.random_bool(0.3);
        if repeat {
            request.set("Idempotency-Key", &format!("key-{}", dice.random::<u64>()));
        }
        let Some(answer) = self.house.send(&request).await else {
            // Whoever leaves in the middle of a sentence may get no answer.
            if !matches!(request.framing, Framing::Cut(_)) {
                self.report.found(format!("{}: no answer", operation.name), &request.shown());
            }
            return;
        };
        let mut wrong = checker.check(operation, &request, &answer);
        if repeat && !request.is_elsewhere && wrong.is_ok() && (200..300).contains(&answer.status) {
            wrong = repeated(&self.house, &request, &answer).await;
        }
        if let Err(what) = wrong {
            let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(400)]).into_owned();
            let example = format!("{}\n    → {} {body}", request.shown(), answer.status);
            self.report.found(format!("{}: {what}", operation.name), &example);
        }
        self.report.count(&operation.name, answer.status, &request.tricks);
        self.follow(place, actor, &answer);
        self.follow_file(place, actor, &request.target, &answer);
        self.house.learn(actor, &request, &self.document.operations[place], &answer).await;
    }

    /// Something was made: now everything is done with it that can be.
    fn follow(&mut self, place: usize, actor: usize, answer: &wire::Answer) {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        if let (201, Some(id)) = (answer.status, body["id"].as_str()) {
            for next in self.document.followers(&self.document.operations[place]) {
                if self.chain.len() < WAITING {
                    self.chain.push_back((next, id.to_owned(), actor));
                }
            }
        }
    }
}

impl Fuzzer {
    /// A file was written: now it is read, and then removed.
    fn follow_file(&mut self, place: usize, actor: usize, target: &str, answer: &wire::Answer) {
        let made = &self.document.operations[place];
        let session = target.strip_prefix("/v1/sessions/").and_then(|rest| rest.split('/').next());
        let is_written = made.name == "PUT /v1/sessions/{id}/files/{path}" && answer.status < 300;
        let (true, Some(session)) = (is_written, session) else { return };
        // Before everything else: later the session may be gone.
        for method in ["DELETE", "GET"] {
            let next = |operation: &Operation| operation.path == made.path && operation.method == method;
            if let Some(next) = self.document.operations.iter().position(next) {
                self.chain.push_front((next, session.to_owned(), actor));
            }
        }
    }
}

/// The same once more is the same thing; other words under the same key are refused.
async fn repeated(house: &House, request: &Request, first: &wire::Answer) -> Result<(), String> {
    let Some(second) = house.send(request).await else { return Err("no answer to a repetition".to_owned()) };
    let named = |answer: &wire::Answer| {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        ["id", "turn_id"].map(|name| body[name].as_str().map(str::to_owned))
    };
    if first.status != second.status || named(first) != named(&second) {
        return Err(format!("a repetition is something else: {} and {}", first.status, second.status));
    }
    let Some(body) = house::changed(&request.body) else { return Ok(()) };
    let other = Request { body, ..request.clone() };
    match house.send(&other).await {
        Some(answer) if answer.status == 422 => Ok(()),
        answer => Err(format!("other words under the same key: {:?}", answer.map(|answer| answer.status))),
    }
}
