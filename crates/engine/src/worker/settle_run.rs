//! The run of a schedule ends with its turn: its outcome, and what follows for the schedule.

use crate::engine::Engine;
use domain::{RunOutcome, ScheduleId, Timestamp, TurnId, schedule};
use store::{DataKey, Tx, schedules, users};

/// Gives the run of this turn its outcome. Nothing where the turn is of no schedule, or its run has an outcome already.
pub(crate) fn settle_run(
    tx: &mut Tx,
    engine: &Engine,
    key: &DataKey,
    turn: TurnId,
    outcome: RunOutcome,
    now: Timestamp,
) -> store::Result<()> {
    let Some(id) = schedules::settle_run(tx, turn, outcome, now)? else { return Ok(()) };
    match outcome {
        RunOutcome::Failed => count_failure(tx, engine, key, id, now),
        RunOutcome::Completed => schedules::forget_failures(tx, id),
        // A person stopped it, or a budget did: that says nothing of whether it works.
        _ => Ok(()),
    }
}

/// A run failed: after some in a row the next one waits longer than the plan says, and after more it does not come any more.
pub(crate) fn count_failure(
    tx: &mut Tx,
    engine: &Engine,
    key: &DataKey,
    id: ScheduleId,
    now: Timestamp,
) -> store::Result<()> {
    let Some((user, failures)) = schedules::count_failure(tx, id)? else { return Ok(()) };
    if failures >= schedule::STOPS_AFTER {
        return schedules::stop(tx, id, now);
    }
    if !schedule::slows(failures) {
        return Ok(());
    }
    let Some(found) = schedules::get(tx, key, user, id)? else { return Ok(()) };
    let home =
        users::by_id(tx, engine.store().vault(), user)?.map_or_else(String::new, |user| user.time_zone);
    let when = &found.plan.when;
    if let [one, next] = when.times(now, &home, 2).as_slice() {
        let pause = schedule::pause_after(failures, next.as_millis().saturating_sub(one.as_millis()));
        // From this moment on, itself included.
        if let Some(later) = when.next(now.plus_millis(pause.saturating_sub(1)), &home) {
            schedules::postpone(tx, id, later)?;
        }
    }
    Ok(())
}
