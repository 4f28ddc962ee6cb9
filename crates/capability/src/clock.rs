//! The port through which a tool learns what time it is.

use domain::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// What the clock of this machine says, where another one is gone by.
    fn of_machine(&self) -> Timestamp {
        self.now()
    }
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A machine whose clock is set before 1970 is wrong anyway; 1970 is as good an answer as any.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
