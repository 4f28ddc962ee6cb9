//! Which backups are kept: many of the last days, few of long ago, one of each year for ever.

use chrono::Datelike as _;
use domain::Timestamp;
use std::collections::BTreeSet;

const NEWEST: usize = 24;
const DAYS: usize = 30;
const MONTHS: usize = 12;

/// Those that may go: not among the 24 newest, not the oldest of one of the 30 latest days, of one of the 12
/// latest months or of a year. Days, months and years are counted by the backups there are, in UTC, so that
/// a house that was closed for a year comes back to all it had.
pub(crate) fn surplus(made: &[Timestamp]) -> Vec<Timestamp> {
    let made: BTreeSet<Timestamp> = made.iter().copied().collect();
    let newest = made.iter().rev().take(NEWEST).copied();
    let days = oldest_of_each(&made, DAYS, |at| {
        let at = at.to_utc();
        (at.year(), at.month(), at.day())
    });
    let months = oldest_of_each(&made, MONTHS, |at| (at.to_utc().year(), at.to_utc().month(), 0));
    let years = oldest_of_each(&made, usize::MAX, |at| (at.to_utc().year(), 0, 0));
    let kept: BTreeSet<Timestamp> = newest.chain(days).chain(months).chain(years).collect();
    made.difference(&kept).copied().collect()
}

type CalendarSpan = (i32, u32, u32);

/// The oldest of each of the latest spans.
fn oldest_of_each(
    made: &BTreeSet<Timestamp>,
    spans: usize,
    span: impl Fn(Timestamp) -> CalendarSpan,
) -> Vec<Timestamp> {
    let mut firsts: Vec<(CalendarSpan, Timestamp)> = Vec::new();
    for at in made {
        if firsts.last().is_none_or(|(last, _)| *last != span(*at)) {
            firsts.push((span(*at), *at));
        }
    }
    firsts.into_iter().rev().take(spans).map(|(_, at)| at).collect()
}

#[cfg(test)]
#[path = "backup_retention_tests.rs"]
mod tests;
