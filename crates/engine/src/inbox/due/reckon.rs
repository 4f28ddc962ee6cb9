//! Which of the times that are over is fired, and when the schedule is due next.

use domain::{Schedule, Timestamp, When};

/// So many times that are over are counted. Of more, the newest is looked for from closer and closer to now.
const COUNTED: u64 = 1_000;
/// How far back, in milliseconds: an hour, a day, a month.
const LOOKS_BACK: [i64; 3] = [3_600_000, 24 * 3_600_000, 31 * 24 * 3_600_000];
/// What is this much too late was missed, in milliseconds: the server was not running, or could not keep up.
const LATE_MS: i64 = 5 * 60_000;

/// What is to be done about a schedule whose time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reckoning {
    /// The newest time that is over.
    pub(super) due: Timestamp,
    /// Times before it that are over, too.
    pub(super) missed: u64,
    /// It is later than a server that runs would be.
    pub(super) is_late: bool,
    pub(super) next: Option<Timestamp>,
}

/// `first`: the oldest time that is over. `home`: the time zone of its person.
pub(super) fn reckon(schedule: &Schedule, home: &str, first: Timestamp, now: Timestamp) -> Reckoning {
    let when = &schedule.plan.when;
    let (mut due, missed) = newest(when, home, first, now);
    let mut next = when.next(due, home);
    if next.is_some_and(|time| time <= now) {
        let closer = LOOKS_BACK.iter().filter_map(|back| when.next(now.plus_millis(-back), home));
        let found = closer.filter(|time| *time <= now).map(|time| newest(when, home, time, now).0);
        due = found.max().unwrap_or(due);
        next = when.next(now, home);
    }
    let is_late = now.as_millis().saturating_sub(due.as_millis()) > LATE_MS;
    Reckoning { due, missed, is_late, next }
}

/// The newest time that is over, and how many are between, as far as they are counted.
fn newest(when: &When, home: &str, first: Timestamp, now: Timestamp) -> (Timestamp, u64) {
    let (mut due, mut between) = (first, 0);
    while let Some(time) = when.next(due, home).filter(|time| *time <= now && between < COUNTED) {
        (due, between) = (time, between + 1);
    }
    (due, between)
}

#[cfg(test)]
#[path = "reckon_tests.rs"]
mod tests;
