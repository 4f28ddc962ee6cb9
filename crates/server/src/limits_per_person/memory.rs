//! How many bytes are held for requests: bodies that are read whole, and files that are given out whole.

use super::crowded;
use crate::problem::Problem;
use domain::UserId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// What one person's requests may hold, unless one body alone may be larger.
const PER_PERSON: u64 = 64 << 20;
/// Everybody's together, as a multiple of one person's.
const PEOPLE: u64 = 4;

pub(crate) struct Memory {
    per_person: u64,
    held: Mutex<HeldBytes>,
}

#[derive(Default)]
struct HeldBytes {
    total: u64,
    people: HashMap<Option<UserId>, u64>,
}

impl Memory {
    /// `body` is the largest body that any route takes.
    pub(super) fn new(body: u64) -> Self {
        Self { per_person: PER_PERSON.max(body), held: Mutex::default() }
    }

    /// THREAT[crowd-03] Many large bodies at once, each of them allowed, are more than there is memory.
    fn grow(&self, who: Option<UserId>, bytes: u64) -> Result<(), Problem> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let of_person = held.people.get(&who).copied().unwrap_or(0).saturating_add(bytes);
        let total = held.total.saturating_add(bytes);
        if of_person > self.per_person {
            let detail = "You are sending and fetching too much at once. \
                          Wait until one of your requests has ended.";
            return Err(Problem::too_many_at_once(detail.to_owned()));
        }
        if total > self.per_person.saturating_mul(PEOPLE) {
            return Err(crowded());
        }
        held.total = total;
        held.people.insert(who, of_person);
        Ok(())
    }

    fn give_back(&self, who: Option<UserId>, bytes: u64) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.total = held.total.saturating_sub(bytes);
        let left = held.people.get(&who).copied().unwrap_or(0).saturating_sub(bytes);
        match left {
            0 => drop(held.people.remove(&who)),
            left => drop(held.people.insert(who, left)),
        }
    }

    #[cfg(test)]
    pub(super) fn total(&self) -> u64 {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).total
    }
}

/// The bytes of one request, until it is dropped.
pub(super) struct Bytes {
    memory: Arc<Memory>,
    who: Option<UserId>,
    bytes: u64,
}

impl Bytes {
    pub(super) fn new(memory: Arc<Memory>, who: Option<UserId>) -> Self {
        Self { memory, who, bytes: 0 }
    }

    pub(super) fn grow(&mut self, bytes: u64) -> Result<(), Problem> {
        self.memory.grow(self.who, bytes)?;
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.memory.give_back(self.who, self.bytes);
    }
}
