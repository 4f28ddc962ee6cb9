//! P10: a reader that comes back after a long time gets everything it has missed.

use super::entrants::{self, Entrant, plain};
use crate::{
    floor::{Floor, Running},
    load::{
        client::{Ask, Readers, Until},
        fill::{self, EVENTS_PER_TURN},
        house::House,
        mock::Mock,
    },
    options::Options,
    rounds::{Bound, Measured},
};
use anyhow::{Context, Result};
use std::{io::Write, net::SocketAddr};
use tempfile::NamedTempFile;

const TURNS: [u64; 2] = [111, 11_111];
/// Events that one round replays, at least: a short log is replayed several times.
const AT_LEAST: u64 = 30_000;

pub async fn measure(options: &Options) -> Result<Vec<Measured>> {
    println!("P10: a log is read again from its beginning; the floor sends the same bytes from memory");
    entrants::introduce(options);
    let model = Mock::start()?;
    let (mut houses, _cluster) = entrants::houses(options, &model).await?;
    for entrant in &mut houses {
        if let Entrant::House(_, house) = entrant {
            furnish(house).await?;
        }
    }
    let mut rows = Vec::new();
    for (session, turns) in TURNS.into_iter().enumerate() {
        rows.extend(of_length(options, &houses, session, turns * EVENTS_PER_TURN).await?);
    }
    Ok(rows)
}

/// A session for each length.
async fn furnish(house: &mut House) -> Result<()> {
    house.furnish(TURNS.len()).await?;
    let user = house.user().await?.parse()?;
    house.stop().await?;
    let store = house.store().await?;
    for (session, turns) in house.sessions.iter().zip(TURNS) {
        fill::turns(&store, user, session.parse()?, turns).await?;
    }
    store.close().await;
    house.start().await
}

async fn of_length(
    options: &Options,
    houses: &[Entrant],
    session: usize,
    events: u64,
) -> Result<Vec<Measured>> {
    let mut file = NamedTempFile::new()?;
    let first = houses.first().context("there is no program")?;
    let (address, request) = replay(first, session)?;
    file.write_all(&read(address, request, events, true).await?)?;
    let path = file.path().to_str().context("a path is not UTF-8")?;
    let memory = Entrant::Floor(Floor::Memory, Running::start(Floor::Memory, path)?);
    let all: Vec<&Entrant> = std::iter::once(&memory).chain(houses).collect();
    let mut series = vec![Vec::new(); all.len()];
    for round in 0..=options.rounds {
        for place in (0..all.len()).map(|place| (place + round) % all.len()) {
            let (Some(entrant), Some(series)) = (all.get(place), series.get_mut(place)) else { continue };
            let value = per_second(entrant, session, events).await?;
            if round > 0 {
                series.push(value);
            }
        }
        println!("  {events} events: round {round} of {} done", options.rounds);
    }
    Ok(rows(&all, series, events))
}

fn rows(all: &[&Entrant], series: Vec<Vec<f64>>, events: u64) -> Vec<Measured> {
    let floor = series.first().cloned().unwrap_or_default();
    let (mut rows, mut houses) = (Vec::new(), Vec::new());
    for (entrant, values) in all.iter().zip(series) {
        let name = entrant.name();
        let (must, aim) = match entrant.is_house() {
            true => (Bound::AtLeast(200_000.0), Bound::AtLeast(1_000_000.0)),
            false => (Bound::None, Bound::None),
        };
        let what = format!("P10 events/CPU s, {events}, {name}");
        let unit = "/s";
        if entrant.is_house() {
            houses.push((name.to_owned(), values.clone()));
            let ratios = values.iter().zip(&floor).map(|(value, floor)| floor / value).collect();
            let what = format!("P10 µs/event, {events}, {name}");
            let micros = values.iter().map(|value| 1e6 / value).collect();
            rows.push(Measured {
                what,
                unit: "µs",
                values: micros,
                ratios,
                must: Bound::None,
                aim: Bound::None,
            });
        }
        rows.push(Measured { what, unit, values, ratios: Vec::new(), must, aim });
    }
    rows.extend(entrants::against_first(&format!("P10 events/CPU s, {events}"), &houses));
    rows
}

fn replay(entrant: &Entrant, session: usize) -> Result<(SocketAddr, Vec<u8>)> {
    match entrant {
        Entrant::House(_, house) => Ok((house.address, house.follow(session, Some(0))?)),
        Entrant::Floor(_, running) | Entrant::Peer(_, running) => {
            Ok((running.address, plain("GET", "/", running.address)))
        }
        Entrant::Direct(_) => anyhow::bail!("the model has no log"),
    }
}

/// Events per second of processor time.
async fn per_second(entrant: &Entrant, session: usize, events: u64) -> Result<f64> {
    let (address, request) = replay(entrant, session)?;
    let process = entrant.process().context("there is no process")?;
    let times = AT_LEAST.div_ceil(events);
    let before = process.worked()?;
    for _ in 0..times {
        read(address, request.clone(), events, false).await?;
    }
    let micros = process.worked()?.micros_since(&before);
    Ok((events * times) as f64 / micros * 1e6)
}

/// Reads all events of a log, none missing and none twice; their bytes, if they are to be kept.
async fn read(address: SocketAddr, request: Vec<u8>, events: u64, keep: bool) -> Result<Vec<u8>> {
    let ask = Ask { address, request, until: Until::Seq(events) };
    let heard = Readers::open(vec![ask], keep)?.finish().await?;
    heard.check("the replay")?;
    Ok(heard.body)
}
