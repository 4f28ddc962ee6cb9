//! A fuzzer that reads the API's own description and sends every route what it asks for, nearly that, and what no client
//! should send: without a sign-in, as guest, member, admin and owner, with logins and with keys. Whatever comes: no 5xx, every
//! answer is one that the description announces, the server stays alive, its log has no complaint, and its memory and
//! its files are bounded.
//!
//! `CALLS=5000 SEED=7` chooses how much and what; a failure prints the seed and the calls that went wrong.

#![cfg(test)]

mod actor;
mod check;
mod document;
mod fit;
mod generate;
mod hostile;
mod house;
mod process;
mod report;
mod request;
mod spoil;
mod step;
mod wire;

use check::Checker;
use document::Document;
use house::House;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use report::Report;
use request::{Framing, Request};
use serde_json::Value;
use std::collections::VecDeque;
use step::{Pupil, Step};
use testkit::postgres::Cluster;

/// Half of it is some four per route.
const CALLS: usize = 1_000;
const SEED: u64 = 20_261_115;
/// More than this the server may not grow, in bytes: bodies of some megabytes are read whole, several at a time.
const GROWTH: u64 = 128 << 20;
/// Connections that are closing, and the database's own files.
const FILES: usize = 40;
/// So often everything that was not done yet is done right: by then something is there of all that it needs.
const ROUNDS: usize = 24;
/// What is done again as long as something was not done yet: from these it is known what to do it with.
const ENABLING: [&str; 9] = [
    "POST /v1/sessions/{id}/messages",
    "POST /v1/sessions/{id}/messages/stream",
    "GET /v1/sessions/{id}/messages",
    "GET /v1/sessions/{id}/queue",
    "GET /v1/approvals",
    "GET /v1/questions",
    "POST /v1/sessions/{id}/abort",
    "POST /v1/sessions/{id}/links",
    "POST /v1/folders/{id}/files",
];
/// What cannot be done here, and why. Everything else is.
const IMPOSSIBLE: [(&str, &str); 2] = [
    ("POST /v1/setup", "the house has its owner, and is founded once"),
    ("POST /v1/master-key/rotate", "who holds the machine does it, through the control socket"),
];
/// Steps of a chain that wait for their turn.
const WAITING: usize = 40;

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_sent_breaks_the_server() {
    testkit::shorter_without("CALLS", "requests by chance: some hundreds, not thousands", "make fuzz-api");
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
    /// What is done next with something that was just made or told of.
    chain: VecDeque<Step>,
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
        self.walk(&mut checker).await;
        self.tour(&mut checker, calls / 10).await;
        let (memory, files) = (self.house.memory(), self.house.open_files());
        self.tour(&mut checker, calls).await;
        self.house.alive("the end").await;
        let grown = self.house.memory().saturating_sub(memory);
        let opened = self.house.open_files().saturating_sub(files);
        self.report.print();
        let seed = self.seed;
        println!("{calls} calls with SEED={seed}: grown by {} KiB, {opened} more files", grown >> 10);
        let findings = self.report.findings();
        assert!(findings.is_empty(), "SEED={seed} CALLS={calls}\n{findings}");
        let complaints = self.house.complaints();
        assert!(complaints.is_empty(), "SEED={seed} CALLS={calls}: in the log {complaints:#?}");
        assert!(grown < GROWTH, "SEED={seed}: the server grew by {grown} bytes");
        assert!(opened < FILES, "SEED={seed}: {opened} more files are open");
        self.house.end().await;
    }

    /// Everything there is is done right, until it was done once.
    async fn walk(&mut self, checker: &mut Checker<'_>) {
        let mut places: Vec<usize> = (0..self.document.operations.len()).collect();
        places.sort_by_key(|place| self.document.operations[*place].lateness());
        for round in 0..ROUNDS {
            for (turn, place) in places.iter().enumerate() {
                let mut dice = StdRng::seed_from_u64(self.seed ^ (((round * 1_000 + turn) as u64) << 32));
                if self.report.is_done(&self.document.operations[*place].name) {
                    continue;
                }
                // First what it is done with is made.
                for next in self.document.maker(*place).into_iter().chain([*place]) {
                    let step = self.house.begin(&self.document, next, *place);
                    self.call(checker, step, true, &mut dice).await;
                    while let Some(step) = self.chain.pop_front() {
                        let name = &self.document.operations[step.place].name;
                        if ENABLING.contains(&name.as_str()) || !self.report.is_done(name) {
                            self.call(checker, step, true, &mut dice).await;
                        }
                    }
                }
            }
        }
        let names = self.document.operations.iter().map(|operation| operation.name.as_str());
        let undone: Vec<&str> = names.filter(|name| !self.report.is_done(name)).collect();
        let expected: Vec<&str> = IMPOSSIBLE.iter().map(|(name, _)| *name).collect();
        let is_expected = undone.len() == expected.len() && undone.iter().all(|name| expected.contains(name));
        let why = |name: &&str| format!("{name}: {}\n", self.report.refusal(name));
        let told: String = undone.iter().filter(|name| !expected.contains(name)).map(why).collect();
        assert!(
            is_expected,
            "SEED={}: what can be done is done, but {} are not\n{told}",
            self.seed,
            undone.len()
        );
    }

    async fn tour(&mut self, checker: &mut Checker<'_>, calls: usize) {
        for call in 0..calls {
            let mut dice = StdRng::seed_from_u64(self.seed.wrapping_mul(1_000_003).wrapping_add(call as u64));
            // Every route has its turn; what it is sent is chance.
            let place = call % self.document.operations.len();
            let next = if dice.random_bool(0.4) { self.chain.pop_front() } else { None };
            let chosen = |dice| Step::new(place, self.house.choose(&self.document.operations[place], dice));
            let next = next.unwrap_or_else(|| chosen(&mut dice));
            self.call(checker, next, false, &mut dice).await;
            if call % 200 == 199 {
                self.house.alive(&format!("SEED={} call {call}", self.seed)).await;
            }
        }
    }

    async fn call(&mut self, checker: &mut Checker<'_>, step: Step, is_right: bool, dice: &mut StdRng) {
        let Step { place, actor, .. } = step;
        let operation = &self.document.operations[place];
        let wish = self.house.wish(actor, operation, is_right, dice);
        let known = Some(&step).filter(|step| !step.names.is_empty() || !step.fields.is_empty());
        let mut request = Request::new(&self.document, operation, &wish, known, dice);
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
        let body = String::from_utf8_lossy(&answer.body[..answer.body.len().min(400)]).into_owned();
        let example = format!("{}\n    → {} {body}", request.shown(), answer.status);
        if is_right && answer.status >= 400 {
            self.report.refused(&operation.name, &example);
        }
        if let Err(what) = wrong {
            self.report.found(format!("{}: {what}", operation.name), &example);
        }
        self.report.count(&operation.name, answer.status, &request.tricks);
        self.follow(place, actor, &answer);
        if !request.is_elsewhere {
            let steps =
                Pupil::new(&self.document, &self.house.actors, actor).read(place, &request.target, &answer);
            let steps = steps.into_iter().filter(|step| !self.house.is_kept(step)).rev();
            steps.for_each(|step| self.chain.push_front(step));
            self.chain.truncate(WAITING);
        }
        self.house.learn(actor, &request, &self.document.operations[place], &answer).await;
    }

    /// Something was made: now everything is done with it that can be.
    fn follow(&mut self, place: usize, actor: usize, answer: &wire::Answer) {
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let id = body["id"].as_str().or_else(|| body["session"]["id"].as_str());
        if let (201, Some(id)) = (answer.status, id) {
            for next in self.document.followers(&self.document.operations[place]) {
                if self.chain.len() < WAITING {
                    self.chain.push_back(Step::new(next, actor).named("id", id));
                }
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
