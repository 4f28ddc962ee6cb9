//! Beginning to follow: where a reader starts, and whether its cursor is one this session has given out.

use crate::{
    engine::Engine,
    error::{Error, Result},
    follow::{
        feed::Feeds,
        reader::{Reader, Start, TurnFilter},
    },
};
use domain::{Cursor, SessionId, TurnId, UserId};
use std::collections::VecDeque;
use store::{
    DataKey,
    log::{self, EventFilter},
};

impl Engine {
    /// Follows a session.
    pub async fn follow(&self, user: UserId, id: SessionId, start: Start) -> Result<Reader> {
        // The feed is held before the log is asked, so nothing can happen between the two unseen.
        let feed = self.state::<Feeds>().get(id);
        let changed = feed.subscribe();
        let session = self.session(user, id).await?;
        let cursor = match start {
            Start::Now => Cursor { seq: session.last_seq, offset: 0 },
            Start::After(cursor) if cursor.seq > session.last_seq => return Err(Error::bad_cursor()),
            Start::After(cursor) => cursor,
        };
        let key = self.store().data_key(user).await?;
        let open = feed.lock().open().map(|open| open.since).filter(|since| *since <= cursor.seq);
        let completed = match open {
            Some(since) => self.completed(&key, id, since, cursor.seq).await?,
            None => 0,
        };
        let reader = Reader {
            store: self.store().clone(),
            registry: self.registry().clone(),
            key,
            session_id: id,
            feed,
            changed,
            clock: self.inner.clock.clone(),
            cursor,
            known: session.last_seq,
            completed,
            turn: None,
            ready: VecDeque::new(),
            had: crate::follow::tool_output::Had::default(),
            finished: false,
            halt: self.inner.halt.clone(),
        };
        reader.check()?;
        Ok(reader)
    }

    /// The end of the message that the feed shows as open, if the log has that end already and the cursor is past it.
    async fn completed(&self, key: &DataKey, id: SessionId, since: u64, until: u64) -> Result<u64> {
        let key = key.clone();
        let read = move |tx: &mut store::Tx| {
            let types = vec![MESSAGE_COMPLETE.to_owned()];
            log::read(tx, &key, id, since, 1, EventFilter { types, turn_id: None })
        };
        let ends = self.store().read(read).await?;
        Ok(ends.events.first().map(|event| event.seq).filter(|seq| *seq <= until).unwrap_or(0))
    }

    /// Follows one turn to its end.
    pub async fn follow_turn(
        &self,
        user: UserId,
        id: SessionId,
        turn_id: TurnId,
        after: u64,
    ) -> Result<Reader> {
        let mut reader = self.follow(user, id, Start::After(Cursor { seq: after, offset: 0 })).await?;
        reader.turn = Some(TurnFilter { turn_id, attempt: 0 });
        Ok(reader)
    }
}

/// The event that ends a message, by its name in the log.
const MESSAGE_COMPLETE: &str = "message_complete";
