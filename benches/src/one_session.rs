//! Turns one after the other, and what each of them costs: `bench session COUNT [URL] [LENGTH]`; a session has LENGTH of them. For profilers (callgrind, strace),
//! and to see where the time goes when the processor does not work: the work of each kind of thread, beside what the disk takes.

use crate::{floor, mock, rounds::median_micros, world::World};
use anyhow::{Context, Result};
use std::{
    collections::BTreeMap,
    fs,
    time::{Duration, Instant},
};

/// Statements are prepared and caches filled before anything counts.
const WARM_UP: usize = 20;
const COMMITS: usize = 200;
/// A session has so many turns: what was said in it is told to the model each time.
const LENGTH: usize = 10;

pub fn run(arguments: &[String]) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(arguments))
}

async fn measure(arguments: &[String]) -> Result<()> {
    let turns: usize = arguments.first().map_or(Ok(500), |count| count.parse()).context("how many turns?")?;
    let world =
        World::at(arguments.get(1).map(String::as_str).filter(|url| !url.is_empty()), mock::start()?).await?;
    let first = world.session().await?;
    for _ in 0..WARM_UP {
        world.turn(first).await?;
    }
    let length =
        arguments.get(2).map_or(Ok(LENGTH), |length| length.parse()).context("how long a session?")?;
    let mut sessions = Vec::new();
    for _ in 0..turns.div_ceil(length) {
        sessions.push(world.session().await?);
    }
    let (counts, before, begun) = (world.store.counts(), processor_time()?, Instant::now());
    let mut micros = Vec::with_capacity(turns);
    for turn in 0..turns {
        let session = sessions.get(turn / length).copied().unwrap_or(first);
        let begun = Instant::now();
        world.turn(session).await?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (after, end) = (world.store.counts(), processor_time()?);
    let each = |value: u64| value as f64 / turns as f64;
    println!("{turns} turns: {:.0} turns/s, p50 {:.0} µs", turns as f64 / seconds, median_micros(micros));
    println!(
        "statements {:.2}, commits {:.2}",
        each(after.statements - counts.statements),
        each(after.commits - counts.commits)
    );
    let mut all = 0.0;
    for (name, worked) in end {
        let worked = worked.saturating_sub(before.get(&name).copied().unwrap_or_default());
        let micros = worked.as_secs_f64() * 1e6 / turns as f64;
        all += if name == "model" { 0.0 } else { micros };
        println!("  {name:<16} {micros:>8.1} µs of processor time a turn");
    }
    println!("  all but the model {all:.1} µs; one commit alone takes {:.0} µs", commit_micros()?);
    Ok(())
}

/// The processor time of every kind of thread of this process. Threads that have ended are not in it.
fn processor_time() -> Result<BTreeMap<String, Duration>> {
    let mut times = BTreeMap::new();
    for task in fs::read_dir("/proc/self/task")? {
        let path = task?.path();
        let (Ok(name), Ok(stat)) =
            (fs::read_to_string(path.join("comm")), fs::read_to_string(path.join("schedstat")))
        else {
            continue;
        };
        let nanos = stat.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0);
        *times.entry(name.trim().to_owned()).or_insert(Duration::ZERO) += Duration::from_nanos(nanos);
    }
    Ok(times)
}

/// The disk's share of a commit that does nothing else.
fn commit_micros() -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let connection = floor::database::database(&folder.path().join("floor.db"))?;
    let mut micros = Vec::with_capacity(COMMITS);
    for _ in 0..COMMITS {
        let begun = Instant::now();
        connection.execute("INSERT INTO rows (kind, body) VALUES ('event', x'00')", [])?;
        micros.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median_micros(micros))
}
