//! Shows committed events to readers. Nothing is published before its transaction has committed.

use crate::{
    engine::Engine,
    follow::{feed::Feeds, hints::Hints},
};
use domain::{Event, SessionId, UserId};

impl Engine {
    /// Shows committed events to the readers of the session, and hints to those that follow everything its person has.
    pub(crate) fn publish(&self, user: UserId, session: SessionId, events: &[Event]) {
        if let Some(feed) = self.state::<Feeds>().existing(session) {
            feed.publish(events);
        }
        self.state::<Hints>().events(user, events);
    }
}
