//! What reaches a worker from outside its turn, and how long it may work.

use crate::claim::running::Announced;
use std::{sync::Arc, time::Duration};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

/// How others reach the worker while it runs.
pub(crate) struct WorkerSignals {
    /// Cancelled when the turn is to be stopped: by a person, or by the worker that finds the stop in the database.
    pub(crate) stop: CancellationToken,
    /// Cancelled when the turn is another worker's, and when the program goes down.
    pub(crate) lost: CancellationToken,
    /// Notified when an answer may have come to something the turn waits for.
    pub(crate) answered: Arc<Notify>,
    /// `true`: the machine has heard of the stop.
    pub(crate) stopped: bool,
}

impl WorkerSignals {
    pub(crate) fn new(announced: &Announced) -> Self {
        let (stop, lost) = (announced.stop.clone(), announced.lost.clone());
        Self { stop, lost, answered: announced.answered.clone(), stopped: false }
    }
}

/// The time that a turn works; waiting for a person does not count.
pub(crate) struct WorkClock {
    /// When this worker began.
    since: Instant,
    /// What earlier workers of this turn had used of its time.
    base_ms: u64,
}

impl WorkClock {
    pub(crate) fn start(base_ms: u64) -> Self {
        Self { since: Instant::now(), base_ms }
    }

    /// Milliseconds of work so far, with those of earlier workers.
    pub(crate) fn active_ms(&self) -> u64 {
        let here = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.base_ms.saturating_add(here)
    }

    /// When a turn that may work for so long has to end.
    pub(crate) fn deadline(&self, wall_seconds: u32) -> Instant {
        let limit = Duration::from_secs(u64::from(wall_seconds));
        self.since + limit.saturating_sub(Duration::from_millis(self.base_ms))
    }
}
