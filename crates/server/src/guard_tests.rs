use super::*;
use crate::limits_per_person::{Capacity, Occupancy};
use axum::body::Body;
use std::sync::Arc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// What was promised for a proof that ends: to notice, wherever it was ended, and to let a request say its last words.
const PROMISED: Duration = Duration::from_secs(5);

#[test]
fn what_is_revoked_ends_within_the_promised_time() {
    let noticed = engine::Settings::default().people.recheck;
    assert!(noticed + LAST_WORDS < PROMISED, "{noticed:?} and {LAST_WORDS:?}");
}

/// An answer that its client does not take stays in memory, so more of it than is meant for one person is not given out.
/// What was done is told all the same.
#[test]
fn answers_that_nobody_takes_are_bounded() {
    const WHOLE: usize = 16 << 20;
    let occupancy = Arc::new(Occupancy::new(Capacity::default(), 0));
    let request_hold = || {
        let place = occupancy.places.enter(None).unwrap();
        RequestHold::new(occupancy.clone(), &place, TaskTracker::new().token(), CancellationToken::new())
    };
    let user = |number: u128| Some(UserId::from_uuid(uuid::Uuid::from_u128(number)));
    let answered = |size: usize, user: Option<UserId>, looks: bool| {
        let request_hold = request_hold();
        let answer = Response::new(Body::from(vec![0; size]));
        (held(answer, Some(&request_hold), user, looks).status().as_u16(), request_hold)
    };
    let taken: Vec<_> = (0..4).map(|_| answered(WHOLE, user(1), true)).collect();
    assert!(taken.iter().all(|(status, _)| *status == 200));
    let large = usize::try_from(SMALL_ANSWER).unwrap() + 1;
    assert_eq!(answered(large, user(1), true).0, 429);
    assert_eq!(answered(large, user(1), false).0, 200, "it was done");
    assert_eq!(answered(large - 1, user(1), true).0, 200, "what is small is not counted");
    assert_eq!(answered(large, user(2), true).0, 200, "another person has their own");
    drop(taken);
    assert_eq!(answered(large, user(1), true).0, 200, "it was taken");
}
