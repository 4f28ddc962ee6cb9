//! Hears what other nodes tell, and gives it to the rooms.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::{
        neighbours::HELLO,
        node_note::{self, NodeNote},
        tell::{BusState, NoteTaker},
    },
    engine::Engine,
    error::Result,
};
use async_trait::async_trait;
use std::time::Duration;
use store::BusNews;
use tokio::time::{Instant, timeout};

/// A node hears its own hello: a connection on which nothing comes for so long is dead.
const DEAF: Duration = HELLO.saturating_mul(4);
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) struct Hear;

#[async_trait]
impl BackgroundJob for Hear {
    fn name(&self) -> &'static str {
        "notes of other nodes"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        let (bus, halt) = (engine.bus(), &engine.inner.halt);
        let Some((own, way)) = bus.way() else { return Ok(()) };
        let mut ears = way.listen(&own.simple().to_string());
        loop {
            let heard = tokio::select! {
                biased;
                () = halt.cancelled() => return Ok(()),
                heard = timeout(DEAF, ears.next()) => heard,
            };
            match heard {
                Err(_) => {
                    bus.neighbours.set_deaf(true);
                    ears.reconnect();
                }
                Ok(BusNews::Gap) => {
                    bus.outbox.add(NodeNote::Hello { asks: true });
                    gap(engine, &bus);
                }
                Ok(BusNews::Told(text)) => hear(engine, &bus, &text),
            }
        }
    }

    async fn next_run(&self, _: &Engine) -> NextRun {
        NextRun::In(PAUSE)
    }
}

fn hear(engine: &Engine, bus: &BusState, text: &str) {
    let Some((from, notes)) = node_note::read(text) else { return };
    if bus.own_name() == Some(from) {
        return bus.neighbours.set_deaf(false);
    }
    if bus.neighbours.hear(from, Instant::now()) {
        // What it told before was not for one that it did not know, either.
        gap(engine, bus);
    }
    for note in notes {
        match note {
            NodeNote::Hello { asks: true } => bus.outbox.add(NodeNote::Hello { asks: false }),
            NodeNote::Hello { asks: false } => {}
            NodeNote::Missed => gap(engine, bus),
            note => takers(bus).iter().for_each(|taker| taker.take(engine, from, &note)),
        }
    }
}

pub(super) fn gap(engine: &Engine, bus: &BusState) {
    takers(bus).iter().for_each(|taker| taker.gap(engine));
}

fn takers(bus: &BusState) -> &[Box<dyn NoteTaker>] {
    bus.takers.get().map_or(&[], Vec::as_slice)
}
