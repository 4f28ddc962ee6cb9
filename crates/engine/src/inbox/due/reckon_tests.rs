use super::*;
use domain::{AgentId, Label, MissedRuns, RunPlace, ScheduleId, SchedulePlan, ScheduleState, UserId, When};
use uuid::Uuid;

const MINUTE: i64 = 60_000;

fn at(minutes: i64) -> Timestamp {
    Timestamp::from_millis(1_794_729_600_000 + minutes * MINUTE)
}

fn schedule(when: When) -> Schedule {
    let id = Uuid::from_u128(1);
    Schedule {
        id: ScheduleId::from_uuid(id),
        user_id: UserId::from_uuid(id),
        number: 1,
        kind: domain::ScheduleKind::Run,
        agent_id: AgentId::from_uuid(id),
        session_id: None,
        plan: SchedulePlan {
            when,
            note: "Look.".to_owned(),
            place: RunPlace::Fresh,
            missed: MissedRuns::One,
            max_runs: None,
        },
        state: ScheduleState::Active,
        revision: 1,
        next_at: Some(at(0)),
        failures: 0,
        runs: 0,
        label: Label::TRUSTED_PRIVATE,
        created_at: at(0),
        updated_at: at(0),
    }
}

fn every_minute() -> Schedule {
    schedule(When::Cron { pattern: "* * * * *".to_owned(), zone: None })
}

#[test]
fn what_is_due_is_fired_and_the_next_time_is_later() {
    let hourly = schedule(When::Every { seconds: 3_600, anchor: at(0) });
    let fired = Reckoning { due: at(0), missed: 0, is_late: false, next: Some(at(60)) };
    assert_eq!(reckon(&hourly, "UTC", at(0), at(0)), fired);
    assert_eq!(reckon(&hourly, "UTC", at(0), at(5)), fired, "a little later is no matter");
    assert_eq!(reckon(&hourly, "UTC", at(0), at(6)), Reckoning { is_late: true, ..fired });
}

#[test]
fn of_times_that_were_missed_the_newest_is_due_and_the_others_are_counted() {
    let found = reckon(&every_minute(), "UTC", at(0), at(90));
    assert_eq!(found, Reckoning { due: at(90), missed: 90, is_late: false, next: Some(at(91)) });
    // However long it was away: it comes back to the present.
    let year = 366 * 24 * 60;
    let found = reckon(&every_minute(), "UTC", at(0), at(year));
    assert_eq!(found, Reckoning { due: at(year), missed: COUNTED, is_late: false, next: Some(at(year + 1)) });
}

#[test]
fn one_moment_does_not_come_again() {
    let once = schedule(When::Once { at: at(0) });
    let fired = Reckoning { due: at(0), missed: 0, is_late: true, next: None };
    assert_eq!(reckon(&once, "UTC", at(0), at(500)), fired);
}

/// The clock was set back after the last look: nothing is due twice, and nothing is lost.
#[test]
fn the_next_time_is_counted_from_the_one_that_is_due() {
    let found = reckon(&every_minute(), "UTC", at(10), at(10));
    assert_eq!((found.due, found.next), (at(10), Some(at(11))));
}
