//! Takes in what other nodes have committed: it reads the log once for all readers of this node, and shows it as if it had been
//! committed here.

use crate::{
    bus::{node_note::NodeNote, tell::NoteTaker},
    engine::Engine,
    error::Result,
    follow::{
        feed::{Feed, FeedPlace, Feeds},
        hints::Hints,
    },
    reply::elements,
    wake_ups::WakeUp,
};
use domain::{Event, EventBody, SessionId, UserId};
use std::{
    collections::HashMap,
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};
use store::{
    Tx,
    log::{self, EventFilter},
};
use uuid::Uuid;

/// Events read from the store at once.
const BATCH: u32 = 64;
/// What happened to a message at another node waits so long for what was said of it before.
const LIVE_PATIENCE: Duration = Duration::from_millis(300);

/// The sessions whose logs are being read, and what of them is to be read next.
#[derive(Default)]
struct TakingIn(Mutex<HashMap<SessionId, Option<LogRange>>>);

#[derive(Clone, Copy)]
struct LogRange {
    after: u64,
    until: u64,
}

impl LogRange {
    fn join(self, other: Self) -> Self {
        Self { after: self.after.min(other.after), until: self.until.max(other.until) }
    }
}

impl TakingIn {
    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Option<LogRange>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `true`: the log is not being read, and its caller has to read it.
    fn add(&self, session: SessionId, range: LogRange) -> bool {
        let mut sessions = self.sessions();
        let is_new = !sessions.contains_key(&session);
        let next = sessions.entry(session).or_default();
        *next = Some(next.map_or(range, |known| known.join(range)));
        is_new
    }

    /// What is to be read next; the session is let go of when that is nothing.
    fn next(&self, session: SessionId) -> Option<LogRange> {
        let mut sessions = self.sessions();
        let next = sessions.get_mut(&session).and_then(Option::take);
        if next.is_none() {
            sessions.remove(&session);
        }
        next
    }
}

/// Hears of what other nodes have committed.
pub(crate) struct Inlet;

impl NoteTaker for Inlet {
    fn take(&self, engine: &Engine, _: Uuid, note: &NodeNote) {
        match *note {
            NodeNote::Grown { user, session, first, last } => {
                engine.take_in(user, session, first.saturating_sub(1), last);
            }
            NodeNote::Session { user, session, what } => {
                engine.state::<Hints>().session(user, session, what.into());
            }
            NodeNote::Lists { user } => engine.state::<Hints>().lists(user),
            _ => {}
        }
    }

    fn gap(&self, engine: &Engine) {
        let hints = engine.state::<Hints>();
        hints.note_missed();
        engine.wake(WakeUp::MissedNotes);
        hints.people().into_iter().for_each(|user| hints.lists(user));
    }
}

impl Engine {
    /// Shows what the log has after `after`, up to `until`, if a reader here is interested in it.
    pub(crate) fn take_in(&self, user: UserId, session: SessionId, after: u64, until: u64) {
        let feed = self.state::<Feeds>().existing(session).filter(|feed| feed.is_watched());
        if feed.is_none() && !self.state::<Hints>().has_reader(user) {
            return;
        }
        // A feed that has heard of nothing has a reader that is about to begin.
        let heard = feed.map(|feed| feed.heard()).filter(|heard| *heard > 0);
        let after = heard.map_or(after, |heard| heard.min(after));
        if self.state::<TakingIn>().add(session, LogRange { after, until }) {
            let engine = self.clone();
            self.spawn("inlet", async move { engine.read_in(user, session).await });
        }
    }

    async fn read_in(&self, user: UserId, session: SessionId) {
        while let Some(range) = self.state::<TakingIn>().next(session) {
            if let Err(error) = self.read_range(user, session, range).await {
                tracing::debug!(%error, "follow: what another node stored could not be read; it is looked for again");
            }
        }
    }

    async fn read_range(&self, user: UserId, session: SessionId, range: LogRange) -> Result<()> {
        let key = self.store().data_key(user).await?;
        let mut after = range.after;
        while after < range.until {
            let key = key.clone();
            let read = move |tx: &mut Tx| log::read(tx, &key, session, after, BATCH, EventFilter::default());
            let mut events = self.store().read(read).await?.events;
            // The elements of a message are not stored, and readers of its own node have them.
            for event in
                events.iter_mut().filter(|event| matches!(event.body, EventBody::MessageComplete { .. }))
            {
                event.body = elements::shown(event.body.clone());
            }
            // A log without what it is known to hold is that of a session that is gone.
            let Some(last) = events.last().map(|event| event.seq) else { return Ok(()) };
            after = last;
            self.show_heard(user, session, &events).await;
        }
        Ok(())
    }

    async fn show_heard(&self, user: UserId, session: SessionId, events: &[Event]) {
        if let Some(feed) = self.state::<Feeds>().existing(session) {
            let mut shown = 0;
            for (place, event) in events.iter().enumerate() {
                if let Some(offset) = event.body.offset() {
                    feed.publish_heard(events.get(shown..place).unwrap_or_default());
                    shown = place;
                    wait_for_live(&feed, event.seq, offset).await;
                }
            }
            feed.publish_heard(events.get(shown..).unwrap_or_default());
        }
        self.state::<Hints>().events_heard(user, events);
    }
}

/// Waits until as much of the open message is here as there was when something happened to it, or for a moment.
async fn wait_for_live(feed: &Arc<Feed>, seq: u64, offset: u64) {
    let place = FeedPlace::new(feed.clone());
    let there = poll_fn(|context| {
        let mut state = place.lock();
        let lacks = |open: &crate::follow::open_message::OpenMessage| {
            open.mirrored && open.since < seq && open.length() < offset
        };
        if !state.open().is_some_and(lacks) {
            return Poll::Ready(());
        }
        place.wait(&mut state, context.waker());
        Poll::Pending
    });
    // Its node may be gone: then it begins again elsewhere.
    let _ = tokio::time::timeout(LIVE_PATIENCE, there).await;
}
