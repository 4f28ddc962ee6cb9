//! How a room wakes a background job without knowing it: it says what it has stored.

use crate::engine::Engine;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Notify;

/// What a background job can be woken by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WakeUp {
    /// Something was stored that waits for a limited time only.
    Expires,
    /// A schedule was changed, or a turn of one has ended.
    Due,
    /// A session was deleted that goes later.
    Deletion,
    /// Another node has left turns that run: it is dead, or goes down.
    LeftTurns,
    /// Another node goes down, and has left errands that are to be settled.
    LeftErrands,
    /// Other nodes may have told something that was not heard.
    MissedNotes,
    /// At another node a proof has ended, or may have.
    Ended,
    /// Another node changes the master key, or may.
    MasterKey,
}

#[derive(Default)]
struct WakeUps(Mutex<HashMap<WakeUp, Arc<Notify>>>);

impl Engine {
    /// Wakes the job that waits for this; one that is at work runs once more.
    pub(crate) fn wake(&self, what: WakeUp) {
        self.woken(what).notify_one();
    }

    /// Notified by [`Engine::wake`].
    pub(crate) fn woken(&self, what: WakeUp) -> Arc<Notify> {
        let wake_ups = self.state::<WakeUps>();
        let mut known = wake_ups.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(what).or_default().clone()
    }
}
