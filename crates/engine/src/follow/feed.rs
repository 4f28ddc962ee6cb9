//! What is happening in a session right now, shared by everyone who reads it.
//!
//! A feed holds one copy of the newest durable events and of the open message, however many readers there are. Readers pull
//! from it at their own pace ([`crate::follow::reader`]), so a slow one costs the others nothing: there is no queue per
//! reader that could grow.
//!
//! Invariant: nothing is published before its transaction has committed.

use crate::bus::tell::BusState;
use crate::follow::{
    frame::RecentEvent,
    live_wants::{LiveWants, WantedSessions},
    open_message::{Live, OpenMessage},
    tool_output::CallOutputs,
    waiters::Waiters,
};
use domain::{CallId, Event, EventBody, SessionId, TurnId};
use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::Waker,
};
use tokio::time::Instant;
use uuid::Uuid;

/// Durable events kept in memory per session, and how many bytes of words they may have, unless it is a single one;
/// older ones are read from the store.
const TAIL: usize = 64;
const TAIL_BYTES: usize = 1 << 20;

/// All feeds that a worker or a reader holds.
#[derive(Default)]
pub(crate) struct Feeds {
    map: Mutex<HashMap<SessionId, Weak<Feed>>>,
    /// How other nodes are told; set once, when the engine starts on PostgreSQL.
    pub(super) bus: OnceLock<Arc<BusState>>,
    /// Whose live pieces other nodes want, whether there is a feed or not: a turn may begin at any time.
    pub(super) wanted: Mutex<WantedSessions>,
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
        let feed = Arc::new(self.new_feed(session));
        map.insert(session, Arc::downgrade(&feed));
        feed
    }

    fn new_feed(&self, session: SessionId) -> Feed {
        let Some(bus) = self.bus.get() else { return Feed::default() };
        let feed = Feed { way: Some((session, bus.clone())), ..Feed::default() };
        for (node, since) in lock(&self.wanted).of(session) {
            feed.want(node, (0, 0), since);
        }
        feed
    }

    /// Those that a reader is at.
    pub(crate) fn watched(&self) -> Vec<(SessionId, Arc<Feed>)> {
        let map = lock(&self.map);
        let held = map.iter().filter_map(|(session, feed)| Some((*session, feed.upgrade()?)));
        held.filter(|(_, feed)| feed.is_watched()).collect()
    }

    /// Those that a reader or a worker holds.
    pub(crate) fn held(&self) -> Vec<Arc<Feed>> {
        lock(&self.map).values().filter_map(Weak::upgrade).collect()
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
    /// Another node wants its live pieces. Looked at with every piece of a reply.
    wanted: AtomicBool,
    /// Whose feed it is, and how other nodes are told; none on SQLite.
    way: Option<(SessionId, Arc<BusState>)>,
}

#[derive(Default)]
pub(crate) struct FeedState {
    /// The newest events, without a gap between them.
    tail: VecDeque<Arc<RecentEvent>>,
    /// Of the words in the tail.
    bytes: usize,
    pub(super) open: Option<OpenMessage>,
    /// What running calls have said so far.
    pub(super) outputs: CallOutputs,
    /// `seq` of the newest event that opened or closed a message: an older one that comes late changes nothing.
    pub(super) message_seq: u64,
    /// `seq` of the newest event that its readers have heard of, by the feed or because it was there when they began.
    pub(super) heard: u64,
    /// The other nodes that want what is written here.
    pub(super) wants: LiveWants,
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
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut FeedState) -> T) -> T {
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
        self.send_before(events);
        self.change(|state| events.iter().for_each(|event| state.add(event, false)));
    }

    /// Makes events visible that another node has committed: the messages that they open are written there.
    pub(crate) fn publish_heard(&self, events: &[Event]) {
        self.change(|state| events.iter().for_each(|event| state.add(event, true)));
    }

    /// Appends what the model has just written.
    pub(crate) fn push(&self, live: impl IntoIterator<Item = Live>) {
        self.change(|state| {
            if let Some(open) = state.open.as_mut().filter(|open| !open.mirrored) {
                live.into_iter().for_each(|live| open.push(live));
            }
        });
        self.stir();
    }

    /// Appends what a running call has just said; whether there is room for more.
    pub(crate) fn push_output(&self, call: CallId, turn: TurnId, text: &str) -> bool {
        let has_room = self.change(|state| state.outputs.push(call, turn, text));
        self.stir();
        has_room
    }

    /// Other nodes may want what is new.
    fn stir(&self) {
        if self.wanted.load(Ordering::Relaxed)
            && let Some((session, bus)) = &self.way
        {
            bus.outbox.stir(*session);
        }
    }

    /// What was written before these events goes to other nodes while it is there: the feed forgets a message that ends.
    fn send_before(&self, events: &[Event]) {
        if self.wanted.load(Ordering::Relaxed)
            && events.iter().any(is_about_message)
            && let Some((_, bus)) = &self.way
        {
            bus.outbox.add_live(self.for_others());
        }
    }

    /// What the other nodes that want it have not had yet.
    pub(crate) fn for_others(&self) -> Vec<(Uuid, String)> {
        let Some((session, _)) = &self.way else { return Vec::new() };
        let mut state = self.lock();
        let (pieces, more) = state.for_others(*session, Instant::now());
        self.wanted.store(!state.wants.is_empty(), Ordering::Relaxed);
        drop(state);
        if more {
            self.stir();
        }
        pieces
    }

    /// Another node wants its live pieces; of the message since `since` it has `offset`.
    pub(crate) fn want(&self, node: Uuid, has: (u64, u64), now: Instant) {
        let mut state = self.lock();
        state.wants.want(node, has, now);
        self.wanted.store(true, Ordering::Relaxed);
        drop(state);
        self.stir();
    }

    /// Another node still wants them.
    pub(crate) fn keep_want(&self, node: Uuid, now: Instant) {
        let mut state = self.lock();
        let is_new = state.wants.keep(node, now);
        self.wanted.store(true, Ordering::Relaxed);
        drop(state);
        if is_new {
            self.stir();
        }
    }

    pub(crate) fn end_want(&self, node: Uuid) {
        self.lock().wants.leave(node);
    }

    /// What other nodes were given may not have arrived.
    pub(crate) fn begin_again(&self) {
        self.lock().wants.begin_again();
        self.stir();
    }

    /// Is a reader at it?
    pub(crate) fn is_watched(&self) -> bool {
        self.lock().waiters.are_there()
    }

    /// A reader begins, and the log had come this far then; up to where the other readers have heard of it, if not as far.
    pub(crate) fn begin_at(&self, last_seq: u64) -> Option<(u64, u64)> {
        let mut state = self.lock();
        match state.heard {
            0 => state.heard = last_seq,
            heard if heard == last_seq => {}
            heard => return Some((heard.min(last_seq), heard.max(last_seq))),
        }
        None
    }

    pub(crate) fn heard(&self) -> u64 {
        self.lock().heard
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
    /// `elsewhere`: another node has committed it.
    fn add(&mut self, event: &Event, elsewhere: bool) {
        self.heard = self.heard.max(event.seq);
        let newest = self.tail.back().map(|recent| recent.seq);
        match newest {
            // Tasks that committed one after the other may publish the other way round. The log is in order;
            // readers find there what is not in the tail.
            Some(newest) if event.seq <= newest => return self.note(event, elsewhere),
            Some(newest) if event.seq > newest + 1 => {
                self.tail.clear();
                self.bytes = 0;
            }
            _ => {}
        }
        self.note(event, elsewhere);
        let recent = RecentEvent::new(event);
        let weight = recent.weight;
        while (self.tail.len() >= TAIL || self.bytes.saturating_add(weight) > TAIL_BYTES)
            && let Some(oldest) = self.tail.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(oldest.weight);
        }
        self.bytes = self.bytes.saturating_add(weight);
        self.tail.push_back(Arc::new(recent));
    }

    fn note(&mut self, event: &Event, elsewhere: bool) {
        self.outputs.note(event);
        if !elsewhere && self.open.as_ref().is_some_and(|open| open.mirrored && open.since == event.seq) {
            // Found in the log before its own node could show it: it is written here.
            self.message_seq = self.message_seq.min(event.seq.saturating_sub(1));
        }
        if !is_about_message(event) || event.seq <= self.message_seq {
            return;
        }
        self.message_seq = event.seq;
        match &event.body {
            EventBody::MessageStart { message_id, .. } | EventBody::MessageRestarted { message_id, .. } => {
                let open = if elsewhere { OpenMessage::mirror } else { OpenMessage::new };
                self.open = Some(open(*message_id, event.turn_id, event.seq));
            }
            _ => self.open = None,
        }
    }

    pub(crate) fn newest(&self) -> Option<u64> {
        self.tail.back().map(|recent| recent.seq)
    }

    /// The events after `seq`, or `None` when the tail does not reach back that far.
    pub(crate) fn after(&self, seq: u64) -> Option<Vec<Arc<RecentEvent>>> {
        let first = self.tail.front()?.seq;
        if seq + 1 < first {
            return None;
        }
        Some(self.tail.iter().filter(|recent| recent.seq > seq).cloned().collect())
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

fn is_about_message(event: &Event) -> bool {
    matches!(
        event.body,
        EventBody::MessageStart { .. }
            | EventBody::MessageRestarted { .. }
            | EventBody::MessageComplete { .. }
    )
}

/// A panic while a lock was held cannot leave these structures half-changed in a way that matters.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;
