//! Following all sessions of one person: every durable event of each of them, in its order, none missing.

use crate::{
    bus::node_note::NodeNote,
    engine::Engine,
    error::Result,
    follow::{
        feed::Feeds,
        frame::{Durable, Frame, bytes_of},
        hint_reader::HintReader,
        hints::{Glance, Hints, ListsReader, What},
        read_log::ReadLog,
    },
};
use domain::{SessionId, UserId};
use std::collections::{HashMap, VecDeque};
use store::{DataKey, Tx, sessions};

/// Events read from the store at once.
const BATCH: u32 = 64;

/// What a reader of everything is told.
#[derive(Clone, Debug, PartialEq)]
pub enum UserEvent {
    Event(Frame),
    Created(Glance),
    Deleted(SessionId),
}

/// One connection's view of everything a person has.
pub struct UserReader {
    engine: Engine,
    key: DataKey,
    hints: HintReader,
    /// Up to where the log of each session was delivered in which something happened; of the others the hints know it.
    delivered: HashMap<SessionId, u64>,
    /// A session whose log is known to reach this far.
    behind: Option<(SessionId, u64)>,
    ready: VecDeque<Durable>,
}

impl Engine {
    /// The person's sessions that are not archived, and a reader that hints at what happens in any session of theirs
    /// after that.
    pub async fn overview(&self, user: UserId) -> Result<(Vec<Glance>, HintReader)> {
        // It listens before the store is asked, so nothing can happen between the two unseen.
        let mut hints = self.state::<Hints>().listen(user);
        let read = move |tx: &mut Tx| sessions::glances(tx, user);
        let rows = self.store().read(read).await?;
        let glance = |(session_id, last_seq, status)| Glance { session_id, last_seq, status };
        let glances: Vec<Glance> = rows.into_iter().map(glance).collect();
        hints.begin_after(&glances);
        Ok((glances, hints))
    }

    /// Tells when the folders or prompts of the person are not as they were.
    pub fn follow_lists(&self, user: UserId) -> ListsReader {
        self.state::<Hints>().listen_for_lists(user)
    }

    /// After the commit of what changed them.
    pub(crate) fn tell_lists(&self, user: UserId) {
        self.state::<Hints>().lists(user);
        self.tell(NodeNote::Lists { user });
    }

    /// As [`overview`](Self::overview), with the events themselves.
    pub async fn follow_user(&self, user: UserId) -> Result<(Vec<Glance>, UserReader)> {
        let key = self.store().data_key(user).await?;
        let (glances, hints) = self.overview(user).await?;
        let (engine, delivered) = (self.clone(), HashMap::new());
        let reader = UserReader { engine, key, hints, delivered, behind: None, ready: VecDeque::new() };
        Ok((glances, reader))
    }
}

impl UserReader {
    /// The next event of any session; waits until there is one.
    ///
    /// # Errors
    /// [`Error::TooSlow`](crate::Error::TooSlow) when more has happened than is kept for readers.
    pub async fn next(&mut self) -> Result<UserEvent> {
        loop {
            if let Some(event) = self.take_ready() {
                return Ok(event);
            }
            if let Some((session, until)) = self.behind {
                self.catch_up(session, until).await?;
                continue;
            }
            let hint = self.hints.next().await?;
            let session = hint.glance.session_id;
            match hint.what {
                What::Created => {
                    // It may be said again of a session that is known.
                    let delivered = self.hints.began_at(session).unwrap_or_default();
                    self.delivered.entry(session).or_insert(delivered);
                    return Ok(UserEvent::Created(hint.glance));
                }
                What::Deleted => {
                    self.delivered.remove(&session);
                    return Ok(UserEvent::Deleted(session));
                }
                What::Event { seq, .. } => {
                    let hints = &self.hints;
                    let before = || hints.began_at(session).unwrap_or(seq.saturating_sub(1));
                    let delivered = *self.delivered.entry(session).or_insert_with(before);
                    self.behind = (seq > delivered).then_some((session, seq));
                }
            }
        }
    }

    /// What is there now, without waiting.
    pub fn take_ready(&mut self) -> Option<UserEvent> {
        self.ready.pop_front().map(|event| UserEvent::Event(event.frame()))
    }

    /// About how many bytes can be taken without waiting; it counts no further than `most`.
    pub fn ready_bytes(&self, most: usize) -> usize {
        bytes_of(self.ready.iter().map(|event| event.frame().size()), most)
    }

    /// Collects what comes after what was delivered, from the session's feed or else from its log.
    async fn catch_up(&mut self, session: SessionId, until: u64) -> Result<()> {
        let after = self.delivered.get(&session).copied().unwrap_or(0);
        let events = match self.in_memory(session, after)? {
            Some(events) => events,
            None => ReadLog::new(self.engine.clone(), self.key.clone(), session).after(after, BATCH).await?,
        };
        // A log without what it is known to hold is that of a session that is gone.
        let reached = events.last().map_or(until, |event| event.seq);
        self.delivered.insert(session, reached);
        self.ready.extend(events);
        self.behind = (reached < until).then_some((session, until));
        Ok(())
    }

    fn in_memory(&self, session: SessionId, after: u64) -> Result<Option<Vec<Durable>>> {
        let Some(feed) = self.engine.state::<Feeds>().existing(session) else { return Ok(None) };
        let events = feed.lock().after(after).unwrap_or_default();
        let registry = self.engine.registry();
        let events: Vec<Durable> =
            events.iter().map(|recent| recent.durable(registry)).collect::<Result<_>>()?;
        Ok(Some(events).filter(|events| !events.is_empty()))
    }
}
