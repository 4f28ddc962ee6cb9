//! What happens in all sessions of one person, in short: which event, and where.
//!
//! A ring of hints without a word in them, so its size is known whatever people say to each other. Readers pull from
//! it at their own pace; there is no queue per reader. One that is too slow for the ring is told so and begins again.
//!
//! Invariant: nothing is hinted at before its transaction has committed and its session's feed knows it.

use super::hint_reader::HintReader;
use crate::error::{Error, Result};
use domain::{AgentState, Event, EventBody, SessionId, SessionStatus, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::watch;

/// Hints kept per person.
pub(crate) const RING: usize = 1_024;
/// Sessions kept per person whose turns began to wait.
const PARKED: usize = 64;

/// A session as a client sees it that has not opened it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Glance {
    pub session_id: SessionId,
    pub last_seq: u64,
    pub status: SessionStatus,
}

/// Something happened, and afterwards the session looks like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    pub glance: Glance,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// There is a new session.
    Created,
    /// The session is gone, with everything in it.
    Deleted,
    /// Its log has grown by the event of this number.
    Event { seq: u64, event_type: &'static str },
}

/// A hint as it lies in the ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct HintMark {
    pub(super) session_id: SessionId,
    pub(super) what: What,
    /// The session's status from here on, when this event changes it.
    pub(super) status: Option<SessionStatus>,
}

impl HintMark {
    fn of(event: &Event) -> Self {
        let status = match event.body {
            EventBody::AgentStatus { state } => Some(status_after(state)),
            _ => None,
        };
        let what = What::Event { seq: event.seq, event_type: event.body.type_name() };
        Self { session_id: event.session_id, what, status }
    }
}

fn status_after(state: AgentState) -> SessionStatus {
    match state {
        AgentState::Working => SessionStatus::Working,
        AgentState::InputRequired => SessionStatus::InputRequired,
        AgentState::Failed => SessionStatus::Failed,
        AgentState::Completed | AgentState::Cancelled => SessionStatus::Idle,
    }
}

/// The rings of the people whom a reader follows.
#[derive(Default)]
pub(crate) struct Hints {
    rings: Mutex<HashMap<UserId, Weak<Ring>>>,
    /// True: notes of other nodes may have been missed.
    missed: AtomicBool,
}

impl Hints {
    /// A reader that hears of everything from now on.
    pub(crate) fn listen(&self, user: UserId) -> HintReader {
        let ring = self.ring(user);
        let (changed, position) = (ring.changed.subscribe(), lock(&ring.state).end());
        HintReader { ring, changed, position, known: HashMap::new() }
    }

    /// A reader that hears only of turns that begin to wait for their person, from now on.
    pub(crate) fn listen_for_parking(&self, user: UserId) -> ParkingReader {
        let ring = self.ring(user);
        let (changed, position) = (ring.parked.subscribe(), lock(&ring.state).parkings.end());
        ParkingReader { ring, changed, position }
    }

    /// A reader that hears only that the person's folders or prompts are not as they were, from now on.
    pub(crate) fn listen_for_lists(&self, user: UserId) -> ListsReader {
        let ring = self.ring(user);
        let changed = ring.lists.subscribe();
        ListsReader { _ring: ring, changed }
    }

    fn ring(&self, user: UserId) -> Arc<Ring> {
        let mut rings = lock(&self.rings);
        let ring = rings.get(&user).and_then(Weak::upgrade).unwrap_or_else(|| {
            rings.retain(|_, ring| ring.strong_count() > 0);
            let ring = Arc::new(Ring::default());
            rings.insert(user, Arc::downgrade(&ring));
            ring
        });
        drop(rings);
        ring
    }

    pub(crate) fn events(&self, user: UserId, events: &[Event]) {
        if let Some(ring) = self.existing(user) {
            ring.add(events.iter().map(HintMark::of));
        }
    }

    /// As [`Self::events`], for what another node has committed: what the ring has already is passed over.
    pub(crate) fn events_heard(&self, user: UserId, events: &[Event]) {
        if let Some(ring) = self.existing(user) {
            ring.add_new(events);
        }
    }

    /// The people whom a reader follows.
    pub(crate) fn people(&self) -> Vec<UserId> {
        let rings = lock(&self.rings);
        rings.iter().filter(|(_, ring)| ring.strong_count() > 0).map(|(user, _)| *user).collect()
    }

    pub(crate) fn note_missed(&self) {
        self.missed.store(true, Ordering::Relaxed);
    }

    /// Was something missed? It is looked for then.
    pub(crate) fn take_missed(&self) -> bool {
        self.missed.swap(false, Ordering::Relaxed)
    }

    pub(crate) fn has_reader(&self, user: UserId) -> bool {
        self.existing(user).is_some()
    }

    pub(crate) fn session(&self, user: UserId, session_id: SessionId, what: What) {
        if let Some(ring) = self.existing(user) {
            ring.add([HintMark { session_id, what, status: None }]);
        }
    }

    /// Folders, their files or prompts of the person have changed.
    pub(crate) fn lists(&self, user: UserId) {
        if let Some(ring) = self.existing(user) {
            ring.lists.send_modify(|version| *version += 1);
        }
    }

    pub(super) fn existing(&self, user: UserId) -> Option<Arc<Ring>> {
        lock(&self.rings).get(&user).and_then(Weak::upgrade)
    }
}

#[derive(Default)]
pub(super) struct Ring {
    pub(super) state: Mutex<RingState>,
    changed: watch::Sender<u64>,
    /// Changes only when a turn begins to wait: a request that waits must not be woken by each event of the others.
    parked: watch::Sender<u64>,
    /// Changes when the person's folders or prompts do. Which of them is not said: a client reads its lists again.
    lists: watch::Sender<u64>,
}

#[derive(Default)]
pub(super) struct RingState {
    marks: VecDeque<HintMark>,
    /// How many marks have left the ring.
    begin: u64,
    parkings: ParkingState,
    /// The newest event of each session that was hinted at, or was there when the first reader began.
    pub(super) heard: HashMap<SessionId, u64>,
    /// True: the sessions that a reader began with are among them.
    pub(super) began: bool,
    /// True: those that the database has are among them.
    pub(super) looked: bool,
    /// The sessions that went since the last look began, as far as they are kept.
    pub(super) gone_since: HashSet<SessionId>,
    /// True: more went than are kept. Where there is no other node, no look ever begins.
    pub(super) more_gone: bool,
    /// How far readers had heard of those that went, which may be taken back.
    binned: HashMap<SessionId, u64>,
}

/// The sessions whose turns began to wait last.
#[derive(Default)]
struct ParkingState {
    sessions: VecDeque<SessionId>,
    /// How many have left the list.
    begin: u64,
}

impl ParkingState {
    fn end(&self) -> u64 {
        self.begin + self.sessions.len() as u64
    }

    fn add(&mut self, session: SessionId) {
        if self.sessions.len() >= PARKED {
            self.sessions.pop_front();
            self.begin += 1;
        }
        self.sessions.push_back(session);
    }
}

impl Ring {
    /// Adds those events that are not among the marks.
    fn add_new(&self, events: &[Event]) {
        let known: HashSet<(SessionId, u64)> = {
            let state = lock(&self.state);
            let event = |mark: &HintMark| match mark.what {
                What::Event { seq, .. } => Some((mark.session_id, seq)),
                What::Created | What::Deleted => None,
            };
            state.marks.iter().filter_map(event).collect()
        };
        let new = events.iter().filter(|event| !known.contains(&(event.session_id, event.seq)));
        self.add(new.map(HintMark::of));
    }

    fn add(&self, marks: impl IntoIterator<Item = HintMark>) {
        let mut state = lock(&self.state);
        let before = state.parkings.end();
        for mark in marks {
            match mark.what {
                What::Event { seq, .. } => {
                    let heard = state.heard.entry(mark.session_id).or_default();
                    *heard = (*heard).max(seq);
                }
                What::Created => state.come(mark.session_id),
                What::Deleted => state.go(mark.session_id),
            }
            if mark.status == Some(SessionStatus::InputRequired) {
                state.parkings.add(mark.session_id);
            }
            if state.marks.len() >= RING {
                state.marks.pop_front();
                state.begin += 1;
            }
            state.marks.push_back(mark);
        }
        let parked = state.parkings.end();
        drop(state);
        self.changed.send_modify(|version| *version += 1);
        if parked > before {
            self.parked.send_modify(|version| *version += 1);
        }
    }
}

impl RingState {
    fn come(&mut self, session: SessionId) {
        let before = self.binned.remove(&session).unwrap_or_default();
        self.heard.entry(session).or_insert(before);
        self.gone_since.remove(&session);
    }

    fn go(&mut self, session: SessionId) {
        if self.binned.len() >= RING {
            self.binned.clear();
        }
        if let Some(heard) = self.heard.remove(&session) {
            self.binned.insert(session, heard);
        }
        if self.gone_since.len() < RING {
            self.gone_since.insert(session);
        } else {
            self.more_gone = true;
        }
    }

    /// Did it go since the last look began, or may it have?
    pub(super) fn may_have_gone(&self, session: SessionId) -> bool {
        self.more_gone || self.gone_since.contains(&session)
    }

    fn end(&self) -> u64 {
        self.begin + self.marks.len() as u64
    }

    pub(super) fn get(&self, position: u64) -> Result<Option<HintMark>> {
        let index = position.checked_sub(self.begin).ok_or(Error::TooSlow)?;
        Ok(usize::try_from(index).ok().and_then(|index| self.marks.get(index)).copied())
    }
}

/// One request's view of the turns that begin to wait for its person.
pub(crate) struct ParkingReader {
    ring: Arc<Ring>,
    changed: watch::Receiver<u64>,
    position: u64,
}

impl ParkingReader {
    /// The session in which the next turn begins to wait; `None` when more have begun to than are kept.
    pub(crate) async fn next(&mut self) -> Option<SessionId> {
        loop {
            self.changed.borrow_and_update();
            if let Some(found) = self.take() {
                return found;
            }
            if self.changed.changed().await.is_err() {
                // No more will come.
                std::future::pending::<()>().await;
            }
        }
    }

    /// `None`: there is nothing new.
    fn take(&mut self) -> Option<Option<SessionId>> {
        let state = lock(&self.ring.state);
        let parkings = &state.parkings;
        let Some(index) = self.position.checked_sub(parkings.begin) else {
            self.position = parkings.end();
            return Some(None);
        };
        let found = usize::try_from(index).ok().and_then(|index| parkings.sessions.get(index)).copied();
        self.position += u64::from(found.is_some());
        found.map(Some)
    }
}

/// One connection's view of the lists that a person keeps besides sessions.
pub struct ListsReader {
    /// A ring without readers is forgotten.
    _ring: Arc<Ring>,
    changed: watch::Receiver<u64>,
}

impl ListsReader {
    /// Waits until a list has changed; several changes may be one. Giving up the wait loses nothing.
    pub async fn next(&mut self) {
        if self.changed.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "hints_tests.rs"]
mod tests;
