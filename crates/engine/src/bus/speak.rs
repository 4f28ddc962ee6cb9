//! Sends what waits for other nodes: at once, but no more often than every ten milliseconds, all that waits in one statement.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::{
        hear::gap,
        neighbours::HELLO,
        node_note::{self, NodeNote},
        outbox::{Outbox, WaitingNotes, pack},
        tell::BusState,
    },
    engine::Engine,
    error::Result,
    faults::guards_off::notes_are_off,
};
use async_trait::async_trait;
use serde_json::value::to_raw_value;
use std::{
    collections::{BTreeMap, VecDeque},
    sync::atomic::Ordering,
    time::Duration,
};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

const PACKED: Duration = Duration::from_millis(10);
/// After a failure.
const PAUSE: Duration = Duration::from_millis(200);
/// Of live pieces in one note, before they are sealed.
const PART_BYTES: usize = 5_600;

pub(crate) struct Speak;

#[async_trait]
impl BackgroundJob for Speak {
    fn name(&self) -> &'static str {
        "notes to other nodes"
    }

    /// Turns that are given time to end are shown elsewhere, too.
    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        let (bus, halt) = (engine.bus(), &engine.inner.halt);
        let (mut hello, mut soonest) = (Instant::now() + HELLO, Instant::now());
        loop {
            let is_last = tokio::select! {
                biased;
                () = halt.cancelled() => true,
                () = bus.outbox.stirred() => false,
                () = sleep_until(hello) => false,
            };
            if !is_last {
                sleep_until(soonest).await;
            }
            let now = Instant::now();
            if now >= hello {
                hello = now + HELLO;
                if bus.neighbours.forget_silent(now) {
                    // It may have died before it told what it did.
                    gap(engine, &bus);
                }
                bus.outbox.add(NodeNote::Hello { asks: false });
            }
            soonest = now + PACKED;
            if let Err(error) = flush(engine, &bus).await {
                tracing::debug!(%error, "bus: notes to other nodes could not be sent; they are sent later");
                soonest = Instant::now() + PAUSE;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    async fn next_run(&self, _: &Engine) -> NextRun {
        NextRun::In(PAUSE)
    }
}

async fn flush(engine: &Engine, bus: &BusState) -> store::Result<()> {
    let Some((own, way)) = bus.way() else { return Ok(()) };
    let WaitingNotes { notes, mut live, sessions, .. } = bus.outbox.take();
    if let Some(source) = bus.live.get().filter(|_| !sessions.is_empty()) {
        live.extend(source.pieces(engine, sessions));
    }
    if notes_are_off() {
        live.clear();
    }
    // The live pieces first: what happened to a message is shown after what was said of it before.
    let texts = seal(engine, bus, *own, live).map(|mut texts| {
        texts.extend(pack(*own, &notes).into_iter().map(|text| (None, text)));
        texts
    });
    let sent = send_or_keep(&bus.outbox, notes, texts, async |texts| way.send(&texts).await).await;
    if sent.is_err()
        && let Some(source) = bus.live.get()
    {
        source.begin_again(engine);
    }
    sent
}

/// A text for one node, or for all.
type Addressed = (Option<String>, String);

/// Where the texts cannot be made or sent, the notes wait for the next time.
async fn send_or_keep(
    outbox: &Outbox,
    notes: VecDeque<NodeNote>,
    texts: store::Result<Vec<Addressed>>,
    send: impl AsyncFnOnce(Vec<Addressed>) -> store::Result<()>,
) -> store::Result<()> {
    let sent = match texts {
        Ok(texts) => send(texts).await,
        Err(error) => Err(error),
    };
    if sent.is_err() {
        outbox.put_back(notes);
    }
    sent
}

/// The live pieces of each node, sealed for it, in parts that fit into a note.
fn seal(
    engine: &Engine,
    bus: &BusState,
    own: Uuid,
    live: Vec<(Uuid, String)>,
) -> store::Result<Vec<Addressed>> {
    let mut by_node: BTreeMap<Uuid, Vec<String>> = BTreeMap::new();
    for (node, piece) in live {
        by_node.entry(node).or_default().push(piece);
    }
    let mut texts = Vec::new();
    for (node, pieces) in by_node {
        let count = bus.sealed.fetch_add(1, Ordering::Relaxed) + 1;
        let plain = format!("[{}]", pieces.join(","));
        let parts: Vec<&[u8]> = plain.as_bytes().chunks(PART_BYTES).collect();
        for (part, plain) in (0_u32..).zip(&parts) {
            let sealed = engine.store().vault().seal_note(&journey(own, node, count, part), plain)?;
            let more = usize::try_from(part).is_ok_and(|part| part + 1 < parts.len());
            let note = to_raw_value(&NodeNote::Live { count, part, more, sealed });
            let text = note.ok().and_then(|note| node_note::write(own, &[&*note]));
            texts.extend(text.map(|text| (Some(node.simple().to_string()), text)));
        }
    }
    Ok(texts)
}

/// Names the one way for which words are sealed: they open for no other node, and not a second time.
pub(crate) fn journey(from: Uuid, to: Uuid, count: u64, part: u32) -> String {
    format!("{from}/{to}/{count}/{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn notes_wait_when_they_cannot_be_sealed_or_sent() {
        let (outbox, notes) = (Outbox::default(), VecDeque::from([NodeNote::Free, NodeNote::Missed]));
        let unsealed = Err(store::Error::Randomness("none left".to_owned()));
        let failed = send_or_keep(&outbox, notes.clone(), unsealed, async |_| Ok(())).await;
        assert!(failed.is_err());
        assert_eq!(outbox.take().notes, notes);
        let sealed = vec![(None, "note".to_owned())];
        let unsent = async |_| Err(store::Error::Unavailable("it is away".to_owned()));
        assert!(send_or_keep(&outbox, notes.clone(), Ok(sealed.clone()), unsent).await.is_err());
        assert_eq!(outbox.take().notes, notes);
        let sent = send_or_keep(&outbox, notes, Ok(sealed.clone()), async |texts| {
            assert_eq!(texts, sealed);
            Ok(())
        });
        sent.await.unwrap();
        assert!(outbox.take().notes.is_empty());
    }
}
