//! P7 through the served program: what a turn costs when the model costs nothing.

use super::entrants::{self, Entrant, plain};
use crate::{
    floor::{Floor, Running},
    load::{
        mock::{Mock, Pace},
        turns,
    },
    options::Options,
    rounds::{Bound, Measured, median_micros},
};
use anyhow::{Context, Result};
use std::time::{Duration, Instant};

const PIECES: u32 = 12;
const TURNS: usize = 200;
const BEFORE: usize = 10;

#[derive(Default)]
struct Series {
    rate: Vec<f64>,
    p50: Vec<f64>,
    work: Vec<f64>,
}

pub async fn measure(options: &Options) -> Result<Vec<Measured>> {
    println!("P7: turns through the served program, a model of zero latency; the floor passes the reply on");
    entrants::introduce(options);
    let model = Mock::start()?;
    model.set_pace(Pace { pieces: PIECES, every: Duration::ZERO });
    let (houses, _cluster) = entrants::houses(options, &model).await?;
    let mut all = vec![Entrant::Floor(Floor::Raw, Running::start(Floor::Raw, &model.url())?)];
    all.extend(houses);
    let mut rows = Vec::new();
    for sessions in options.streams(&[1, 8]) {
        let mut series: Vec<Series> = all.iter().map(|_| Series::default()).collect();
        let count = all.len();
        for round in 0..=options.rounds {
            for place in (0..count).map(|place| (place + round) % count) {
                let (Some(entrant), Some(series)) = (all.get_mut(place), series.get_mut(place)) else {
                    continue;
                };
                let taken = one_round(entrant, sessions).await?;
                if round > 0 {
                    series.rate.push(taken.0);
                    series.p50.push(taken.1);
                    series.work.push(taken.2);
                }
            }
            println!("  {sessions} sessions: round {round} of {} done", options.rounds);
        }
        rows.extend(of_count(&all, &series, sessions));
    }
    Ok(rows)
}

/// Turns a second, the middle duration and the processor time of one, in microseconds. Each round has sessions of its own: an
/// old one has more to tell the model.
async fn one_round(entrant: &mut Entrant, sessions: usize) -> Result<(f64, f64, f64)> {
    let (address, requests) = match entrant {
        Entrant::House(_, house) => {
            let from = house.sessions.len();
            house.furnish(from + sessions).await?;
            let requests: Result<Vec<_>> =
                (from..from + sessions).map(|session| house.say(session)).collect();
            (house.address, requests?)
        }
        Entrant::Floor(_, running) | Entrant::Peer(_, running) => {
            (running.address, vec![plain("POST", "/", running.address); sessions])
        }
        Entrant::Direct(_) => anyhow::bail!("the model has no turns"),
    };
    let process = entrant.process().context("there is no process")?;
    turns::run(address, requests.clone(), BEFORE).await?;
    let (before, begun) = (process.worked()?, Instant::now());
    let micros = turns::run(address, requests, TURNS / sessions).await?;
    let (seconds, count) = (begun.elapsed().as_secs_f64(), micros.len() as f64);
    let work = process.worked()?.micros_since(&before) / count;
    Ok((count / seconds, median_micros(micros), work))
}

fn of_count(all: &[Entrant], series: &[Series], sessions: usize) -> Vec<Measured> {
    let row = |what: String, unit, values: Vec<f64>, aim| Measured {
        what,
        unit,
        values,
        ratios: Vec::new(),
        must: Bound::None,
        aim,
    };
    let (mut rows, mut houses) = (Vec::new(), Vec::new());
    for (entrant, series) in all.iter().zip(series) {
        let name = entrant.name();
        let is_house = entrant.is_house();
        let aim = |bound| if is_house && sessions == 1 { bound } else { Bound::None };
        rows.push(row(
            format!("P7 turns/s, {sessions}, {name}"),
            "/s",
            series.rate.clone(),
            aim(Bound::AtLeast(500.0)),
        ));
        rows.push(row(format!("P7 turn p50, {sessions}, {name}"), "µs", series.p50.clone(), Bound::None));
        rows.push(row(
            format!("P7 CPU/turn, {sessions}, {name}"),
            "µs",
            series.work.clone(),
            aim(Bound::AtMost(1_000.0)),
        ));
        if is_house {
            houses.push((name.to_owned(), series.work.clone()));
        }
    }
    rows.extend(entrants::against_first(&format!("P7 CPU/turn, {sessions}"), &houses));
    rows
}
