//! Who else works on this database: the nodes that were heard a short while ago.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;
use uuid::Uuid;

/// Each node says hello this often, and is forgotten after three that were not heard.
pub(crate) const HELLO: Duration = Duration::from_secs(2);
const SILENT: Duration = Duration::from_secs(6);

#[derive(Default)]
pub(crate) struct Neighbours {
    heard: Mutex<HashMap<Uuid, Instant>>,
    count: AtomicUsize,
    /// This node does not even hear itself: others may be there.
    deaf: AtomicBool,
}

impl Neighbours {
    fn heard(&self) -> MutexGuard<'_, HashMap<Uuid, Instant>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A node was heard. `true`: it was not known before.
    pub(super) fn hear(&self, node: Uuid, now: Instant) -> bool {
        let mut heard = self.heard();
        let is_new = heard.insert(node, now).is_none();
        self.count.store(heard.len(), Ordering::Relaxed);
        is_new
    }

    /// Forgets those that have been silent for too long. `true`: there were some.
    pub(super) fn forget_silent(&self, now: Instant) -> bool {
        let mut heard = self.heard();
        let before = heard.len();
        heard.retain(|_, last| now.saturating_duration_since(*last) < SILENT);
        self.count.store(heard.len(), Ordering::Relaxed);
        heard.len() < before
    }

    pub(super) fn set_deaf(&self, deaf: bool) {
        self.deaf.store(deaf, Ordering::Relaxed);
    }

    pub(super) fn is_deaf(&self) -> bool {
        self.deaf.load(Ordering::Relaxed)
    }

    pub(crate) fn is_alone(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_that_is_silent_is_forgotten_and_new_when_it_speaks_again() {
        let (neighbours, node, now) = (Neighbours::default(), Uuid::from_u128(1), Instant::now());
        assert!(neighbours.is_alone());
        assert!(neighbours.hear(node, now));
        assert!(!neighbours.hear(node, now));
        assert!(!neighbours.forget_silent(now + HELLO * 2));
        assert!(!neighbours.is_alone());
        assert!(neighbours.forget_silent(now + HELLO * 4));
        assert!(neighbours.is_alone());
        assert!(neighbours.hear(node, now + HELLO * 4));
    }
}
