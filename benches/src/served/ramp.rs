//! P6: how many streams the program holds in time, with the model and the readers on the same machine.

use super::{
    chunks::{self, Round},
    entrants::{self, Entrant},
};
use crate::{
    floor::{Floor, Running},
    load::mock::Mock,
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::Result;

const STEP: usize = 100;
const MOST: usize = 2_400;
/// A piece may come so many microseconds late, but for one in a hundred.
const LATE: f64 = 100_000.0;
/// Pieces a second of one stream.
const RATE: f64 = 50.0;

#[derive(Default)]
struct Series {
    held: Vec<f64>,
    by_work: Vec<f64>,
    next: usize,
}

pub async fn measure(options: &Options) -> Result<Vec<Measured>> {
    println!(
        "P6: more and more replies at once, 50 pieces a second each; model and readers are on the same machine"
    );
    entrants::introduce(options);
    let model = Mock::start()?;
    let (houses, _cluster) = entrants::houses(options, &model).await?;
    let mut all = vec![Entrant::Floor(Floor::Raw, Running::start(Floor::Raw, &model.url())?)];
    all.extend(houses);
    let first = options.streams(&[3 * STEP]).first().copied().unwrap_or(STEP);
    let mut series: Vec<Series> = all.iter().map(|_| Series { next: first, ..Series::default() }).collect();
    let count = all.len();
    for round in 0..=options.rounds {
        for place in (0..count).map(|place| (place + round) % count) {
            let (Some(entrant), Some(series)) = (all.get_mut(place), series.get_mut(place)) else { continue };
            let (held, per_piece) = climb(options, &model, entrant, series.next).await?;
            // The next climb begins close to where this one ended.
            series.next = held.saturating_sub(STEP).max(STEP);
            if round > 0 {
                series.held.push(held as f64);
                series.by_work.push(1e6 / RATE / per_piece);
            }
        }
        println!("  round {round} of {} done", options.rounds);
    }
    Ok(rows(&all, &series))
}

/// The most streams that were held, and the processor time of a piece then.
async fn climb(options: &Options, model: &Mock, entrant: &mut Entrant, from: usize) -> Result<(usize, f64)> {
    let (mut held, mut per_piece, mut streams) = (0, f64::NAN, from);
    while streams <= MOST {
        let round = chunks::one_round(model, entrant, streams, options.seconds).await?;
        if is_in_time(&round) {
            (held, per_piece) = (streams, round.cpu);
            streams += STEP;
        } else if held > 0 || streams <= STEP {
            break;
        } else {
            streams -= STEP;
        }
    }
    println!("  {}: {held} streams, {per_piece:.1} µs a piece", entrant.name());
    Ok((held, per_piece))
}

fn is_in_time(round: &Round) -> bool {
    round.heard.check("").is_ok() && round.late(0.99) <= LATE
}

fn rows(all: &[Entrant], series: &[Series]) -> Vec<Measured> {
    let floor = series.first().map(|first| first.held.clone()).unwrap_or_default();
    let mut rows = Vec::new();
    for (entrant, series) in all.iter().zip(series) {
        let name = entrant.name();
        let (must, aim, ratios) = match entrant.is_house() {
            true => (
                Bound::AtLeast(500.0),
                Bound::AtLeast(850.0),
                series.held.iter().zip(&floor).map(|(held, floor)| held / floor).collect(),
            ),
            false => (Bound::None, Bound::None, Vec::new()),
        };
        let (unit, what) = ("", format!("P6 streams in time, {name}"));
        rows.push(Measured {
            what,
            unit,
            values: series.held.clone(),
            ratios,
            must: Bound::None,
            aim: Bound::None,
        });
        let what = format!("P6 streams a processor, {name}");
        rows.push(Measured { what, unit, values: series.by_work.clone(), ratios: Vec::new(), must, aim });
    }
    rows
}
