use super::*;
use std::sync::Arc;
use testkit::wake_count::WakeCount;

#[test]
fn who_waits_is_woken_once_and_waits_no_longer() {
    let (first, second) = (Arc::new(WakeCount::default()), Arc::new(WakeCount::default()));
    let mut waiters = Waiters::default();
    let (one, other) = (waiters.enter(), waiters.enter());
    for _ in 0..3 {
        waiters.wait(one, &first.clone().into());
    }
    waiters.take().into_iter().for_each(Waker::wake);
    assert_eq!((first.so_far(), second.so_far()), (1, 0));
    waiters.wait(other, &second.clone().into());
    waiters.take().into_iter().for_each(Waker::wake);
    assert_eq!((first.so_far(), second.so_far()), (1, 1));
    assert!(waiters.take().is_empty());
}

#[test]
fn readers_that_come_and_go_leave_nothing_behind() {
    let count = Arc::new(WakeCount::default());
    let mut waiters = Waiters::default();
    let stays = waiters.enter();
    for _ in 0..1_000 {
        let place = waiters.enter();
        waiters.wait(place, &count.clone().into());
        waiters.leave(place);
    }
    assert_eq!(waiters.places.len(), 2);
    assert_eq!(Arc::strong_count(&count), 1, "a waker of a reader that is gone");
    waiters.wait(stays, &count.clone().into());
    waiters.take().into_iter().for_each(Waker::wake);
    assert_eq!(count.so_far(), 1);
}
