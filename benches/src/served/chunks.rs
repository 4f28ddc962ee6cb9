//! P4 and P5: what a piece of a reply costs the program, and how much later than from the model itself it comes.

use super::entrants::{self, Entrant};
use crate::{
    floor::{Floor, Running},
    load::{
        client::{Heard, Readers},
        clock,
        mock::{Mock, Pace},
        process::Worked,
    },
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::Result;
use std::time::Duration;

/// Fifty pieces a second.
pub const EVERY: Duration = Duration::from_millis(20);
/// The first second does not count, nor does what comes after the window.
const BEFORE: f64 = 1.0;
const BEHIND: f64 = 0.4;

/// One round of one entrant.
pub struct Round {
    /// Processor time per piece in the middle of the replies, and over the whole of the turns.
    pub cpu: f64,
    pub whole: f64,
    pub p50: f64,
    pub p99: f64,
    /// The memory of the process while all streams are open.
    pub resident: f64,
    pub heard: Heard,
}

#[derive(Default)]
struct Series {
    name: String,
    is_house: bool,
    cpu: Vec<f64>,
    whole: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    worst_end: u32,
}

pub async fn measure(options: &Options, counts: &[usize]) -> Result<Vec<Measured>> {
    println!(
        "P4, P5: replies at 50 pieces a second through the program; the floor is a proxy that passes bytes on"
    );
    entrants::introduce(options);
    let model = Mock::start()?;
    let (houses, _cluster) = entrants::houses(options, &model).await?;
    let mut all = vec![
        Entrant::Direct(model.address),
        Entrant::Floor(Floor::Raw, Running::start(Floor::Raw, &model.url())?),
        Entrant::Floor(Floor::Decoding, Running::start(Floor::Decoding, &model.url())?),
    ];
    all.extend(houses);
    let mut rows = Vec::new();
    for streams in options.streams(counts) {
        rows.extend(of_count(options, &model, &mut all, streams).await?);
    }
    Ok(rows)
}

async fn of_count(
    options: &Options,
    model: &Mock,
    all: &mut [Entrant],
    streams: usize,
) -> Result<Vec<Measured>> {
    let new = |entrant: &Entrant| Series {
        name: entrant.name().to_owned(),
        is_house: entrant.is_house(),
        ..Series::default()
    };
    let mut series: Vec<Series> = all.iter().map(new).collect();
    let count = all.len();
    for round in 0..=options.rounds {
        for place in (0..count).map(|place| (place + round) % count) {
            let (Some(entrant), Some(series)) = (all.get_mut(place), series.get_mut(place)) else { continue };
            let taken = one_round(model, entrant, streams, options.seconds).await?;
            taken.heard.check(entrant.name())?;
            if round > 0 {
                series.add(&taken);
            }
        }
        println!("  {streams} streams: round {round} of {} done", options.rounds);
    }
    Ok(rows(&series, streams))
}

/// All streams from the request to the end of the reply; the window is where every one of them is in the middle of it.
pub async fn one_round(model: &Mock, entrant: &mut Entrant, streams: usize, seconds: f64) -> Result<Round> {
    let pieces = ((BEFORE + seconds + BEHIND) / EVERY.as_secs_f64()) as u32;
    model.set_pace(Pace { pieces, every: EVERY });
    let asks = entrant.replies(streams, pieces).await?;
    let worked = || entrant.process().map_or(Ok(Worked::default()), |process| process.worked());
    let before = worked()?;
    let readers = Readers::open(asks, false)?;
    let begun = model.begin(streams).await?;
    let window = (begun + (BEFORE * 1e6) as u64, begun + ((BEFORE + seconds) * 1e6) as u64);
    tokio::time::sleep(clock::until(window.0)).await;
    let (first, sent) = (worked()?, model.sent());
    tokio::time::sleep(clock::until(window.1)).await;
    let (last, sent) = (worked()?, (model.sent() - sent).max(1));
    let resident =
        entrant.process().map_or(Ok(f64::NAN), |process| process.resident().map(|held| held.own))?;
    let heard = readers.finish().await?;
    let whole = worked()?.micros_since(&before) / (u64::from(pieces) * streams as u64) as f64;
    let cpu = last.micros_since(&first) / sent as f64;
    let (p50, p99) = (heard.percentile(0.5, window), heard.percentile(0.99, window));
    Ok(Round { cpu, whole, p50, p99, resident, heard })
}

impl Series {
    fn add(&mut self, round: &Round) {
        self.cpu.push(round.cpu);
        self.whole.push(round.whole);
        self.p50.push(round.p50);
        self.p99.push(round.p99);
        self.worst_end = self.worst_end.max(round.heard.worst_end());
    }
}

fn over(values: &[f64], floor: &[f64]) -> Vec<f64> {
    values.iter().zip(floor).map(|(value, floor)| value / floor).collect()
}

/// What is added to the time from the model itself.
fn added(values: &[f64], direct: &[f64]) -> Vec<f64> {
    values.iter().zip(direct).map(|(value, direct)| value - direct).collect()
}

fn rows(series: &[Series], streams: usize) -> Vec<Measured> {
    let [direct, raw, others @ ..] = series else { return Vec::new() };
    let mut rows = Vec::new();
    let row = |what: String, values: Vec<f64>, floor: &[f64], must| Measured {
        what,
        unit: "µs",
        ratios: over(&values, floor),
        values,
        must,
    };
    let mut cpu: Vec<Measured> =
        vec![row(format!("P4 µs/piece, {streams}, raw proxy"), raw.cpu.clone(), &[], Bound::None)];
    let raw_p50 = added(&raw.p50, &direct.p50);
    let raw_p99 = added(&raw.p99, &direct.p99);
    let mut late = vec![
        row(format!("P5 from the model, {streams}, p50"), direct.p50.clone(), &[], Bound::None),
        row(format!("P5 added p50, {streams}, raw proxy"), raw_p50.clone(), &[], Bound::None),
        row(format!("P5 added p99, {streams}, raw proxy"), raw_p99.clone(), &[], Bound::None),
    ];
    for other in others {
        let name = &other.name;
        let must = |most| if other.is_house { Bound::AtMost(most) } else { Bound::None };
        cpu.push(row(format!("P4 µs/piece, {streams}, {name}"), other.cpu.clone(), &raw.cpu, must(2.0)));
        if other.is_house {
            cpu.push(row(
                format!("P4 with begin and end, {streams}, {name}"),
                other.whole.clone(),
                &raw.whole,
                Bound::None,
            ));
        }
        let p50 = added(&other.p50, &direct.p50);
        late.push(row(format!("P5 added p50, {streams}, {name}"), p50, &raw_p50, must(2.0)));
        let p99 = added(&other.p99, &direct.p99);
        late.push(row(format!("P5 added p99, {streams}, {name}"), p99, &raw_p99, Bound::None));
        println!(
            "  {streams} streams, {name}: the last reply ended {:.1} ms after its last piece was due",
            f64::from(other.worst_end) / 1e3
        );
    }
    let houses = |of: fn(&Series) -> &Vec<f64>| -> Vec<(String, Vec<f64>)> {
        others.iter().filter(|one| one.is_house).map(|one| (one.name.clone(), of(one).clone())).collect()
    };
    cpu.extend(entrants::against_first(&format!("P4 µs/piece, {streams}"), &houses(|one| &one.cpu)));
    late.extend(entrants::against_first(&format!("P5 p50, {streams}"), &houses(|one| &one.p50)));
    rows.extend(cpu);
    rows.extend(late);
    rows
}
