//! A reader of everything that a person has, who changes nodes again and again.

use super::anywhere::Addresses;
use rand::{RngExt, rngs::StdRng};
use serde_json::Value;
use std::{collections::BTreeMap, time::Duration};
use testkit::{client::Client, sse::SseEvent};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

/// A node that says nothing for so long may stand still.
const SILENCE: Duration = Duration::from_secs(5);

/// How far each session is to be read.
pub type Ends = BTreeMap<String, u64>;

#[derive(Default)]
pub struct SeenEverything {
    /// How far the log of each session was told over the connection that is open. There is no cursor over all of them.
    told: BTreeMap<String, u64>,
    /// Every event, by its session and number.
    pub events: BTreeMap<(String, u64), Value>,
    pub connections: usize,
}

impl SeenEverything {
    fn take(&mut self, SseEvent { event, data, .. }: SseEvent) {
        let session = || data["session_id"].as_str().unwrap().to_owned();
        match event.as_str() {
            "snapshot" => {
                let glances = data["sessions"].as_array().unwrap();
                let glance = |glance: &Value| {
                    (glance["session_id"].as_str().unwrap().to_owned(), glance["last_seq"].as_u64().unwrap())
                };
                self.told = glances.iter().map(glance).collect();
            }
            "session_created" => {
                self.told.entry(session()).or_insert(0);
            }
            "session_deleted" => {
                self.told.remove(&session());
            }
            _ => {
                let Some(seq) = data["seq"].as_u64() else { return };
                let (session, part) = (session(), (data["type"].clone(), data["data"].clone()));
                let told = self.told.entry(session.clone()).or_insert(seq - 1);
                assert_eq!(seq, *told + 1, "an event of {session} is missing, or comes twice");
                *told = seq;
                let part = Value::from(vec![part.0, part.1]);
                let known = self.events.entry((session, seq)).or_insert_with(|| part.clone());
                assert_eq!(*known, part, "another connection told it otherwise");
            }
        }
    }

    fn has(&self, ends: &Ends) -> bool {
        ends.iter().all(|(session, end)| self.told.get(session).is_some_and(|told| told >= end))
    }
}

/// Reads until one connection has told everything up to where `until` finally says.
pub async fn wander(
    client: Client,
    addresses: Addresses,
    mut random: StdRng,
    until: watch::Receiver<Option<Ends>>,
) -> SeenEverything {
    let mut seen = SeenEverything::default();
    let complete = |seen: &SeenEverything| until.borrow().as_ref().is_some_and(|ends| seen.has(ends));
    while !complete(&seen) {
        let somewhere = client.at(&addresses.any(&mut random));
        let Ok(Ok(mut stream)) = timeout(SILENCE, somewhere.follow_everything()).await else {
            sleep(Duration::from_millis(20)).await;
            continue;
        };
        if stream.status != 200 {
            assert!(matches!(stream.status, 429 | 503), "{}", stream.status);
            sleep(Duration::from_millis(20)).await;
            continue;
        }
        seen.connections += 1;
        let mut finished = until.clone();
        let mut left = random.random_range(1..200);
        while left > 0 && !complete(&seen) {
            tokio::select! {
                event = timeout(SILENCE, stream.next()) => match event {
                    Ok(Ok(Some(event))) => {
                        seen.take(event);
                        left -= 1;
                    }
                    _ => break,
                },
                _ = finished.changed() => {}
            }
        }
    }
    seen
}
