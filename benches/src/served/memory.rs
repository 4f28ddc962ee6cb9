//! P11: memory of an idle program, of one that has done something, of each stream, and after many turns.

use super::{
    chunks,
    entrants::{self, Entrant},
};
use crate::{
    floor::{Floor, Running},
    load::{
        house::House,
        mock::{Mock, Pace},
        process::Resident,
        turns,
    },
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::{Context, Result};
use std::{path::Path, time::Duration};

const AT_ONCE: Pace = Pace { pieces: 12, every: Duration::ZERO };
const SESSIONS: usize = 8;
/// How long a process is left alone before it is looked at.
const REST: Duration = Duration::from_secs(1);
const MEGA: f64 = 1e6;
/// Turns after which the last lines of the log and all caches are full, so that what grows afterwards is kept for good.
const WARM: usize = 3_000;

#[derive(Default)]
struct Series {
    idle: Vec<f64>,
    first: Vec<f64>,
    streams: Vec<(usize, Vec<f64>)>,
}

pub async fn measure(options: &Options) -> Result<Vec<Measured>> {
    println!("P11: memory; a fresh process for every number, because memory depends on what was done before");
    entrants::introduce(options);
    let model = Mock::start()?;
    let mut rows = Vec::new();
    let counts = options.streams(&[100, 400]);
    let floor = of_floor(options, &model, &counts).await?;
    rows.extend(floor.rows("raw proxy", false));
    for (place, program) in options.programs.iter().enumerate() {
        let series = of_program(options, &model, program, &counts).await?;
        rows.extend(series.rows(&entrants::program_name(options, place), true));
    }
    Ok(rows)
}

async fn of_floor(options: &Options, model: &Mock, counts: &[usize]) -> Result<Series> {
    let mut series = Series::default();
    for &count in counts {
        let mut values = Vec::new();
        for _ in 0..options.rounds {
            let mut entrant = Entrant::Floor(Floor::Raw, Running::start(Floor::Raw, &model.url())?);
            values.push(series.add(model, &mut entrant, count).await?);
        }
        series.streams.push((count, values));
    }
    Ok(series)
}

async fn of_program(options: &Options, model: &Mock, program: &Path, counts: &[usize]) -> Result<Series> {
    let mut series = Series::default();
    for &count in counts {
        let mut values = Vec::new();
        for _ in 0..options.rounds {
            let mut house = House::open(program, &model.url(), None).await?;
            house.furnish(count).await?;
            // What it is after a start, not after the sessions were made.
            house.start().await?;
            let mut entrant = Entrant::House("ours".to_owned(), Box::new(house));
            values.push(series.add(model, &mut entrant, count).await?);
        }
        series.streams.push((count, values));
    }
    Ok(series)
}

impl Series {
    /// Idle, and after a first reply; gives what each of `count` streams takes beyond that.
    async fn add(&mut self, model: &Mock, entrant: &mut Entrant, count: usize) -> Result<f64> {
        self.idle.push(rested(entrant).await?.all);
        chunks::one_round(model, entrant, 1, 0.2).await?;
        self.first.push(rested(entrant).await?.all);
        per_stream(model, entrant, count).await
    }
}

async fn rested(entrant: &Entrant) -> Result<Resident> {
    tokio::time::sleep(REST).await;
    entrant.process().context("there is no process")?.resident()
}

/// Bytes for each of so many streams that are in the middle of their replies.
async fn per_stream(model: &Mock, entrant: &mut Entrant, streams: usize) -> Result<f64> {
    let before = rested(entrant).await?.own;
    let round = chunks::one_round(model, entrant, streams, 2.0).await?;
    round.heard.check(entrant.name())?;
    Ok((round.resident - before) / streams as f64)
}

impl Series {
    fn rows(&self, name: &str, is_house: bool) -> Vec<Measured> {
        let at_most = |most| if is_house { Bound::AtMost(most) } else { Bound::None };
        let row = |what, unit, values: &[f64], scale: f64, (must, aim)| Measured {
            what,
            unit,
            values: values.iter().map(|value| value / scale).collect(),
            ratios: Vec::new(),
            must,
            aim,
        };
        let (must, idle, used) = (at_most(30.0), at_most(15.0), at_most(20.0));
        let mut rows = vec![
            row(format!("P11 idle, {name}"), "MB", &self.idle, MEGA, (must, idle)),
            row(format!("P11 after a turn, {name}"), "MB", &self.first, MEGA, (must, used)),
        ];
        for (count, values) in &self.streams {
            let bounds = (at_most(150.0), at_most(80.0));
            rows.push(row(format!("P11 per stream, {count}, {name}"), "KB", values, 1e3, bounds));
        }
        rows
    }
}

/// What so many turns leave behind, after those that warm the program up.
pub async fn growth(options: &Options, turns: usize) -> Result<Vec<Measured>> {
    println!("P11: memory before and after {turns} turns");
    let model = Mock::start()?;
    model.set_pace(AT_ONCE);
    let mut rows = Vec::new();
    for (place, program) in options.programs.iter().enumerate() {
        let mut house = House::open(program, &model.url(), None).await?;
        many(&mut house, WARM).await?;
        tokio::time::sleep(REST).await;
        let before = house.process.resident()?.own;
        many(&mut house, turns).await?;
        tokio::time::sleep(REST).await;
        let after = house.process.resident()?.own;
        println!("  {:.2} MB, then {:.2} MB", before / MEGA, after / MEGA);
        let name = entrants::program_name(options, place);
        rows.push(Measured {
            what: format!("P11 after {turns} turns, {name}"),
            unit: "MB",
            values: vec![after / MEGA],
            ratios: vec![after / before],
            must: Bound::AtMost(1.01),
            aim: Bound::None,
        });
    }
    Ok(rows)
}

/// In sessions that stay short, so that what is measured is not a long history.
async fn many(house: &mut House, turns: usize) -> Result<()> {
    const EACH: usize = 25;
    for _ in 0..turns.div_ceil(SESSIONS * EACH) {
        let from = house.sessions.len();
        house.furnish(from + SESSIONS).await?;
        let requests: Result<Vec<_>> = (from..from + SESSIONS).map(|session| house.say(session)).collect();
        turns::run(house.address, requests?, EACH).await?;
    }
    Ok(())
}
