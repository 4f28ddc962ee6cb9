//! A reader that never gives up: it follows a session by its cursor over every cut and restart, and notices at once when
//! an event is missing or comes twice.

use serde_json::Value;
use std::time::Duration;
use testkit::{client::Client, sse::SseEvent};
use tokio::{sync::watch, time::sleep};

/// What it has seen.
#[derive(Default)]
pub struct Seen {
    pub cursor: Option<String>,
    pub durable: Vec<Value>,
    /// The text of the open message as it came in pieces.
    live: String,
    pub connections: usize,
    pub resumed_mid_message: usize,
}

impl Seen {
    /// Nothing yet; the log is wanted from its start.
    pub fn nothing() -> Self {
        Self { cursor: Some("0".to_owned()), ..Self::default() }
    }

    pub fn take(&mut self, event: SseEvent) {
        self.cursor = Some(event.id.clone());
        let data = &event.data["data"];
        match event.event.as_str() {
            "text" => self.live.push_str(data["text"].as_str().unwrap()),
            "thinking" | "element_start" | "element_update" | "element_complete" => {}
            // Of the text itself; what came of a call is in the log.
            "element_error" if data["call_id"].is_null() => {}
            _ => {
                let expected = self.durable.len() as u64 + 1;
                assert_eq!(event.data["seq"].as_u64(), Some(expected), "a gap or a repeat: {}", event.data);
                match event.event.as_str() {
                    "message_start" | "message_restarted" => self.live.clear(),
                    "message_complete" => self.complete(data),
                    _ => {}
                }
                self.durable.push(event.data);
            }
        }
    }

    fn complete(&mut self, data: &Value) {
        let content = data["content"].as_str().unwrap();
        // The program's own words about a failure replace what there was of the reply.
        if data["stop_reason"] != "interrupted" {
            // Elements and calls are no text: what is left was shown in its order.
            let shown = match content.contains(['<', '@']) {
                true => is_left_of(&self.live, content),
                false => content.starts_with(&self.live),
            };
            assert!(shown, "{:?} was shown, {content:?} was stored", self.live);
        }
        self.live.clear();
    }

    /// Is there text of a message that has not ended?
    pub fn in_a_message(&self) -> bool {
        !self.live.is_empty()
    }

    /// Has the log been read up to here?
    pub fn has(&self, seq: u64) -> bool {
        self.durable.len() as u64 >= seq
    }
}

/// Is `shown` what is left when parts of `stored` are taken out?
fn is_left_of(shown: &str, stored: &str) -> bool {
    let mut stored = stored.chars();
    shown.chars().all(|character| stored.any(|other| other == character))
}

/// Follows until the session's log is read up to the `seq` that `until` finally names.
pub async fn follow(
    client: Client,
    session: String,
    mut base: watch::Receiver<String>,
    until: watch::Receiver<Option<u64>>,
) -> Seen {
    let mut seen = Seen::nothing();
    let complete = |seen: &Seen| until.borrow().is_some_and(|seq| seen.has(seq));
    while !complete(&seen) {
        let address = base.borrow_and_update().clone();
        let Ok(mut stream) = client.at(&address).follow(&session, seen.cursor.as_deref()).await else {
            sleep(Duration::from_millis(5)).await;
            continue;
        };
        if stream.status != 200 {
            sleep(Duration::from_millis(5)).await;
            continue;
        }
        seen.connections += 1;
        seen.resumed_mid_message += usize::from(!seen.live.is_empty());
        let mut finished = until.clone();
        while !complete(&seen) {
            tokio::select! {
                event = stream.next() => match event {
                    Ok(Some(event)) => seen.take(event),
                    _ => break,
                },
                _ = finished.changed() => {}
            }
        }
    }
    seen
}
