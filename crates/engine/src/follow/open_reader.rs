//! Beginning to follow: where a reader starts, and whether its cursor is one this session has given out.

use crate::{
    engine::Engine,
    error::{Error, Result},
    follow::{
        feed::{FeedPlace, Feeds},
        frame::{Durable, Frame},
        read_log::ReadLog,
        reader::Reader,
    },
};
use domain::{Cursor, SessionId, TurnId, UserId};
use store::log::EventFilter;

/// Where a reader begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the next event, preceded by the open message so far.
    Now,
    /// After what the cursor has seen.
    After(Cursor),
}

impl Engine {
    /// Follows a session.
    pub async fn follow(&self, user: UserId, id: SessionId, start: Start) -> Result<Reader> {
        // There is a place at the feed before the log is asked, so nothing can happen between the two unseen.
        let feed = self.state::<Feeds>().get(id);
        let place = FeedPlace::new(feed.clone());
        let last_seq = self.newest_seq(user, id).await?;
        self.begin_at(user, id, &feed, last_seq);
        let cursor = match start {
            Start::Now => Cursor { seq: last_seq, offset: 0 },
            Start::After(cursor) if cursor.seq > last_seq => return Err(Error::bad_cursor()),
            Start::After(cursor) => cursor,
        };
        let log = ReadLog::new(self.clone(), self.store().data_key(user).await?, id);
        let open = feed.lock().open().map(|open| open.since).filter(|since| *since <= cursor.seq);
        let completed = match open {
            Some(since) => log.clone().completed(since, cursor.seq).await?,
            None => 0,
        };
        Reader::new(self.clone(), log, place, cursor, (last_seq, completed))
    }

    /// Follows one turn to its end.
    pub async fn follow_turn(
        &self,
        user: UserId,
        id: SessionId,
        turn_id: TurnId,
        after: u64,
    ) -> Result<Reader> {
        let reader = self.follow(user, id, Start::After(Cursor { seq: after, offset: 0 })).await?;
        Ok(reader.of_turn(turn_id))
    }

    /// A piece of a session's log, and whether more of it comes after that.
    pub async fn events(
        &self,
        user: UserId,
        id: SessionId,
        (after, limit): (u64, u32),
        filter: EventFilter,
    ) -> Result<(Vec<Frame>, bool)> {
        if after > self.newest_seq(user, id).await? {
            return Err(Error::bad_cursor());
        }
        let log = ReadLog::new(self.clone(), self.store().data_key(user).await?, id);
        let (events, more) = log.piece(after, limit, filter).await?;
        Ok((events.iter().map(Durable::frame).collect(), more))
    }
}
