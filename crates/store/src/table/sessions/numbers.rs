//! Numbers of a session's log: taken from the session, used up by what is appended.

use domain::{SessionId, UserId};
use std::ops::Range;

/// Consecutive numbers of one session's log that were taken in this transaction.
///
/// Invariant: each number is used once. Only the statements that raise a session's `last_seq` make this value, it cannot
/// be copied, and [`log::append`](crate::log::append) consumes it together with exactly as many entries.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a number that was taken and not used is a gap in the log"]
pub struct Numbers {
    session: SessionId,
    user: UserId,
    first: u64,
    count: u64,
}

impl Numbers {
    /// The last `count` numbers up to `last`.
    pub(crate) fn up_to(last: u64, count: u64, user: UserId, session: SessionId) -> Self {
        Self { session, user, first: last.saturating_add(1).saturating_sub(count), count }
    }

    pub(crate) fn session(&self) -> SessionId {
        self.session
    }

    /// Whose session it is.
    pub(crate) fn user(&self) -> UserId {
        self.user
    }

    pub fn first(&self) -> u64 {
        self.first
    }

    /// The newest number of the session.
    pub fn last(&self) -> u64 {
        self.first.saturating_add(self.count).saturating_sub(1)
    }

    pub fn each(&self) -> Range<u64> {
        self.first..self.first.saturating_add(self.count)
    }

    /// The first `count` of them, for entries that are written piece by piece; fewer where there are no more.
    pub fn take(&mut self, count: u64) -> Self {
        let count = count.min(self.count);
        let taken = Self { session: self.session, user: self.user, first: self.first, count };
        self.first = self.first.saturating_add(count);
        self.count = self.count.saturating_sub(count);
        taken
    }
}
