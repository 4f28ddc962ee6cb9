//! Whether the database can work, known at any moment without asking it: so nobody waits for one that is away.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{Notify, watch};

/// What is known of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    Good,
    /// It does not answer.
    Away,
    /// It can be read, and nothing new can be stored.
    Full,
}

/// After a write that found no room, the disk counts as full for this long, or until a write succeeds.
const FULL_FOR: Duration = Duration::from_secs(5);

pub(crate) struct Pulse {
    away: watch::Sender<bool>,
    doubted: Notify,
    full_since: Mutex<Option<Instant>>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self { away: watch::Sender::new(false), doubted: Notify::new(), full_since: Mutex::default() }
    }
}

impl Pulse {
    pub fn is_away(&self) -> bool {
        *self.away.borrow()
    }

    /// Returns when the database is known to be away.
    pub async fn gone(&self) {
        // The sender is this value's own, so that there always is one.
        drop(self.away.subscribe().wait_for(|away| *away).await);
    }

    pub fn set_away(&self, away: bool) {
        let changed = self.away.send_if_modified(|known| std::mem::replace(known, away) != away);
        match (changed, away) {
            (true, true) => tracing::error!("the database does not answer; it is asked again and again"),
            (true, false) => tracing::info!("the database answers again"),
            (false, _) => {}
        }
    }

    /// Somebody had trouble with the database: it is looked at now.
    pub fn doubt(&self) {
        self.doubted.notify_one();
    }

    pub async fn doubted(&self) {
        self.doubted.notified().await;
    }

    pub fn note_write(&self, found_room: bool) {
        let since = (!found_room).then(Instant::now);
        *self.full_since.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }

    pub fn health(&self) -> Health {
        let full = *self.full_since.lock().unwrap_or_else(PoisonError::into_inner);
        match full {
            _ if self.is_away() => Health::Away,
            Some(since) if since.elapsed() < FULL_FOR => Health::Full,
            _ => Health::Good,
        }
    }
}
