//! What a reader asks of the store.

use crate::{
    engine::Engine,
    error::Result,
    follow::{
        feed::lock,
        frame::Durable,
        log_page::{LogPage, PageSize},
    },
};
use domain::{EventBody, SessionId, TurnId};
use futures_util::future::BoxFuture;
use std::sync::{Arc, Mutex};
use store::{
    DataKey, Tx,
    log::{self, EventFilter},
    turns,
};

/// Attempts of a turn that are looked at.
const ATTEMPTS: u32 = 256;
/// The event that begins a turn, and the one that ends a message, by their names in the log.
const TURN_STARTED: &str = "turn_started";
const MESSAGE_COMPLETE: &str = "message_complete";

/// A question to the store. It is asked to its end, also if its reader is not waited for in the meantime.
pub(super) enum LogRequest {
    /// What comes after the cursor.
    Log(BoxFuture<'static, Result<Vec<Durable>>>),
    /// Whether the first of what was found is the end of the turn.
    IsFinal(BoxFuture<'static, Result<bool>>),
}

/// The log of one session, for one reader of it.
#[derive(Clone)]
pub(crate) struct ReadLog {
    engine: Engine,
    key: DataKey,
    session: SessionId,
    /// What the last page had: the next one mostly has about as much.
    last: Arc<Mutex<PageSize>>,
}

impl ReadLog {
    pub(crate) fn new(engine: Engine, key: DataKey, session: SessionId) -> Self {
        Self { engine, key, session, last: Arc::default() }
    }

    pub(crate) fn session(&self) -> SessionId {
        self.session
    }

    /// The events after `seq`, as they are shown: no more than a piece of the log.
    pub(crate) async fn after(self, seq: u64, limit: u32) -> Result<Vec<Durable>> {
        Ok(self.piece(seq, limit, EventFilter::default()).await?.0)
    }

    /// Those of the events after `seq` that the filter lets through, and whether there are more.
    pub(crate) async fn piece(
        self,
        seq: u64,
        limit: u32,
        filter: EventFilter,
    ) -> Result<(Vec<Durable>, bool)> {
        let Self { engine, key, session, last } = self;
        let store = engine.store().clone();
        let read = move |tx: &mut Tx| {
            let expected = *lock(&last);
            let mut page = LogPage::new(engine.registry(), session, expected);
            let more = log::visit(tx, &key, session, (seq, limit), filter, &mut |event| page.add(event))?;
            *lock(&last) = page.size();
            Ok((page.finish(), more))
        };
        Ok(store.read(read).await?)
    }

    /// The end of the message that the feed shows as open, if the log has that end already and the cursor is past it.
    pub(crate) async fn completed(self, since: u64, until: u64) -> Result<u64> {
        let (key, session) = (self.key, self.session);
        let types = vec![MESSAGE_COMPLETE.to_owned()];
        let read =
            move |tx: &mut Tx| log::read(tx, &key, session, since, 1, EventFilter { types, turn_id: None });
        let ends = self.engine.store().read(read).await?;
        Ok(ends.events.first().map(|event| event.seq).filter(|seq| *seq <= until).unwrap_or(0))
    }

    /// Is an end of this attempt of a turn, which stands at `seq`, the end of the turn?
    pub(crate) async fn ends_turn(self, turn: TurnId, attempt: u32, seq: u64) -> Result<bool> {
        let store = self.engine.store().clone();
        let attempt = match attempt {
            // A reader that follows it from an answer on has not seen its beginning.
            0 => self.attempt_before(turn, seq).await?,
            attempt => attempt,
        };
        let newest = store.read(move |tx| turns::attempt(tx, turn)).await?;
        Ok(newest.is_none_or(|newest| newest <= attempt))
    }

    /// The attempt of a turn that began last before this event.
    async fn attempt_before(self, turn: TurnId, seq: u64) -> Result<u32> {
        let (key, session) = (self.key, self.session);
        let read = move |tx: &mut Tx| {
            let filter = EventFilter { types: vec![TURN_STARTED.to_owned()], turn_id: Some(turn) };
            log::read(tx, &key, session, 0, ATTEMPTS, filter)
        };
        let started = self.engine.store().read(read).await?;
        let before = started.events.into_iter().filter(|event| event.seq < seq);
        let attempts = before.filter_map(|event| match event.body {
            EventBody::TurnStarted { attempt, .. } => Some(attempt),
            _ => None,
        });
        Ok(attempts.max().unwrap_or(0))
    }
}
