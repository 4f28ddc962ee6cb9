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
