//! Shows committed events to readers, here and at other nodes. Nothing is published before its transaction has committed.

use crate::{
    bus::node_note::{NodeNote, SessionNews},
    engine::Engine,
    follow::{
        feed::{Feed, Feeds},
        hints::{Hints, What},
    },
};
use domain::{Event, SessionId, UserId};

impl Engine {
    /// Shows committed events to the readers of the session, and hints to those that follow everything its person has.
    pub(crate) fn publish(&self, user: UserId, session: SessionId, events: &[Event]) {
        let feed = self.state::<Feeds>().existing(session);
        self.show(feed.as_deref(), user, session, events);
    }

    /// As [`Engine::publish`], for who holds the session's feed.
    pub(crate) fn show(&self, feed: Option<&Feed>, user: UserId, session: SessionId, events: &[Event]) {
        if let Some(feed) = feed {
            feed.publish(events);
        }
        self.state::<Hints>().events(user, events);
        if let (Some(first), Some(last)) = (events.first(), events.last()) {
            self.tell(NodeNote::Grown { user, session, first: first.seq, last: last.seq });
        }
    }

    /// Hints that a session has come or gone.
    pub(crate) fn hint_session(&self, user: UserId, session: SessionId, what: SessionNews) {
        self.state::<Hints>().session(user, session, What::from(what));
        self.tell(NodeNote::Session { user, session, what });
    }
}

impl From<SessionNews> for What {
    fn from(news: SessionNews) -> Self {
        match news {
            SessionNews::Created => Self::Created,
            SessionNews::Deleted => Self::Deleted,
        }
    }
}
