//! What is happening in a session right now, shared by everyone who reads it.
//!
//! A feed holds one copy of the newest durable events and of the open message, however many readers there are.
//! Readers pull from it at their own pace ([`crate::reader`]), so a slow one costs nobody anything: there is no queue
//! per reader that could grow.
//!
//! Invariant: nothing is published before its transaction has committed.

use domain::{Event, EventBody, LiveKind, MessageId, SessionId, TurnId};
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tokio::sync::watch;

/// Durable events kept in memory per session; older ones are read from the store.
const TAIL: usize = 64;
/// Live text is kept in pieces of about this size, so that a reader near the end copies little.
const PIECE: usize = 4_096;

/// All feeds that somebody holds.
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
        // A good moment to forget the sessions that nobody holds any more.
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
    changed: watch::Sender<u64>,
}

#[derive(Default)]
pub(crate) struct FeedState {
    /// The newest events, without a gap between them.
    tail: VecDeque<Arc<Event>>,
    open: Option<OpenMessage>,
    /// `seq` of the newest event that opened or closed a message: an older one that comes late changes nothing.
    message_seq: u64,
}

/// The message the model is writing.
pub(crate) struct OpenMessage {
    pub(crate) message_id: MessageId,
    pub(crate) turn_id: Option<TurnId>,
    /// `seq` of the `message_start` or `message_restarted` that live offsets count from.
    pub(crate) since: u64,
    pieces: Vec<Piece>,
    length: u64,
}

struct Piece {
    kind: LiveKind,
    start: u64,
    text: String,
}

impl Feed {
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, FeedState> {
        lock(&self.state)
    }

    /// Makes committed events visible.
    pub(crate) fn publish(&self, events: &[Event]) {
        let mut state = self.lock();
        for event in events {
            state.add(event);
        }
        drop(state);
        self.changed.send_modify(|version| *version += 1);
    }

    /// Appends what the model has just written.
    pub(crate) fn push(&self, kind: LiveKind, text: &str) {
        let mut state = self.lock();
        if let Some(open) = &mut state.open {
            open.push(kind, text);
        }
        drop(state);
        self.changed.send_modify(|version| *version += 1);
    }
}

impl FeedState {
    fn add(&mut self, event: &Event) {
        let newest = self.tail.back().map(|event| event.seq);
        match newest {
            // Tasks that committed one after the other may publish the other way round. The log is in order;
            // readers find there what is not in the tail.
            Some(newest) if event.seq <= newest => return self.note(event),
            Some(newest) if event.seq > newest + 1 => self.tail.clear(),
            _ => {}
        }
        self.note(event);
        if self.tail.len() >= TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(Arc::new(event.clone()));
    }

    fn note(&mut self, event: &Event) {
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
                self.open = Some(OpenMessage {
                    message_id: *message_id,
                    turn_id: event.turn_id,
                    since: event.seq,
                    pieces: Vec::new(),
                    length: 0,
                });
            }
            _ => self.open = None,
        }
    }

    pub(crate) fn newest(&self) -> Option<u64> {
        self.tail.back().map(|event| event.seq)
    }

    /// The events after `seq`, or `None` when the tail does not reach back that far.
    pub(crate) fn after(&self, seq: u64) -> Option<Vec<Arc<Event>>> {
        let first = self.tail.front()?.seq;
        if seq + 1 < first {
            return None;
        }
        Some(self.tail.iter().filter(|event| event.seq > seq).cloned().collect())
    }

    pub(crate) fn open(&self) -> Option<&OpenMessage> {
        self.open.as_ref()
    }
}

impl OpenMessage {
    fn push(&mut self, kind: LiveKind, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if last.kind == kind && last.text.len() + text.len() <= PIECE => {
                last.text.push_str(text)
            }
            _ => self.pieces.push(Piece { kind, start: self.length, text: text.to_owned() }),
        }
        self.length += text.len() as u64;
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// What was written after `offset`, runs of one kind joined; `None` when no character begins there.
    pub(crate) fn after(&self, offset: u64) -> Option<Vec<(LiveKind, String)>> {
        if offset > self.length {
            return None;
        }
        let first = self.pieces.partition_point(|piece| piece.start + piece.text.len() as u64 <= offset);
        let mut runs: Vec<(LiveKind, String)> = Vec::new();
        for piece in self.pieces.get(first..).unwrap_or_default() {
            let skip = usize::try_from(offset.saturating_sub(piece.start)).ok()?;
            let text = piece.text.get(skip..)?;
            match runs.last_mut() {
                Some((kind, run)) if *kind == piece.kind => run.push_str(text),
                _ => runs.push((piece.kind, text.to_owned())),
            }
        }
        Some(runs)
    }
}

/// A panic while a lock was held cannot leave these structures half-changed in a way that matters.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;
