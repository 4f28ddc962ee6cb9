//! P8: durable events per second.

use crate::{
    floor,
    rounds::{Bound, Measured},
    world::{self},
};
use anyhow::Result;
use domain::{AgentState, EventBody, SessionId, Timestamp, UserId};
use std::time::Instant;
use store::{Store, log, log::Entry, sessions};

const EVENTS: usize = 16_000;
/// Events per transaction: what the start and the end of a plain turn write.
const EACH: u64 = 5;

pub async fn measure(rounds: usize) -> Result<Vec<Measured>> {
    println!(
        "P8: durable events, synchronous=FULL; {EACH} per transaction; the floor is one connection with 100 rows per commit"
    );
    let mut rows = Vec::new();
    let mut floors = Vec::new();
    for round in 0..=rounds {
        let folder = tempfile::tempdir()?;
        let mut database = floor::database::database(&folder.path().join("floor.db"))?;
        let floor = floor::database::rows_per_second(&mut database, EVENTS, 100)?;
        if round > 0 {
            floors.push(floor);
        }
    }
    for writers in [1, 32] {
        let mut values = Vec::new();
        for round in 0..=rounds {
            let value = round_of(writers).await?;
            if round > 0 {
                values.push(value);
            }
        }
        let ratios = values.iter().zip(&floors).map(|(value, floor)| value / floor).collect();
        // One writer at a time waits for its own fsync; the ratio means something where there are many.
        let must = if writers == 1 { Bound::None } else { Bound::AtLeast(0.5) };
        rows.push(Measured {
            what: format!("P8 events/s, {writers} sessions"),
            unit: "/s",
            values,
            ratios,
            must,
            aim: Bound::None,
        });
    }
    let what = "P8 floor, 100 rows per commit".to_owned();
    rows.insert(
        0,
        Measured {
            what,
            unit: "/s",
            values: floors,
            ratios: Vec::new(),
            must: Bound::None,
            aim: Bound::None,
        },
    );
    Ok(rows)
}

async fn round_of(writers: usize) -> Result<f64> {
    let model = crate::mock::start()?;
    let world = world::World::new(model).await?;
    let mut ids = Vec::new();
    for _ in 0..writers {
        ids.push(world.session().await?);
    }
    let each = if writers == 1 { EVENTS / 8 } else { EVENTS / writers };
    let begun = Instant::now();
    let mut tasks = Vec::new();
    for session in ids {
        tasks.push(tokio::spawn(write_events(world.store.clone(), world.user, session, each)));
    }
    for task in tasks {
        task.await??;
    }
    Ok((each * writers) as f64 / begun.elapsed().as_secs_f64())
}

async fn write_events(store: Store, user: UserId, session: SessionId, count: usize) -> Result<()> {
    let key = store.data_key(user).await?;
    for _ in 0..count / EACH as usize {
        let key = key.clone();
        let now = Timestamp::from_millis(0);
        let write = move |tx: &mut store::Tx| {
            let numbers = sessions::take_seq(tx, user, session, EACH, now)?;
            let event = || Entry::Event {
                turn_id: None,
                body: EventBody::AgentStatus { state: AgentState::Working },
            };
            let entries = (0..EACH).map(|_| event()).collect();
            log::append(tx, &key, numbers, now, entries)
        };
        store.write(write).await?;
    }
    Ok(())
}
