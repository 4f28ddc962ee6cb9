//! What came of the due times of schedules: a row for each, which ends once.

use super::{MakerRights, maker_place};
use crate::{
    DataKey, Page, Paged, Result, Tx, args,
    database::{page::one_more, row::row},
};
use domain::{RunOutcome, ScheduleId, ScheduleRun, SessionId, Timestamp, TurnId, TurnOutcome, UserId};

/// So many runs of a schedule are kept at least.
const KEPT: u32 = 1_000;

/// A due time that was fired, or left out.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub schedule_id: ScheduleId,
    pub due_at: Timestamp,
    pub fired_at: Timestamp,
    pub turn_id: Option<TurnId>,
    pub session_id: Option<SessionId>,
    /// [`RunOutcome::Running`] has not ended; any other has.
    pub outcome: RunOutcome,
    pub code: Option<&'static str>,
    pub missed: u64,
}

pub fn insert_run(tx: &mut Tx, run: &NewRun) -> Result<()> {
    let ended_at = (run.outcome != RunOutcome::Running).then_some(run.fired_at);
    tx.run(
        "INSERT INTO schedule_runs (schedule_id, due_at, fired_at, ended_at, turn_id, session_id, outcome, code, missed) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            run.schedule_id,
            run.due_at,
            run.fired_at,
            ended_at,
            run.turn_id,
            run.session_id,
            run.outcome,
            run.code,
            run.missed
        ],
    )?;
    Ok(())
}

/// Is a run of it at work, or does one wait for its person?
pub fn has_open(tx: &mut Tx, id: ScheduleId) -> Result<bool> {
    let sql = "SELECT due_at FROM schedule_runs WHERE schedule_id = $1 AND ended_at IS NULL LIMIT 1";
    Ok(tx.maybe::<Timestamp>(sql, args![id])?.is_some())
}

/// Was it due at this time before, by an earlier plan?
pub fn fired_before(tx: &mut Tx, id: ScheduleId, due: Timestamp) -> Result<bool> {
    let sql = "SELECT due_at FROM schedule_runs WHERE schedule_id = $1 AND due_at = $2";
    Ok(tx.maybe::<Timestamp>(sql, args![id, due])?.is_some())
}

/// Its turn has ended; which schedule it was of. `None` when the run has its outcome already, or the turn is none of a schedule.
pub fn settle_run(
    tx: &mut Tx,
    turn: TurnId,
    outcome: RunOutcome,
    at: Timestamp,
) -> Result<Option<ScheduleId>> {
    let sql = "UPDATE schedule_runs SET outcome = $2, ended_at = $3 WHERE turn_id = $1 AND ended_at IS NULL \
               RETURNING schedule_id";
    tx.maybe(sql, args![turn, outcome, at])
}

row! {
    /// A run without an outcome whose turn has ended, or is gone.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct OpenRun {
        pub turn_id: TurnId,
        pub user_id: UserId,
        /// `None`: the turn is gone.
        pub outcome: Option<TurnOutcome>,
    }
}

/// Runs whose turn was ended by something that knows nothing of schedules.
pub fn open_runs_ended(tx: &mut Tx) -> Result<Vec<OpenRun>> {
    tx.all(
        "SELECT r.turn_id, s.user_id, t.outcome FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id \
         LEFT JOIN turns t ON t.id = r.turn_id \
         WHERE r.ended_at IS NULL AND r.turn_id IS NOT NULL AND (t.id IS NULL OR t.status = 'ended')",
        args![],
    )
}

row! {
    struct RunRow {
        due_at: Timestamp,
        fired_at: Timestamp,
        ended_at: Option<Timestamp>,
        turn_id: Option<TurnId>,
        session_id: Option<SessionId>,
        outcome: RunOutcome,
        code: Option<String>,
        missed: u64,
    }
}

/// The runs of a schedule, the newest first.
pub fn list_runs(tx: &mut Tx, user: UserId, id: ScheduleId, page: Page) -> Result<Paged<ScheduleRun>> {
    let before: Option<i64> = page.cursor_as()?;
    let total = tx.one("SELECT COUNT(*) FROM schedule_runs WHERE schedule_id = $1", args![id])?;
    let piece = tx.piece::<RunRow>(
        "SELECT r.due_at, r.fired_at, r.ended_at, r.turn_id, r.session_id, \
         CASE WHEN r.outcome = 'running' AND t.status = 'parked' THEN 'waiting' ELSE r.outcome END, r.code, r.missed \
         FROM schedules s JOIN schedule_runs r ON r.schedule_id = s.id LEFT JOIN turns t ON t.id = r.turn_id \
         WHERE s.id = $1 AND s.user_id = $2 AND r.due_at < $3 ORDER BY r.due_at DESC LIMIT $4",
        args![id, user, before.unwrap_or(i64::MAX), one_more(page.limit)],
    )?;
    let run = |row: RunRow| {
        let RunRow { due_at, fired_at, ended_at, turn_id, session_id, outcome, code, missed } = row;
        Ok(ScheduleRun { due_at, fired_at, ended_at, turn_id, session_id, outcome, code, missed })
    };
    Paged::from_piece(piece, page.limit, total, |row| row.due_at.as_millis().to_string()).try_map(run)
}

/// What the agent might do when the schedule was made whose run this turn is; `None` when it is none, or the schedule is gone.
pub fn maker_of(tx: &mut Tx, key: &DataKey, user: UserId, turn: TurnId) -> Result<Option<MakerRights>> {
    let sql = "SELECT s.id, s.maker FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id \
               WHERE r.turn_id = $1 AND s.user_id = $2";
    let found: Option<(ScheduleId, Vec<u8>)> = tx.maybe(sql, args![turn, user])?;
    found.map(|(id, sealed)| key.open_json(maker_place(&id), &sealed)).transpose()
}

/// Forgets runs of long ago.
pub fn forget_old(tx: &mut Tx, id: ScheduleId) -> Result<u64> {
    let sql = "DELETE FROM schedule_runs WHERE schedule_id = $1 AND ended_at IS NOT NULL AND due_at < \
               (SELECT due_at FROM schedule_runs WHERE schedule_id = $1 ORDER BY due_at DESC LIMIT 1 OFFSET $2)";
    tx.run(sql, args![id, KEPT])
}
