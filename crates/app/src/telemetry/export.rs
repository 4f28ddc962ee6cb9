//! Sends what has ended, in batches. A collector that is away costs its spans and nothing else.

use super::{EndedSpan, encode};
use metrics::counter;
use provider::Collector;
use std::time::Duration;
use tokio::{sync::mpsc::Receiver, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

const BATCH: usize = 256;
/// A span waits this long for company.
const PAUSE: Duration = Duration::from_secs(2);

pub struct Exporter {
    endpoint: String,
    receiver: Receiver<EndedSpan>,
}

impl Exporter {
    pub(super) fn new(endpoint: &str, receiver: Receiver<EndedSpan>) -> Self {
        Self { endpoint: endpoint.trim().trim_end_matches('/').to_owned(), receiver }
    }

    /// Sends until `stop`, and then what is left.
    pub fn spawn(self, stop: CancellationToken) -> JoinHandle<()> {
        tokio::spawn(self.run(stop))
    }

    async fn run(mut self, stop: CancellationToken) {
        let collector = match Collector::new(&format!("{}/v1/traces", self.endpoint)) {
            Ok(collector) => collector,
            Err(error) => return tracing::warn!(%error, "telemetry is off: its collector cannot be used"),
        };
        let mut batch = Vec::new();
        let mut complained = false;
        while self.fill(&mut batch, &stop).await {
            let body = encode::traces(&batch).to_string().into_bytes();
            let count = u64::try_from(batch.len()).unwrap_or(u64::MAX);
            batch.clear();
            let outcome = match collector.deliver(body).await {
                Ok(()) => "sent",
                Err(error) => {
                    // Once, and again only after it has worked: the log is no place for a collector's absence.
                    if !complained {
                        tracing::warn!(%error, "spans could not be delivered; those of the next batches are tried");
                    }
                    "failed"
                }
            };
            complained = outcome == "failed";
            counter!("majordomo_telemetry_spans_total", "outcome" => outcome).increment(count);
        }
    }

    /// Waits for the first span, then a moment for others. `false` when there will be none any more.
    async fn fill(&mut self, batch: &mut Vec<EndedSpan>, stop: &CancellationToken) -> bool {
        tokio::select! {
            biased;
            first = self.receiver.recv() => batch.extend(first),
            () = stop.cancelled() => {
                self.receiver.close();
                batch.extend(self.receiver.recv().await);
            }
        }
        let until = Instant::now() + PAUSE;
        while !batch.is_empty() && batch.len() < BATCH {
            tokio::select! {
                biased;
                next = self.receiver.recv() => match next {
                    Some(span) => batch.push(span),
                    None => break,
                },
                () = tokio::time::sleep_until(until) => break,
                () = stop.cancelled() => self.receiver.close(),
            }
        }
        !batch.is_empty()
    }
}
