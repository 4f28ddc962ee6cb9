//! What is happening in a session right now, shared by everyone who reads it.
//!
//! A feed holds one copy of the newest durable events and of the open message, however many readers there are. Readers pull
//! from it at their own pace ([`crate::follow::reader`]), so a slow one costs the others nothing: there is no queue per
//! reader that could grow.
//!
//! Invariant: nothing is published before its transaction has committed.

use crate::follow::{
    frame::RecentEvent,
    open_message::{Live, OpenMessage},
    tool_output::CallOutputs,
    waiters::Waiters,
};
use domain::{CallId, Event, EventBody, SessionId, TurnId};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    task::Waker,
};

/// Durable events kept in memory per session, and how many bytes of words they may have, unless it is a single one;
/// older ones are read from the store.
const TAIL: usize = 64;
const TAIL_BYTES: usize = 1 << 20;

/// All feeds that a worker or a reader holds.
#[derive(Default)]
pub(crate) struct Feeds {
    map: Mutex<HashMap<SessionId, Weak<Feed>>>,
}

impl Feeds {
    pub(crate) fn get(&self, session: SessionId) -> Arc<Feed> {
        let mut map = lock(&self.map);
        if let Some(feed) = map.get(&session).and_then(Weak::upgrade) {
            return feed;
        }
        // A good moment to forget the sessions that have no worker and no reader any more.
        if map.len() >= 64 && map.len().is_power_of_two() {
            map.retain(|_, feed| feed.strong_count() > 0);
        }
        let feed = Arc::new(Feed::default());
        map.insert(session, Arc::downgrade(&feed));
        feed
    }

    /// The feed, if a reader or a worker holds it.
    pub(crate) fn existing(&self, session: SessionId) -> Option<Arc<Feed>> {
        lock(&self.map).get(&session).and_then(Weak::upgrade)
    }
}

/// One session's feed.
#[derive(Default)]
pub(crate) struct Feed {
    state: Mutex<FeedState>,
    /// Counts what has changed. It changes only while the state is locked.
    version: AtomicU64,
}

#[derive(Default)]
pub(crate) struct FeedState {
    /// The newest events, without a gap between them.
    tail: VecDeque<Arc<RecentEvent>>,
    /// Of the words in the tail.
    bytes: usize,
    open: Option<OpenMessage>,
    /// What running calls have said so far.
    outputs: CallOutputs,
    /// `seq` of the newest event that opened or closed a message: an older one that comes late changes nothing.
    message_seq: u64,
    waiters: Waiters,
}

/// A reader's place at a feed.
pub(crate) struct FeedPlace {
    feed: Arc<Feed>,
    place: usize,
}

impl FeedPlace {
    pub(crate) fn new(feed: Arc<Feed>) -> Self {
        let place = feed.lock().waiters.enter();
        Self { feed, place }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, FeedState> {
        self.feed.lock()
    }

    pub(crate) fn version(&self) -> u64 {
        self.feed.version.load(Ordering::Acquire)
    }

    /// Has a task woken by the next change.
    pub(crate) fn wait(&self, state: &mut FeedState, waker: &Waker) {
        state.waiters.wait(self.place, waker);
    }
}

impl Drop for FeedPlace {
    fn drop(&mut self) {
        self.feed.lock().waiters.leave(self.place);
    }
}

impl Feed {
    pub(crate) fn lock(&self) -> MutexGuard<'_, FeedState> {
        lock(&self.state)
    }

    /// Changes something, and wakes those who wait for it.
    fn change<T>(&self, change: impl FnOnce(&mut FeedState) -> T) -> T {
        let mut state = self.lock();
        let outcome = change(&mut state);
        self.version.fetch_add(1, Ordering::Release);
        let waiting = state.waiters.take();
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        outcome
    }

    /// Makes committed events visible.
    pub(crate) fn publish(&self, events: &[Event]) {
        self.change(|state| events.iter().for_each(|event| state.add(event)));
    }

    /// Appends what the model has just written.
    pub(crate) fn push(&self, live: impl IntoIterator<Item = Live>) {
        self.change(|state| {
            if let Some(open) = &mut state.open {
                live.into_iter().for_each(|live| open.push(live));
            }
        });
    }

    /// Appends what a running call has just said; whether there is room for more.
    pub(crate) fn push_output(&self, call: CallId, turn: TurnId, text: &str) -> bool {
        self.change(|state| state.outputs.push(call, turn, text))
    }

    /// What a running call has said so far, if it has said something.
    pub(crate) fn output_of(&self, call: CallId) -> Option<String> {
        self.lock().outputs.of(call).map(str::to_owned)
    }

    /// How far the open message is, as cursors count.
    pub(crate) fn length(&self) -> u64 {
        self.lock().open().map_or(0, OpenMessage::length)
    }
}

impl FeedState {
    fn add(&mut self, event: &Event) {
        let newest = self.tail.back().map(|recent| recent.event.seq);
        match newest {
            // Tasks that committed one after the other may publish the other way round. The log is in order;
            // readers find there what is not in the tail.
            Some(newest) if event.seq <= newest => return self.note(event),
            Some(newest) if event.seq > newest + 1 => {
                self.tail.clear();
                self.bytes = 0;
            }
            _ => {}
        }
        self.note(event);
        let weight = event.body.weight();
        while (self.tail.len() >= TAIL || self.bytes.saturating_add(weight) > TAIL_BYTES)
            && let Some(oldest) = self.tail.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(oldest.event.body.weight());
        }
        self.bytes = self.bytes.saturating_add(weight);
        self.tail.push_back(Arc::new(RecentEvent::new(event)));
    }

    fn note(&mut self, event: &Event) {
        self.outputs.note(event);
        let about_message = matches!(
            event.body,
            EventBody::MessageStart { .. }
                | EventBody::MessageRestarted { .. }
                | EventBody::MessageComplete { .. }
        );
        if !about_message || event.seq <= self.message_seq {
            return;
        }
        self.message_seq = event.seq;
        match &event.body {
            EventBody::MessageStart { message_id, .. } | EventBody::MessageRestarted { message_id, .. } => {
                self.open = Some(OpenMessage::new(*message_id, event.turn_id, event.seq));
            }
            _ => self.open = None,
        }
    }

    pub(crate) fn newest(&self) -> Option<u64> {
        self.tail.back().map(|recent| recent.event.seq)
    }

    /// The events after `seq`, or `None` when the tail does not reach back that far.
    pub(crate) fn after(&self, seq: u64) -> Option<Vec<Arc<RecentEvent>>> {
        let first = self.tail.front()?.event.seq;
        if seq + 1 < first {
            return None;
        }
        Some(self.tail.iter().filter(|recent| recent.event.seq > seq).cloned().collect())
    }

    pub(crate) fn outputs(&self) -> &CallOutputs {
        &self.outputs
    }

    pub(crate) fn open(&self) -> Option<&OpenMessage> {
        self.open.as_ref()
    }

    pub(crate) fn open_mut(&mut self) -> Option<&mut OpenMessage> {
        self.open.as_mut()
    }
}

/// A panic while a lock was held cannot leave these structures half-changed in a way that matters.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;
