//! Connections. Those on which nothing happens give way to new ones, the longest silent first, so that a thousand silent
//! ones keep no new one out.
//!
//! There are a few more places than requests that everybody may have served at once: the reserve. In it health checks and
//! the owner are answered and everybody else is told to come back. A new connection that has not said yet what it wants
//! is given way to only by a reserve of others after it, so that what it asks can be read.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio_util::sync::CancellationToken;

/// Places beyond those for everybody. What no other request may take of them is for health checks.
pub(crate) const RESERVE: usize = 64;
pub(super) const RESERVED_FOR_OWNER: usize = 32;
pub(super) const RESERVED_FOR_STRANGERS: usize = 16;
/// Silent connections of one address; a further one ends its longest silent one.
const SILENT_PER_ADDRESS: usize = 256;

pub(crate) struct Places {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: usize,
    /// Counts up; the smaller the ticket, the longer has its connection been silent.
    next: u64,
    silent: BTreeMap<u64, Silent>,
    addresses: HashMap<IpAddr, BTreeSet<u64>>,
}

struct Silent {
    address: Option<IpAddr>,
    leave: CancellationToken,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        Self { most, state: Mutex::default() }
    }

    /// A place for a new connection, which is silent until its first request; `None` when there is none, not even in the
    /// reserve. An address is given where it is that of the other end, and not of a proxy.
    pub(crate) fn enter(self: &Arc<Self>, address: Option<IpAddr>) -> Option<Arc<ConnectionPlace>> {
        let mut state = self.lock();
        let crowds = |tickets: &&BTreeSet<u64>| tickets.len() >= SILENT_PER_ADDRESS;
        let own = address.and_then(|address| state.addresses.get(&address).filter(crowds)?.first().copied());
        if let Some(ticket) = own {
            state.send_away(ticket);
        }
        if state.open >= self.most.saturating_add(RESERVE)
            && let Some(ticket) = state.silent.first_key_value().map(|(ticket, _)| *ticket)
        {
            state.send_away(ticket);
        }
        if state.open >= self.most.saturating_add(RESERVE) {
            return None;
        }
        state.open = state.open.saturating_add(1);
        let leave = CancellationToken::new();
        let ticket = Some(state.sit_down(address, leave.clone()));
        drop(state);
        let now = Now { ticket, busy: 0, heads: 0 };
        Some(Arc::new(ConnectionPlace { places: self.clone(), address, leave, now: Mutex::new(now) }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn counted(&self) -> (usize, usize) {
        let state = self.lock();
        (state.open, state.silent.len())
    }
}

impl State {
    fn sit_down(&mut self, address: Option<IpAddr>, leave: CancellationToken) -> u64 {
        let ticket = self.next;
        self.next = ticket.saturating_add(1);
        if let Some(address) = address {
            self.addresses.entry(address).or_default().insert(ticket);
        }
        self.silent.insert(ticket, Silent { address, leave });
        ticket
    }

    fn stand_up(&mut self, ticket: u64) -> Option<Silent> {
        let silent = self.silent.remove(&ticket)?;
        if let Some(address) = silent.address
            && let Some(tickets) = self.addresses.get_mut(&address)
        {
            tickets.remove(&ticket);
            if tickets.is_empty() {
                self.addresses.remove(&address);
            }
        }
        Some(silent)
    }

    /// Its place is free at once; its task hears of it.
    fn send_away(&mut self, ticket: u64) {
        if let Some(silent) = self.stand_up(ticket) {
            self.open = self.open.saturating_sub(1);
            silent.leave.cancel();
        }
    }
}

/// One connection.
pub(crate) struct ConnectionPlace {
    places: Arc<Places>,
    address: Option<IpAddr>,
    leave: CancellationToken,
    now: Mutex<Now>,
}

struct Now {
    /// While it is silent.
    ticket: Option<u64>,
    /// Requests that are being answered.
    busy: usize,
    /// Requests whose head has come.
    heads: u64,
}

impl ConnectionPlace {
    /// Cancelled when the connection gives way to another one.
    pub(crate) fn leave(&self) -> &CancellationToken {
        &self.leave
    }

    /// How many requests have begun on this connection.
    pub(crate) fn heads(&self) -> u64 {
        self.now().heads
    }

    pub(crate) fn is_answering(&self) -> bool {
        self.now().busy > 0
    }

    /// A request has come.
    pub(super) fn begin(self: &Arc<Self>) -> Busy {
        let mut now = self.now();
        let mut state = self.places.lock();
        if let Some(ticket) = now.ticket.take()
            && state.stand_up(ticket).is_none()
        {
            // It was sent away in this very moment: its place is counted no longer.
            state.open = state.open.saturating_add(1);
        }
        now.busy = now.busy.saturating_add(1);
        now.heads = now.heads.wrapping_add(1);
        let in_reserve = state.open.saturating_sub(state.silent.len()) > self.places.most;
        drop(state);
        drop(now);
        Busy { place: self.clone(), in_reserve }
    }

    fn end(&self) {
        let mut now = self.now();
        now.busy = now.busy.saturating_sub(1);
        if now.busy == 0 && now.ticket.is_none() {
            now.ticket = Some(self.places.lock().sit_down(self.address, self.leave.clone()));
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let ticket = self.now().ticket.take();
        let mut state = self.places.lock();
        // Who was sent away has been counted out already.
        if ticket.is_none_or(|ticket| state.stand_up(ticket).is_some()) {
            state.open = state.open.saturating_sub(1);
        }
    }
}

/// A request that is being answered.
pub(super) struct Busy {
    place: Arc<ConnectionPlace>,
    in_reserve: bool,
}

impl Busy {
    pub(super) fn is_in_reserve(&self) -> bool {
        self.in_reserve
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.place.end();
    }
}
