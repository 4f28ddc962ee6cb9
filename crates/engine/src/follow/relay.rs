//! Live pieces between nodes: what is written here goes to the nodes that want it, what they send is shown to the readers here.

use crate::{
    bus::{
        node_note::NodeNote,
        speak::journey,
        tell::{LiveSource, NoteTaker},
    },
    engine::Engine,
    error::Result,
    follow::{
        feed::{Feed, Feeds, lock},
        live_wants::{RelayedMessage, RelayedPieces},
        mirror::Mirrored,
        open_message::OpenMessage,
    },
};
use domain::{MessageId, SessionId, TurnId, UserId};
use std::{
    collections::{HashMap, HashSet},
    sync::Mutex,
    time::Duration,
};
use store::{
    Tx,
    log::{self, EventFilter},
    sessions,
};
use tokio::time::Instant;
use uuid::Uuid;

/// Pieces that come after the same gap ask for what is missing once in so long.
const ASKED: Duration = Duration::from_secs(1);
/// Nodes and sessions that are remembered; more are those of processes that are gone.
const REMEMBERED: usize = 1_024;
/// Of pieces that come in several notes.
const MOST_BYTES: usize = 16 << 20;
/// The events that open and close a message, by their names in the log.
const ABOUT_MESSAGE: [&str; 3] = ["message_start", "message_restarted", "message_complete"];

pub(crate) struct Relay;

/// What has come in of other nodes' pieces.
#[derive(Default)]
struct ArrivingPieces {
    from: Mutex<HashMap<Uuid, ArrivingNote>>,
    /// Where a gap was and was asked about.
    asked: Mutex<HashMap<SessionId, (u64, u64, Instant)>>,
    /// Whose open message is being looked for in the log.
    unsure: Mutex<HashSet<SessionId>>,
}

/// The parts of a note so far.
#[derive(Default)]
struct ArrivingNote {
    count: u64,
    /// The part that comes next.
    part: u32,
    plain: Vec<u8>,
}

impl ArrivingNote {
    /// Is it the part that comes next, or the first one of a later note? What came before does not come again.
    fn expects(&self, count: u64, part: u32) -> bool {
        (part == 0 && count > self.count) || (part > 0 && (count, part) == (self.count, self.part))
    }
}

impl NoteTaker for Relay {
    fn take(&self, engine: &Engine, from: Uuid, note: &NodeNote) {
        let feeds = engine.state::<Feeds>();
        match note {
            NodeNote::Want { session, since, offset } => feeds.want(*session, from, (*since, *offset)),
            NodeNote::Still(sessions) => sessions.iter().for_each(|session| feeds.keep_want(*session, from)),
            NodeNote::Unwant(sessions) => sessions.iter().for_each(|session| feeds.end_want(*session, from)),
            NodeNote::Live { count, part, more, sealed } => {
                if let Some(plain) = engine.open_live(from, (*count, *part, *more), sealed) {
                    engine.take_live(&plain);
                }
            }
            _ => {}
        }
    }

    fn gap(&self, engine: &Engine) {
        for (session, feed) in engine.state::<Feeds>().watched() {
            engine.want_live(session, &feed);
        }
    }
}

impl LiveSource for Relay {
    fn pieces(&self, engine: &Engine, sessions: HashSet<SessionId>) -> Vec<(Uuid, String)> {
        let feeds = engine.state::<Feeds>();
        let feeds = sessions.into_iter().filter_map(|session| feeds.existing(session));
        feeds.flat_map(|feed| feed.for_others()).collect()
    }

    fn begin_again(&self, engine: &Engine) {
        engine.state::<Feeds>().held().iter().for_each(|feed| feed.begin_again());
    }
}

impl Feeds {
    fn want(&self, session: SessionId, node: Uuid, has: (u64, u64)) {
        let now = Instant::now();
        lock(&self.wanted).add(session, node, now);
        if let Some(feed) = self.existing(session) {
            feed.want(node, has, now);
        }
    }

    fn keep_want(&self, session: SessionId, node: Uuid) {
        let now = Instant::now();
        lock(&self.wanted).add(session, node, now);
        if let Some(feed) = self.existing(session) {
            feed.keep_want(node, now);
        }
    }

    fn end_want(&self, session: SessionId, node: Uuid) {
        lock(&self.wanted).leave(session, node);
        if let Some(feed) = self.existing(session) {
            feed.end_want(node);
        }
    }
}

impl Engine {
    /// Called once, when the engine starts: feeds can tell other nodes what is written here.
    pub(crate) fn connect_feeds(&self) {
        let bus = self.bus();
        if bus.own_name().is_some() {
            // Only the first call counts.
            drop(self.state::<Feeds>().bus.set(bus));
        }
    }

    /// A reader begins at a feed, and the log had come this far then.
    pub(crate) fn begin_at(&self, user: UserId, session: SessionId, feed: &Feed, last_seq: u64) {
        let behind = feed.begin_at(last_seq);
        if self.bus().is_alone() {
            return;
        }
        if let Some((after, until)) = behind {
            self.take_in(user, session, after, until);
        }
        self.want_live(session, feed);
    }

    /// Asks other nodes for the live pieces of a session, unless its message is written here.
    fn want_live(&self, session: SessionId, feed: &Feed) {
        let has = {
            let state = feed.lock();
            match state.open() {
                Some(open) if !open.mirrored => return,
                Some(open) => (open.since, open.length()),
                None => (0, 0),
            }
        };
        self.tell(NodeNote::Want { session, since: has.0, offset: has.1 });
    }

    /// Opens a part of a note; the whole, when it is the last one.
    fn open_live(&self, from: Uuid, (count, part, more): (u64, u32, bool), sealed: &str) -> Option<Vec<u8>> {
        let own = self.bus().own_name()?;
        let arriving = self.state::<ArrivingPieces>();
        let mut nodes = lock(&arriving.from);
        if nodes.len() >= REMEMBERED {
            nodes.clear();
        }
        let note = nodes.entry(from).or_default();
        if !note.expects(count, part) {
            return None;
        }
        // THREAT[bus-01] a note that is not the house's own, or was heard before, does not open.
        let plain = self.store().vault().open_note(&journey(from, own, count, part), sealed).ok()?;
        if part == 0 {
            note.plain.clear();
        }
        (note.count, note.part) = (count, part.saturating_add(1));
        if note.plain.len() + plain.len() > MOST_BYTES {
            note.part = u32::MAX;
            return None;
        }
        note.plain.extend_from_slice(&plain);
        (!more).then(|| std::mem::take(&mut note.plain))
    }

    fn take_live(&self, plain: &[u8]) {
        let Ok(pieces) = serde_json::from_slice::<Vec<RelayedPieces>>(plain) else { return };
        let feeds = self.state::<Feeds>();
        for RelayedPieces { session, message, outputs } in pieces {
            let Some(feed) = feeds.existing(session).filter(|feed| feed.is_watched()) else { continue };
            outputs.iter().for_each(|piece| feed.mirror_output(piece));
            if let Some(message) = message {
                self.take_message(session, &feed, message);
            }
        }
    }

    fn take_message(&self, session: SessionId, feed: &Feed, message: RelayedMessage) {
        let (id, turn) = (message.id, message.turn);
        match feed.mirror(message) {
            Mirrored::Taken | Mirrored::Late => {}
            Mirrored::Gap { since, offset } => {
                let arriving = self.state::<ArrivingPieces>();
                let mut asked = lock(&arriving.asked);
                if asked.len() >= REMEMBERED {
                    asked.clear();
                }
                let is_new = |(at, to, when): &(u64, u64, Instant)| {
                    (*at, *to) != (since, offset) || when.elapsed() > ASKED
                };
                if asked.get(&session).is_none_or(is_new) {
                    asked.insert(session, (since, offset, Instant::now()));
                    self.tell(NodeNote::Want { session, since, offset });
                }
            }
            Mirrored::Unsure { since } => {
                if lock(&self.state::<ArrivingPieces>().unsure).insert(session) {
                    let engine = self.clone();
                    self.spawn("mirror", async move {
                        if let Err(error) = engine.make_sure(session, (id, turn), since).await {
                            tracing::debug!(%error, "follow: an open message could not be looked for; it is tried again");
                        }
                        lock(&engine.state::<ArrivingPieces>().unsure).remove(&session);
                    });
                }
            }
        }
    }

    /// Looks in the log whether a message is open that another node sends, and asks for the whole of it then.
    async fn make_sure(
        &self,
        session: SessionId,
        (id, turn): (MessageId, Option<TurnId>),
        since: u64,
    ) -> Result<()> {
        let whose = self.store().read(move |tx: &mut Tx| sessions::newest_of(tx, &[session])).await?;
        let Some((_, user, _)) = whose.first().copied() else { return Ok(()) };
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| {
            let types = ABOUT_MESSAGE.map(str::to_owned).to_vec();
            log::read(tx, &key, session, since, 1, EventFilter { types, turn_id: None })
        };
        let later = self.store().read(read).await?.events;
        let Some(feed) = self.state::<Feeds>().existing(session) else { return Ok(()) };
        match later.first() {
            Some(event) => feed.note_closed(event.seq),
            None => {
                feed.mirror_from(OpenMessage::mirror(id, turn, since));
                self.want_live(session, &feed);
            }
        }
        Ok(())
    }
}
