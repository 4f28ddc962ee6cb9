//! Whether the database can work. The server knows it at any moment without asking, so no request waits for a database that is away.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
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
    /// The server takes no changes at the moment: there is another one to which they go, or will be.
    ReadOnly,
    /// The master key was changed by another process, and this one does not have the new key.
    LacksKey,
}

/// After a write that found no room, the disk counts as full for this long, or until a write succeeds.
const FULL_FOR: Duration = Duration::from_secs(5);

pub(crate) struct Pulse {
    away: watch::Sender<bool>,
    /// It answers, and takes no changes.
    read_only: AtomicBool,
    /// Connections that were made before this moment are not used any more: they may lead to a server that was failed over from.
    stale_before: Mutex<Option<Instant>>,
    /// On those that were made before this moment no answer comes any more, either.
    dead_before: watch::Sender<Option<Instant>>,
    /// When the server was started: another one, or the same anew, knows nothing of older connections.
    server: Mutex<Option<i64>>,
    /// What the server's clock said, and when that was heard.
    clock: Mutex<Option<(i64, Instant)>>,
    doubted: Notify,
    full_since: Mutex<Option<Instant>>,
}

impl Default for Pulse {
    fn default() -> Self {
        Self {
            away: watch::Sender::new(false),
            read_only: AtomicBool::new(false),
            stale_before: Mutex::default(),
            dead_before: watch::Sender::new(None),
            server: Mutex::default(),
            clock: Mutex::default(),
            doubted: Notify::new(),
            full_since: Mutex::default(),
        }
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

    /// When that changes, nothing waits any more for what was asked before: after a cut wire or a failover no answer ever comes.
    pub fn set_away(&self, away: bool) {
        let changed = self.away.send_if_modified(|known| std::mem::replace(known, away) != away);
        match (changed, away) {
            (true, true) => tracing::error!("the database does not answer; the server keeps trying"),
            (true, false) => tracing::info!("the database answers again"),
            (false, _) => return,
        }
        self.give_up_connections();
    }

    /// The server that answers was started then. If it is another than before, what was asked that one is not answered any more: not
    /// every wire that is cut says so.
    pub fn set_server(&self, started: i64) {
        let known = self.server.lock().unwrap_or_else(PoisonError::into_inner).replace(started);
        if known.is_some_and(|known| known != started) {
            tracing::info!("the database is another server than before, or was started anew");
            self.give_up_connections();
        }
    }

    pub fn is_read_only(&self) -> bool {
        self.read_only.load(Ordering::Relaxed)
    }

    /// What the server says of itself. When that changes, no connection of before is used any more.
    pub fn set_read_only(&self, read_only: bool) {
        match (self.read_only.swap(read_only, Ordering::Relaxed), read_only) {
            (false, true) => {
                tracing::error!("the database is read-only; the server keeps trying with new connections");
            }
            (true, false) => tracing::info!("the database can be changed again"),
            _ => return,
        }
        self.part_with_connections();
    }

    /// Connections that there are now are closed instead of being used again.
    pub fn part_with_connections(&self) {
        *self.stale_before.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// As [`Self::part_with_connections`], and what waits on them for an answer is told that none comes.
    fn give_up_connections(&self) {
        self.part_with_connections();
        self.dead_before.send_replace(Some(Instant::now()));
    }

    /// Was a connection that was made then made after the last change?
    pub fn is_fresh(&self, made: Instant) -> bool {
        self.stale_before.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|before| made >= before)
    }

    /// Returns when no answer comes any more on a connection that was made then.
    pub async fn is_dead(&self, made: Instant) {
        let is_dead = |before: &Option<Instant>| before.is_some_and(|before| made < before);
        drop(self.dead_before.subscribe().wait_for(is_dead).await);
    }

    /// The server's clock says this, in milliseconds.
    pub fn set_clock(&self, millis: i64) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some((millis, Instant::now()));
    }

    /// What the server's clock says by now; none where it was never heard. Our own clock is not asked, only how long it was since.
    pub fn clock(&self) -> Option<i64> {
        let (said, heard) = (*self.clock.lock().unwrap_or_else(PoisonError::into_inner))?;
        Some(said.saturating_add(i64::try_from(heard.elapsed().as_millis()).unwrap_or(i64::MAX)))
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
            _ if self.is_read_only() => Health::ReadOnly,
            Some(since) if since.elapsed() < FULL_FOR => Health::Full,
            _ => Health::Good,
        }
    }
}
