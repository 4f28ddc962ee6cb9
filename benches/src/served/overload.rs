//! Three times as much as the program can do: how much of it it does, and what it says to the rest. The program has a processor
//! of its own, who asks and the model have another one, so that those who ask take no time from the answers.

use super::entrants::{self, Entrant};
use crate::{
    load::{
        house::House,
        mock::{Mock, Pace},
        offered::{Office, Outcome},
        pinned::Pinned,
        process::machine_load,
    },
    options::Options,
    rounds::{Bound, Measured, median_micros},
};
use anyhow::Result;
use std::time::Duration;

const PIECES: u32 = 12;
const PEOPLE: [usize; 6] = [1, 2, 4, 8, 16, 32];
/// Enough to keep it busy.
const FEW: usize = 8;
/// How long a flood lasts, in seconds, and what it is compared with.
const LONG: f64 = 20.0;
const TIMES: f64 = 3.0;
/// So many that a turn finds a session in which nothing is under way, and that none gets long.
const SESSIONS: usize = 1_500;

pub async fn measure(options: &Options) -> Result<Vec<Measured>> {
    println!("overload: the most turns a second, and what is left of them at {TIMES} times as many");
    entrants::introduce(options);
    let model = Mock::start()?;
    model.set_pace(Pace { pieces: PIECES, every: Duration::ZERO });
    let (houses, _cluster) = entrants::houses(options, &model).await?;
    let mut rows = Vec::new();
    for entrant in houses {
        let Entrant::House(name, mut house) = entrant else { continue };
        rows.extend(of_house(options, &name, &mut house).await?);
        house.stop().await?;
    }
    Ok(rows)
}

async fn of_house(options: &Options, name: &str, house: &mut House) -> Result<Vec<Measured>> {
    let climbed = climb(options, name, house).await?;
    // A turn costs more in a long session than in a short one, so each measurement has sessions of its own, as new as the others'.
    let before = in_turn(name, house, climbed).await?;
    let office = new_sessions(house).await?;
    let pinned = Pinned::apart(house.process)?;
    let worked = house.process.worked()?;
    let offered = before.rate * TIMES;
    let (flood, goodput) = office.at_rate(offered, LONG).await?;
    let worked = house.process.worked()?.micros_since(&worked);
    drop(pinned);
    let (lost, surplus) = office.compare(house).await?;
    let after = in_turn(name, house, climbed).await?;
    println!(
        "  {name}: {:.0} a second were offered for {:.0} s; the program was busy for {:.0} %, the load is {:.2}",
        flood.asked as f64 / flood.seconds,
        flood.seconds,
        worked / 1e4 / flood.seconds,
        machine_load(),
    );
    let peak = Throughput {
        rate: f64::midpoint(before.rate, after.rate),
        work: f64::midpoint(before.work, after.work),
    };
    let flooded = Throughput { rate: goodput, work: worked / flood.completed as f64 };
    Ok(rows(name, &peak, &flooded, &flood, (lost, surplus)))
}

/// Sessions in which nothing was said yet.
async fn new_sessions(house: &mut House) -> Result<Office> {
    house.furnish(house.sessions.len() + SESSIONS).await?;
    Office::open(house, SESSIONS)
}

/// Turns a second, and the microseconds of the program's work for one: where other programs want the processor, the first says
/// what was left for this one, and the second what it made of that.
struct Throughput {
    rate: f64,
    work: f64,
}

/// How many people who wait for their answers have the most turns a second.
async fn climb(options: &Options, name: &str, house: &mut House) -> Result<usize> {
    let office = new_sessions(house).await?;
    let pinned = Pinned::apart(house.process)?;
    match &pinned {
        Some(pinned) => println!(
            "  {name} on processor {}, the model and who asks on {}; the machine's load is {:.2}",
            pinned.program,
            pinned.others,
            machine_load()
        ),
        None => println!(
            "  {name}: there is one processor only, so nothing is apart; the load is {:.2}",
            machine_load()
        ),
    }
    office.in_turn(FEW, 1.0).await?;
    let (mut best, mut most) = (FEW, 0.0);
    for people in PEOPLE {
        let rate = said(&office, house, people, options.seconds).await?.rate;
        if rate > most {
            (best, most) = (people, rate);
        }
    }
    Ok(best)
}

/// What so many people who wait for their answers have in new sessions, for as long as the flood lasts.
async fn in_turn(name: &str, house: &mut House, people: usize) -> Result<Throughput> {
    let office = new_sessions(house).await?;
    let pinned = Pinned::apart(house.process)?;
    println!("  {name}, new sessions:");
    let throughput = said(&office, house, people, LONG).await?;
    drop(pinned);
    let (lost, surplus) = office.compare(house).await?;
    anyhow::ensure!((lost, surplus) == (0, 0), "{lost} turns were lost, {surplus} were made");
    Ok(throughput)
}

async fn said(office: &Office, house: &House, people: usize, seconds: f64) -> Result<Throughput> {
    let before = house.process.worked()?;
    let outcome = office.in_turn(people, seconds).await?;
    let worked = house.process.worked()?.micros_since(&before);
    let (work, busy) = (worked / outcome.completed as f64, worked / 1e4 / outcome.seconds);
    let (rate, p50) = (outcome.rate(), median_micros(outcome.micros.clone()));
    print!("  {people:>3} people: {rate:>6.0} turns/s, {p50:>7.0} µs each, ");
    println!("{work:>6.0} µs of work, busy for {busy:.0} %, {} refused", outcome.refused);
    Ok(Throughput { rate, work })
}

fn rows(
    name: &str,
    peak: &Throughput,
    flooded: &Throughput,
    flood: &Outcome,
    (lost, surplus): (usize, usize),
) -> Vec<Measured> {
    let row = |what: &str, unit, value: f64, must| Measured {
        what: format!("overload {what}, {name}"),
        unit,
        values: vec![value],
        ratios: Vec::new(),
        must,
        aim: Bound::None,
    };
    let none = Bound::AtMost(0.0);
    vec![
        row("peak", "/s", peak.rate, Bound::None),
        Measured {
            ratios: vec![flooded.rate / peak.rate],
            must: Bound::AtLeast(0.8),
            ..row("completed at 3 times", "/s", flooded.rate, Bound::None)
        },
        // With the work of the refusals.
        Measured {
            ratios: vec![flooded.work / peak.work],
            ..row("CPU/turn at 3 times", "µs", flooded.work, Bound::None)
        },
        row("refused with Retry-After", "/s", flood.refused as f64 / flood.seconds, Bound::None),
        row("refused without", "", flood.dismissed as f64, none),
        row("turn p50", "µs", median_micros(flood.micros.clone()), Bound::None),
        row("refusal p50", "µs", median_micros(flood.refusal_micros.clone()), Bound::None),
        row("timed out", "", (flood.unheard + flood.unfinished) as f64, none),
        row("accepted and lost", "", lost as f64, none),
        row("stored without being asked", "", surplus as f64, none),
    ]
}
