use super::*;
use std::time::Duration;

#[test]
fn what_is_spent_comes_back_with_time() {
    let begun = Instant::now();
    let mut bucket = Bucket::new(3, 2, begun);
    let mut taken = |seconds| (0..10).filter(|_| bucket.take(begun + Duration::from_secs(seconds))).count();
    assert_eq!(taken(0), 3);
    assert_eq!(taken(1), 2);
    assert_eq!(taken(3_600), 3, "never more than it holds");
    assert_eq!(taken(0), 0, "a clock that goes back gives nothing");
}
