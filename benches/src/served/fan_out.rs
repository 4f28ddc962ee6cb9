//! P9: one reply for many readers, and what one of them costs; and whether a slow one costs the others anything.

use super::entrants::{self, Entrant, plain};
use crate::{
    findings::Findings,
    floor::{Floor, Running},
    load::{
        client::{Ask, Readers, Until, percentile},
        clock,
        mock::{Mock, Pace},
        slow_reader::SlowReader,
    },
    options::Options,
    plot::bars::{self, Group},
    rounds::{Bound, Measured},
};
use anyhow::{Context, Result};
use serde_json::json;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

pub const READERS: [usize; 2] = [100, 900];
/// With more readers than this the pieces come less often, so that two processors are not too few for them.
const FEW: usize = 300;

/// Microseconds per delivery, and how late the deliveries were.
struct Delivery {
    micros: f64,
    p99: f64,
}

pub async fn measure(options: &Options) -> Result<Findings> {
    println!("P9: one reply to many readers; the floor sends each of them the same bytes from one channel");
    entrants::introduce(options);
    let model = Mock::start()?;
    let (houses, _cluster) = entrants::houses(options, &model).await?;
    let mut all = vec![Entrant::Floor(Floor::Broadcast, Running::start(Floor::Broadcast, &model.url())?)];
    all.extend(houses);
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    for readers in options.streams(&READERS) {
        let series = of_count(options, &model, &mut all, readers).await?;
        rows.extend(self::rows(&all, &series, readers));
        let bars = all.iter().zip(series).map(|(entrant, series)| (entrant.name().to_owned(), series.plain));
        groups.push(Group { name: format!("{readers} readers"), bars: bars.collect() });
    }
    let title = "P9: processor time of one delivery, µs (median, range; dashed: the floor)";
    Ok(Findings { rows, plots: vec![bars::plot("fan-out", title, &groups)], ..Findings::default() })
}

#[derive(Default)]
struct Series {
    plain: Vec<f64>,
    slowed: Vec<f64>,
    p99: Vec<f64>,
    slowed_p99: Vec<f64>,
}

async fn of_count(
    options: &Options,
    model: &Mock,
    all: &mut [Entrant],
    readers: usize,
) -> Result<Vec<Series>> {
    let mut series: Vec<Series> = all.iter().map(|_| Series::default()).collect();
    let count = all.len();
    for round in 0..=options.rounds {
        for place in (0..count).map(|place| (place + round) % count) {
            let (Some(entrant), Some(series)) = (all.get_mut(place), series.get_mut(place)) else { continue };
            let taken = delivered(model, entrant, readers, false, options.seconds).await?;
            let slowed = match entrant.is_house() && readers <= FEW {
                true => Some(delivered(model, entrant, readers, true, options.seconds).await?),
                false => None,
            };
            if round > 0 {
                series.plain.push(taken.micros);
                series.p99.push(taken.p99);
                series.slowed.extend(slowed.as_ref().map(|slowed| slowed.micros));
                series.slowed_p99.extend(slowed.as_ref().map(|slowed| slowed.p99));
            }
        }
        println!("  {readers} readers: round {round} of {} done", options.rounds);
    }
    Ok(series)
}

fn rows(all: &[Entrant], series: &[Series], readers: usize) -> Vec<Measured> {
    let over = |values: &[f64], floor: &[f64]| {
        values.iter().zip(floor).map(|(value, floor)| value / floor).collect()
    };
    let floor = series.first().map(|first| first.plain.clone()).unwrap_or_default();
    let (mut rows, mut houses) = (Vec::new(), Vec::new());
    for (entrant, series) in all.iter().zip(series) {
        let name = entrant.name();
        let (must, aim) = match entrant.is_house() {
            true => (Bound::AtMost(2.0), Bound::AtMost(1.3)),
            false => (Bound::None, Bound::None),
        };
        let ratios = if entrant.is_house() { over(&series.plain, &floor) } else { Vec::new() };
        let what = format!("P9 µs/delivery, {readers}, {name}");
        rows.push(Measured { what, unit: "µs", values: series.plain.clone(), ratios, must, aim });
        if !series.slowed.is_empty() {
            let what = format!("P9 with a slow one, {readers}, {name}");
            let ratios = over(&series.slowed, &series.plain);
            rows.push(Measured {
                what,
                unit: "µs",
                values: series.slowed.clone(),
                ratios,
                must: Bound::AtMost(1.05),
                aim: Bound::None,
            });
            let what = format!("P9 p99 with a slow one, {readers}, {name}");
            let ratios = over(&series.slowed_p99, &series.p99);
            rows.push(Measured {
                what,
                unit: "µs",
                values: series.slowed_p99.clone(),
                ratios,
                must: Bound::None,
                aim: Bound::None,
            });
        }
        if entrant.is_house() {
            houses.push((name.to_owned(), series.plain.clone()));
        }
    }
    rows.extend(entrants::against_first(&format!("P9 µs/delivery, {readers}"), &houses));
    rows
}

async fn delivered(
    model: &Mock,
    entrant: &mut Entrant,
    readers: usize,
    slow: bool,
    seconds: f64,
) -> Result<Delivery> {
    let every = Duration::from_millis(if readers > FEW { 50 } else { 20 });
    let pieces = ((1.4 + seconds) / every.as_secs_f64()) as u32;
    model.set_pace(Pace { pieces, every });
    let (address, request) = match entrant {
        Entrant::House(_, house) => {
            house.furnish(1).await?;
            (house.address, house.follow(0, None)?)
        }
        Entrant::Floor(_, running) | Entrant::Peer(_, running) => {
            (running.address, plain("GET", "/", running.address))
        }
        Entrant::Direct(_) => anyhow::bail!("the model has no readers"),
    };
    let _slow = if slow { Some(SlowReader::open(address, &request)?) } else { None };
    let ask = Ask { address, request, until: Until::Words(pieces) };
    let following = Readers::open(vec![ask; readers], false)?;
    following.opened(readers).await?;
    let speaking = speak(entrant, address)?;
    let begun = model.begin(1).await?;
    let process = entrant.process().context("there is no process")?;
    let window = (begun + 1_000_000, begun + ((1.0 + seconds) * 1e6) as u64);
    tokio::time::sleep(clock::until(window.0)).await;
    let (first, sent) = (process.worked()?, model.sent());
    tokio::time::sleep(clock::until(window.1)).await;
    let (last, sent) = (process.worked()?, (model.sent() - sent).max(1));
    let heard = following.finish().await?;
    heard.check(entrant.name())?;
    speaking.await??;
    let micros = last.micros_since(&first) / (sent as f64 * readers as f64);
    Ok(Delivery { micros, p99: percentile(&heard.lateness(window), 0.99) })
}

/// Has the model asked once; what comes back is for the readers.
fn speak(entrant: &Entrant, address: SocketAddr) -> Result<tokio::task::JoinHandle<Result<()>>> {
    if let Entrant::House(_, house) = entrant {
        let client = house.client.clone();
        let session = house.sessions.first().context("there is no session")?.clone();
        return Ok(tokio::spawn(async move {
            let path = format!("/v1/sessions/{session}/messages");
            let answer = client.post(&path, &json!({ "content": "hello" })).await?;
            anyhow::ensure!(answer.status == 200, "{}", answer.body);
            Ok(())
        }));
    }
    let mut socket = TcpStream::connect(address)?;
    socket.write_all(&plain("POST", "/", address))?;
    let mut answer = [0; 12];
    socket.read_exact(&mut answer)?;
    anyhow::ensure!(answer.starts_with(b"HTTP/1.1 202"), "the floor refuses");
    Ok(tokio::spawn(async { Ok(()) }))
}
