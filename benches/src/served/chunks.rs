//! P4 and P5: what a piece of a reply costs the program, and how much later than from the model itself it comes.

use super::{
    chunk_rows,
    entrants::{self, Entrant},
    peer,
};
use crate::{
    findings::Findings,
    floor::{Floor, Running},
    load::{
        client::{Heard, Readers, percentile},
        clock,
        mock::{Mock, Pace},
        process::Worked,
    },
    options::Options,
};
use anyhow::{Context, Result};
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
    /// How late the pieces came, in microseconds, the earliest first.
    pub late: Vec<u32>,
    /// The memory of the process while all streams are open.
    pub resident: f64,
    pub heard: Heard,
}

impl Round {
    pub fn late(&self, share: f64) -> f64 {
        percentile(&self.late, share)
    }
}

/// All rounds of one entrant with so many streams.
#[derive(Default)]
pub struct Series {
    pub name: String,
    pub is_house: bool,
    pub cpu: Vec<f64>,
    pub whole: Vec<f64>,
    pub p50: Vec<f64>,
    pub p99: Vec<f64>,
    /// Of all rounds.
    pub late: Vec<u32>,
    pub worst_end: u32,
}

pub async fn measure(options: &Options, counts: &[usize]) -> Result<Findings> {
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
    all.extend(peer::start(&model.url()));
    let mut taken = Vec::new();
    for streams in options.streams(counts) {
        taken.push((streams, of_count(options, &model, &mut all, streams).await?));
    }
    let rows = taken.iter().flat_map(|(streams, series)| chunk_rows::rows(series, *streams)).collect();
    Ok(Findings { rows, plots: chunk_rows::plots(&taken), ..Findings::default() })
}

async fn of_count(
    options: &Options,
    model: &Mock,
    all: &mut [Entrant],
    streams: usize,
) -> Result<Vec<Series>> {
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
            let taken = one_round(model, entrant, streams, options.seconds).await;
            let taken = taken.with_context(|| entrant.name().to_owned())?;
            taken.heard.check(entrant.name())?;
            if round > 0 {
                series.add(taken);
            }
        }
        println!("  {streams} streams: round {round} of {} done", options.rounds);
    }
    for one in &series {
        let late = f64::from(one.worst_end) / 1e3;
        println!(
            "  {streams} streams, {}: the last reply ended {late:.1} ms after its last piece was due",
            one.name
        );
    }
    Ok(series)
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
    Ok(Round { cpu, whole, late: heard.lateness(window), resident, heard })
}

impl Series {
    fn add(&mut self, round: Round) {
        self.cpu.push(round.cpu);
        self.whole.push(round.whole);
        self.p50.push(round.late(0.5));
        self.p99.push(round.late(0.99));
        self.worst_end = self.worst_end.max(round.heard.worst_end());
        self.late.extend(round.late);
    }
}
