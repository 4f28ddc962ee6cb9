//! New ids: time from the clock, the rest from the system's randomness.

use capability::Clock;
use domain::Timestamp;
use people::TimeAndIds;
use std::sync::{Arc, Mutex, PoisonError};
use uuid::{Builder, Uuid};

/// Ids of one millisecond are told apart, and kept in order, by this many counts.
const COUNTS: u16 = 1 << 12;

/// Makes ids that sort in the order in which they were made, also within a millisecond and when the clock is set back:
/// inputs of one moment are taken in by the order of their ids.
#[derive(Clone)]
pub struct Ids {
    clock: Arc<dyn Clock>,
    last: Arc<Mutex<(u64, u16)>>,
}

impl Ids {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, last: Arc::default() }
    }

    pub fn uuid(&self) -> Uuid {
        let (millis, count) = self.tick();
        let mut random: [u8; 10] = rand::random();
        [random[0], random[1]] = count.to_be_bytes();
        Builder::from_unix_timestamp_millis(millis, &random).into_uuid()
    }

    fn tick(&self) -> (u64, u16) {
        let now = u64::try_from(self.clock.now().as_millis()).unwrap_or(0);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (millis, count) = *last;
        *last = match count + 1 {
            _ if now > millis => (now, 0),
            COUNTS.. => (millis.saturating_add(1), 0),
            next => (millis, next),
        };
        *last
    }
}

impl TimeAndIds for Ids {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn uuid(&self) -> Uuid {
        self.uuid()
    }
}

#[cfg(test)]
#[path = "ids_tests.rs"]
mod tests;
