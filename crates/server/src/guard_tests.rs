use super::*;

/// What was promised for a proof that ends: to notice, wherever it was ended, and to let a request say its last words.
const PROMISED: Duration = Duration::from_secs(5);

#[test]
fn what_is_revoked_ends_within_the_promised_time() {
    let noticed = engine::Settings::default().people.recheck;
    assert!(noticed + LAST_WORDS < PROMISED, "{noticed:?} and {LAST_WORDS:?}");
}
