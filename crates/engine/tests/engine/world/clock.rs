//! A clock that is set by hand.

use capability::Clock;
use domain::Timestamp;
use std::sync::atomic::{AtomicI64, Ordering};

pub struct TestClock(AtomicI64);

impl Default for TestClock {
    /// Sunday, November 15, 2026, eight in the morning in UTC.
    fn default() -> Self {
        Self(AtomicI64::new(1_794_729_600_123))
    }
}

impl TestClock {
    pub fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::Relaxed))
    }
}
