//! Limits per person, and per address for people who have not signed in: connections, requests, streams, bytes. What is too much is
//! refused at once and in words, and what one person takes is never what another lacks.
//!
//! A connection alone is cheap: while it waits for a request it can be closed for the sake of a new one
//! (`places.rs`). What counts is what is being done on it, for a person (`people::slots_per_person`, at all nodes together) or for an address
//! (`shares.rs`), and how many bytes are held for that (`memory.rs`). A [`RequestHold`] is one request's part of all three; it is held by the answer
//! until its last byte, and by a WebSocket until its end.

mod capacity;
mod kept;
mod memory;
mod places;
mod shares;

pub use self::capacity::Capacity;
pub(crate) use self::{
    kept::kept,
    memory::Memory,
    places::{ConnectionPlace, Places},
    shares::{Kind, Shares, Who},
};

use self::{memory::Bytes, places::Busy, shares::Share};
use crate::problem::Problem;
use domain::UserId;
use engine::{FullSlots, HeldSlot, People};
use std::{
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio_util::{sync::CancellationToken, task::task_tracker::TaskTrackerToken};

/// What is taken now of what one door has to give.
pub(crate) struct Occupancy {
    pub(crate) capacity: Capacity,
    pub(crate) places: Arc<Places>,
    pub(crate) shares: Arc<Shares>,
    pub(crate) memory: Arc<Memory>,
}

impl Occupancy {
    /// `body` is the largest body that any route takes.
    pub(crate) fn new(capacity: Capacity, body: u64) -> Self {
        Self {
            capacity,
            places: Arc::new(Places::new(capacity.connections)),
            shares: Arc::default(),
            memory: Arc::new(Memory::new(body)),
        }
    }
}

/// What a request holds while it lasts: its connection, its share, its bytes, and the end of the server. A request that
/// outlives its connection's HTTP, as a WebSocket does, keeps it.
#[derive(Clone)]
pub(crate) struct RequestHold(Arc<Inner>);

struct Inner {
    occupancy: Arc<Occupancy>,
    busy: Busy,
    shares: Mutex<Vec<Share>>,
    slot: Mutex<Option<HeldSlot>>,
    bytes: Mutex<Option<Bytes>>,
    abandon: CancellationToken,
    _token: TaskTrackerToken,
}

impl RequestHold {
    pub(crate) fn new(
        occupancy: Arc<Occupancy>,
        place: &Arc<ConnectionPlace>,
        token: TaskTrackerToken,
        abandon: CancellationToken,
    ) -> Self {
        let (shares, slot, bytes) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { occupancy, busy: place.begin(), shares, slot, bytes, abandon, _token: token }))
    }

    /// Cancelled when everybody who is still there is dropped.
    pub(crate) fn abandon(&self) -> &CancellationToken {
        &self.0.abandon
    }

    /// Counts the request as one of a person who has proved who they are, at all nodes together.
    pub(crate) async fn of_person(
        &self,
        people: &People,
        kind: Kind,
        user: UserId,
        proof: String,
        is_owner: bool,
    ) -> Result<(), Problem> {
        let Inner { occupancy, busy, slot, .. } = &*self.0;
        // The holder of the control socket is not counted.
        if let Some(rules) = occupancy.capacity.slots(kind) {
            let taken = people.take_slot(user, &proof, rules).await?;
            let taken = taken.map_err(|full| match full {
                FullSlots::OfPerson => full_of("You have", rules.most, kind),
                FullSlots::OfProof => full_of("This sign-in or API key has", rules.of_proof, kind),
            })?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(taken);
        }
        match busy.is_in_reserve() {
            true if is_owner => self.of_reserve(Who::Owner, places::RESERVED_FOR_OWNER),
            true => Err(crowded()),
            false => Ok(()),
        }
    }

    /// Counts the request as one of an unknown person, who comes from this address if it has one.
    ///
    /// THREAT[crowd-02] Strangers take from strangers only, and those of one address from each other first.
    pub(crate) fn of_stranger(&self, address: Option<IpAddr>) -> Result<(), Problem> {
        let Inner { occupancy, busy, .. } = &*self.0;
        let Capacity { strangers, strangers_per_address, .. } = occupancy.capacity;
        if let Some(address) = address {
            let who = Who::Address(engine::network_of(address));
            self.take(who, Kind::Request, strangers_per_address, "Your network address has")?;
        }
        let shares = &occupancy.shares;
        let share = shares.take(Who::Strangers, Kind::Request, strangers).ok_or_else(crowded)?;
        self.keep(share);
        if busy.is_in_reserve() {
            self.of_reserve(Who::Visitors, places::RESERVED_FOR_STRANGERS)
        } else {
            Ok(())
        }
    }

    fn of_reserve(&self, who: Who, most: usize) -> Result<(), Problem> {
        let share = self.0.occupancy.shares.take(who, Kind::Request, most).ok_or_else(crowded)?;
        self.keep(share);
        Ok(())
    }

    /// Holds this many further bytes for the request.
    pub(crate) fn hold(&self, who: Option<UserId>, bytes: u64) -> Result<(), Problem> {
        let mut held = self.0.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        held.get_or_insert_with(|| Bytes::new(self.0.occupancy.memory.clone(), who)).grow(bytes)
    }

    fn take(&self, who: Who, kind: Kind, most: usize, subject: &str) -> Result<(), Problem> {
        let share = self.0.occupancy.shares.take(who, kind, most);
        self.keep(share.ok_or_else(|| full_of(subject, most, kind))?);
        Ok(())
    }

    fn keep(&self, share: Share) {
        self.0.shares.lock().unwrap_or_else(PoisonError::into_inner).push(share);
    }
}

fn full_of(subject: &str, most: usize, kind: Kind) -> Problem {
    let noun = kind.noun();
    let detail =
        format!("{subject} {most} {noun} open, which is the limit. Close one, or wait until one has ended.");
    Problem::too_many_at_once(detail)
}

/// For a client for which there is no room, through no fault of its own.
pub(crate) fn crowded() -> Problem {
    Problem::unavailable("crowded", "Too many connections are open. Try again in a moment.")
}

#[cfg(test)]
#[path = "limits_per_person_tests.rs"]
mod tests;
