//! Schedules: what agents do at their times. The plan of one, and what its agent might do when it was made, are sealed with
//! the key of its person.
//!
//! Invariant: of all nodes that see the same due time one fires it, because [`advance`] changes a row from that time to the next
//! one. A transaction that changes a schedule and a session takes the session first.

mod runs;

pub use runs::{
    NewRun, OpenRun, fired_before, forget_old, has_open, insert_run, list_runs, maker_of, open_runs_ended,
    settle_run,
};

use crate::{
    DataKey, Page, Paged, Result, Tx, args,
    crypto::seal::CellPlace,
    database::{page::one_more, row::row},
    sessions::{label_bits, label_from},
    users,
};
use domain::{
    AgentId, CapabilityRef, Schedule, ScheduleId, ScheduleKind, SchedulePlan, ScheduleState, SessionId,
    Timestamp, ToolRule, UserId,
};
use serde::{Deserialize, Serialize};

/// What an agent might do when its person made a schedule. A run has no more than this, whatever the agent has got since.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MakerRights {
    pub capabilities: Vec<CapabilityRef>,
    pub allowed_tools: Vec<String>,
    pub tool_rules: Vec<ToolRule>,
}

row! {
    struct ScheduleRow {
        id: ScheduleId,
        user_id: UserId,
        agent_id: AgentId,
        session_id: Option<SessionId>,
        number: u64,
        kind: ScheduleKind,
        state: ScheduleState,
        revision: u64,
        next_at: Option<Timestamp>,
        failures: u64,
        runs: u64,
        label: i64,
        created_at: Timestamp,
        updated_at: Timestamp,
        body: Vec<u8>,
    }
}

const COLUMNS: &str = "id, user_id, agent_id, session_id, number, kind, state, revision, next_at, failures, runs, label, \
     created_at, updated_at, body";

fn body_place(id: &ScheduleId) -> CellPlace<'_> {
    CellPlace::new("schedules", "body", id)
}

fn maker_place(id: &ScheduleId) -> CellPlace<'_> {
    CellPlace::new("schedules", "maker", id)
}

impl ScheduleRow {
    fn open(self, key: &DataKey) -> Result<Schedule> {
        let plan: SchedulePlan = key.open_json(body_place(&self.id), &self.body)?;
        Ok(Schedule {
            id: self.id,
            user_id: self.user_id,
            number: self.number,
            kind: self.kind,
            agent_id: self.agent_id,
            session_id: self.session_id,
            plan,
            state: self.state,
            revision: self.revision,
            next_at: self.next_at,
            failures: self.failures,
            runs: self.runs,
            label: label_from(self.label),
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// Fewer than `most` schedules of the user come, and no other writer adds one before the commit.
pub fn has_room(tx: &mut Tx, user: UserId, most: u64) -> Result<bool> {
    users::hold(tx, user)?;
    Ok(count_active(tx, user)? < most)
}

/// After [`has_room`].
pub fn create(tx: &mut Tx, key: &DataKey, schedule: &Schedule, maker: &MakerRights) -> Result<()> {
    tx.run(
        "INSERT INTO schedules (id, user_id, agent_id, session_id, number, kind, state, revision, next_at, failures, runs, label, \
         created_at, updated_at, body, maker) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        args![
            schedule.id,
            schedule.user_id,
            schedule.agent_id,
            schedule.session_id,
            schedule.number,
            schedule.kind,
            schedule.state,
            schedule.revision,
            schedule.next_at,
            schedule.failures,
            schedule.runs,
            label_bits(schedule.label),
            schedule.created_at,
            schedule.updated_at,
            key.seal_json(body_place(&schedule.id), &schedule.plan)?,
            key.seal_json(maker_place(&schedule.id), maker)?
        ],
    )?;
    Ok(())
}

/// Which schedule of the user has this number.
pub fn id_of(tx: &mut Tx, user: UserId, number: u64) -> Result<Option<ScheduleId>> {
    tx.maybe("SELECT id FROM schedules WHERE user_id = $1 AND number = $2", args![user, number])
}

/// How many of a user's schedules come.
pub fn count_active(tx: &mut Tx, user: UserId) -> Result<u64> {
    tx.one("SELECT COUNT(*) FROM schedules WHERE user_id = $1 AND state = 'active'", args![user])
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: ScheduleId) -> Result<Option<Schedule>> {
    let sql = format!("SELECT {COLUMNS} FROM schedules WHERE id = $1 AND user_id = $2");
    tx.maybe::<ScheduleRow>(&sql, args![id, user])?.map(|row| row.open(key)).transpose()
}

/// As [`get`], and nothing else changes it until the commit.
pub fn hold(tx: &mut Tx, key: &DataKey, user: UserId, id: ScheduleId) -> Result<Option<Schedule>> {
    tx.run("UPDATE schedules SET state = state WHERE id = $1 AND user_id = $2", args![id, user])?;
    get(tx, key, user, id)
}

/// A user's schedules, oldest first.
pub fn list(tx: &mut Tx, key: &DataKey, user: UserId, page: Page) -> Result<Paged<Schedule>> {
    let after: Option<ScheduleId> = page.cursor_as()?;
    let after = after.map_or_else(String::new, |id| id.to_string());
    let total = tx.one("SELECT COUNT(*) FROM schedules WHERE user_id = $1", args![user])?;
    let sql = format!("SELECT {COLUMNS} FROM schedules WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3");
    let piece = tx.piece::<ScheduleRow>(&sql, args![user, after, one_more(page.limit)])?;
    Paged::from_piece(piece, page.limit, total, |row| row.id.to_string()).try_map(|row| row.open(key))
}

/// Stores what a person has changed, with what the agent may do now. `false` when the user has no such schedule.
pub fn update(tx: &mut Tx, key: &DataKey, schedule: &Schedule, maker: &MakerRights) -> Result<bool> {
    let sql = "UPDATE schedules SET state = $3, revision = $4, next_at = $5, failures = $6, label = $7, updated_at = $8, \
               body = $9, maker = $10 WHERE id = $1 AND user_id = $2";
    let changed = tx.run(
        sql,
        args![
            schedule.id,
            schedule.user_id,
            schedule.state,
            schedule.revision,
            schedule.next_at,
            schedule.failures,
            label_bits(schedule.label),
            schedule.updated_at,
            key.seal_json(body_place(&schedule.id), &schedule.plan)?,
            key.seal_json(maker_place(&schedule.id), maker)?
        ],
    )?;
    Ok(changed > 0)
}

/// Whether it comes, and when next; the plan stays as it is. `false` when the user has no such schedule.
pub fn set_state(
    tx: &mut Tx,
    user: UserId,
    id: ScheduleId,
    (state, next_at): (ScheduleState, Option<Timestamp>),
    at: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE schedules SET state = $3, next_at = $4, failures = 0, updated_at = $5 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, state, next_at, at])? > 0)
}

/// With its runs; the conversations of the runs stay. `false` when the user has no such schedule.
pub fn delete(tx: &mut Tx, user: UserId, id: ScheduleId) -> Result<bool> {
    Ok(tx.run("DELETE FROM schedules WHERE id = $1 AND user_id = $2", args![id, user])? > 0)
}

/// What is due, the longest overdue first.
pub fn due(tx: &mut Tx, now: Timestamp, most: u32) -> Result<Vec<(ScheduleId, UserId)>> {
    let sql = "SELECT id, user_id FROM schedules WHERE state = 'active' AND next_at <= $1 ORDER BY next_at LIMIT $2";
    tx.all(sql, args![now, most])
}

/// The reminders among them: they need no room for a turn.
pub fn due_reminders(tx: &mut Tx, now: Timestamp, most: u32) -> Result<Vec<(ScheduleId, UserId)>> {
    let sql = "SELECT id, user_id FROM schedules WHERE state = 'active' AND next_at <= $1 AND kind = 'reminder' \
               ORDER BY next_at LIMIT $2";
    tx.all(sql, args![now, most])
}

/// When the next reminder is due.
pub fn next_reminder(tx: &mut Tx) -> Result<Option<Timestamp>> {
    let sql = "SELECT next_at FROM schedules WHERE state = 'active' AND next_at IS NOT NULL AND kind = 'reminder' \
               ORDER BY next_at LIMIT 1";
    tx.maybe(sql, args![])
}

/// When the next one is due.
pub fn next_due(tx: &mut Tx) -> Result<Option<Timestamp>> {
    let sql = "SELECT next_at FROM schedules WHERE state = 'active' AND next_at IS NOT NULL ORDER BY next_at LIMIT 1";
    tx.maybe(sql, args![])
}

/// From one due time to the next. `runs`: it ran. `false` when another node was first, or it does not come any more.
pub fn advance(
    tx: &mut Tx,
    id: ScheduleId,
    due: Timestamp,
    next: Option<Timestamp>,
    runs: bool,
) -> Result<bool> {
    let sql = "UPDATE schedules SET next_at = $3, runs = runs + $4, state = CASE WHEN $3 IS NULL THEN 'ended' ELSE state END \
               WHERE id = $1 AND next_at = $2 AND state = 'active'";
    Ok(tx.run(sql, args![id, due, next, runs])? > 0)
}

/// Counts a failed run; `None` when the schedule is gone.
pub fn count_failure(tx: &mut Tx, id: ScheduleId) -> Result<Option<(UserId, u64)>> {
    let sql = "UPDATE schedules SET failures = failures + 1 WHERE id = $1 RETURNING user_id, failures";
    tx.maybe(sql, args![id])
}

/// A run went well.
pub fn forget_failures(tx: &mut Tx, id: ScheduleId) -> Result<()> {
    tx.run("UPDATE schedules SET failures = 0 WHERE id = $1 AND failures > 0", args![id])?;
    Ok(())
}

/// Comes no more, because it failed too often.
pub fn stop(tx: &mut Tx, id: ScheduleId, at: Timestamp) -> Result<()> {
    let sql = "UPDATE schedules SET state = 'stopped', next_at = NULL, updated_at = $2 WHERE id = $1 AND state = 'active'";
    tx.run(sql, args![id, at])?;
    Ok(())
}

/// Comes later than its plan says.
pub fn postpone(tx: &mut Tx, id: ScheduleId, until: Timestamp) -> Result<()> {
    let sql = "UPDATE schedules SET next_at = $2 WHERE id = $1 AND state = 'active' AND next_at < $2";
    tx.run(sql, args![id, until])?;
    Ok(())
}
