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
mod tests {
    use super::Ids;
    use capability::Clock;
    use domain::Timestamp;
    use std::sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    };

    struct Settable(AtomicI64);

    impl Clock for Settable {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn ids_sort_in_the_order_in_which_they_were_made() {
        let clock = Arc::new(Settable(AtomicI64::new(1_794_729_600_123)));
        let ids = Ids::new(clock.clone());
        // More than the counts of one millisecond, while the clock stands still.
        let mut made: Vec<_> = (0..10_000).map(|_| ids.uuid()).collect();
        clock.0.fetch_sub(60_000, Ordering::Relaxed);
        made.extend((0..100).map(|_| ids.clone().uuid()));
        clock.0.fetch_add(120_000, Ordering::Relaxed);
        made.extend((0..100).map(|_| ids.uuid()));
        assert!(made.is_sorted_by(|earlier, later| earlier < later));
        assert!(made.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn an_id_tells_when_it_was_made() {
        let ids = Ids::new(Arc::new(Settable(AtomicI64::new(1_794_729_600_123))));
        let (seconds, nanos) = ids.uuid().get_timestamp().unwrap().to_unix();
        assert_eq!((seconds, nanos), (1_794_729_600, 123_000_000));
    }
}
