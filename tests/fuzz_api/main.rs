//! A fuzzer that reads the API's own description and sends every route what it asks for, nearly that, and what nobody
//! should send. Whatever comes: no 5xx, every answer is one that the description announces, the server stays alive and
//! its memory bounded.
//!
//! `CALLS=5000 SEED=7` chooses how much and what; a failure prints the seed and the call that replays it.

#![cfg(test)]

mod check;
mod document;
mod generate;
mod hostile;
mod house;
mod request;
mod wire;

use check::Checker;
use document::Document;
use house::House;
use rand::{SeedableRng, rngs::StdRng};
use std::collections::BTreeMap;

const CALLS: usize = 500;
/// More than this the server may not grow, in bytes: bodies of some megabytes are read whole, several at a time.
const GROWTH: f64 = 256.0 * 1_048_576.0;

fn setting<T: std::str::FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_sent_breaks_the_server() {
    let (calls, seed) = (setting("CALLS", CALLS), setting("SEED", 20_261_115_u64));
    let house = House::new().await;
    let document = Document::new(house.description().await);
    let mut checker = Checker::new(&document);
    let mut statuses = BTreeMap::<u16, usize>::new();
    let mut reached = BTreeMap::<&str, (usize, usize)>::new();
    let before = house.memory().await;
    for call in 0..calls {
        // Every route has its turn; what it is sent is chance.
        let operation = &document.operations[call % document.operations.len()];
        let mut dice = StdRng::seed_from_u64(seed.wrapping_mul(1_000_003).wrapping_add(call as u64));
        let request = house.request(&document, operation, &mut dice);
        let answer = house.send(&request).await;
        let name = format!("SEED={seed} call {call}: {}", request.shown());
        checker.check(&name, operation, &request, &answer);
        house.learn(operation, &answer);
        *statuses.entry(answer.status).or_default() += 1;
        let counts = reached.entry(&operation.name).or_default();
        counts.0 += 1;
        counts.1 += usize::from(answer.status < 400);
        if call % 100 == 99 {
            house.alive(&name).await;
        }
    }
    house.alive("the end").await;
    let grown = house.memory().await - before;
    assert!(grown < GROWTH, "SEED={seed}: the server grew by {grown} bytes");
    println!(
        "{calls} calls to {} routes with SEED={seed}: {statuses:?}, grown by {grown} bytes",
        reached.len()
    );
    let never: Vec<&&str> =
        reached.iter().filter(|(_, counts)| counts.1 == 0).map(|(name, _)| name).collect();
    println!("{} routes answered with success; without: {never:?}", reached.len() - never.len());
    if calls >= CALLS {
        assert!(never.len() * 3 < reached.len(), "most of what should work does: {never:?}");
    }
    house.end().await;
}
