//! What could not be taken up is tried again after a pause, and after longer and longer ones: the next search may be a second away, and what
//! is missing, such as a new master key, may take a person to come.

use crate::engine::Engine;
use domain::{SessionId, TurnId};
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// The turns and the waiting sessions of this process that are left alone for a while.
#[derive(Default)]
pub(crate) struct TakeUpPauses {
    pub(super) turns: Pauses<TurnId>,
    pub(super) sessions: Pauses<SessionId>,
}

pub(super) struct Pauses<K>(Mutex<HashMap<K, Pause>>);

#[derive(Clone, Copy)]
struct Pause {
    length: Duration,
    until: Instant,
}

impl<K> Default for Pauses<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Copy + Eq + Hash> Pauses<K> {
    fn pauses(&self) -> MutexGuard<'_, HashMap<K, Pause>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those of `found` whose pause is over, or that have none. What is not found any more is forgotten.
    pub(super) fn due<T>(&self, found: Vec<T>, named: impl Fn(&T) -> K, now: Instant) -> Vec<T> {
        let mut pauses = self.pauses();
        if pauses.is_empty() {
            return found;
        }
        let (due, left): (Vec<T>, Vec<T>) =
            found.into_iter().partition(|one| pauses.get(&named(one)).is_none_or(|pause| pause.until <= now));
        let known: HashMap<K, Pause> = due
            .iter()
            .chain(&left)
            .filter_map(|one| pauses.get(&named(one)).map(|pause| (named(one), *pause)))
            .collect();
        *pauses = known;
        due
    }

    /// It could not be taken up. `true`: for the first time.
    pub(super) fn failed(&self, name: K, now: Instant) -> bool {
        let mut pauses = self.pauses();
        let before = pauses.get(&name).map(|pause| pause.length);
        let length = before.map_or(FIRST, |length| (length * 2).min(LONGEST));
        pauses.insert(name, Pause { length, until: now + length });
        before.is_none()
    }

    fn end(&self) {
        self.pauses().clear();
    }
}

impl Engine {
    /// What was missing may have come: what is left alone is tried with the next search.
    pub(crate) fn end_pauses(&self) {
        let pauses = self.state::<TakeUpPauses>();
        pauses.turns.end();
        pauses.sessions.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(pauses: &Pauses<u8>, found: &[u8], now: Instant) -> Vec<u8> {
        pauses.due(found.to_vec(), |one| *one, now)
    }

    #[test]
    fn what_fails_is_tried_less_and_less_often_and_at_once_when_something_has_come() {
        let (pauses, start) = (Pauses::default(), Instant::now());
        let (mut tries, mut first) = (0, 0);
        for second in 0..600 {
            let now = start + Duration::from_secs(second);
            for one in due(&pauses, &[7], now) {
                tries += 1;
                first += u32::from(pauses.failed(one, now));
            }
        }
        // At 0, 1, 3, 7, 15, 31, 63, and then once a minute.
        assert_eq!((tries, first), (7 + 8, 1));
        let now = start + Duration::from_secs(600);
        assert_eq!(due(&pauses, &[7, 8], now), [8], "another one is not kept waiting");
        pauses.end();
        assert_eq!(due(&pauses, &[7, 8], now), [7, 8]);
    }

    #[test]
    fn what_is_not_there_any_more_is_forgotten() {
        let (pauses, now) = (Pauses::default(), Instant::now());
        pauses.failed(7, now);
        pauses.failed(8, now);
        assert!(due(&pauses, &[8], now).is_empty());
        assert_eq!(pauses.pauses().len(), 1);
    }
}
