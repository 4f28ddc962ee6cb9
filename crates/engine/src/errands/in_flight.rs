//! Errands that were decided on and are not stored yet, by the work they belong to: the next decision counts them.

use crate::engine::Engine;
use domain::TurnId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// How many errands of each piece of work are decided on and not stored yet.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<HashMap<TurnId, u64>>);

impl InFlight {
    fn change(&self, root: TurnId, by: impl FnOnce(u64) -> u64) -> u64 {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = by(counts.get(&root).copied().unwrap_or_default());
        match now {
            0 => counts.remove(&root),
            now => counts.insert(root, now),
        };
        now
    }
}

/// A slot among the errands of one piece of work, from before they are counted until this one is stored or given up.
#[derive(Clone)]
pub(crate) struct ErrandSlot {
    _taken: Arc<TakenSlot>,
}

struct TakenSlot {
    in_flight: Arc<InFlight>,
    root: TurnId,
}

impl ErrandSlot {
    /// With how many there are now, this one among them.
    pub(crate) fn take(engine: &Engine, root: TurnId) -> (Self, u64) {
        let in_flight = engine.state::<InFlight>();
        let count = in_flight.change(root, |count| count.saturating_add(1));
        (Self { _taken: Arc::new(TakenSlot { in_flight, root }) }, count)
    }
}

impl Drop for TakenSlot {
    fn drop(&mut self) {
        self.in_flight.change(self.root, |count| count.saturating_sub(1));
    }
}
