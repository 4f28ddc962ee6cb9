//! Turns: their queue, their lease, their epoch, and the state of their machine.
//!
//! Invariant: a running turn is written only by the holder of its epoch. Every takeover counts the epoch up,
//! so the worker that held it before finds no row to update and gets [`Error::Fenced`].

mod lease;
pub mod nodes;
mod stop;

pub use lease::{
    Held, Orphan, claim, count_scheduled, end_unopened, end_unopened_queued, hand_over, held, orphans, ours,
    release, renew, reopen, seize, start, unowned, unpark,
};
pub use stop::{drop_queued, request_cancel, request_cancel_of, to_stop};

use crate::{DataKey, Error, Result, Tx, args, crypto::seal::CellPlace, database::row::row};
use domain::{NodeId, SessionId, Source, Timestamp, TurnId, TurnOutcome, TurnStatus, UserId};
use std::fmt;

#[derive(Clone, Debug)]
pub struct NewTurn {
    pub id: TurnId,
    pub session_id: SessionId,
    pub user_id: UserId,
    /// Its place in the session's order; unique there.
    pub position: u64,
    pub source: Source,
    pub status: TurnStatus,
    pub owner: Option<NodeId>,
    pub epoch: u64,
    pub lease_until: Option<Timestamp>,
    pub state: Option<Vec<u8>>,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTurn {
    pub id: TurnId,
    pub session_id: SessionId,
    pub user_id: UserId,
    pub status: TurnStatus,
    pub outcome: Option<TurnOutcome>,
    pub source: Source,
    pub attempt: u32,
    pub epoch: u64,
    pub position: u64,
    /// Its person has asked for it to stop.
    pub cancelled: bool,
    /// Takeovers since it last got anywhere.
    pub stalls: u32,
    /// It came with a backup, and no person has asked for it since: it is not run.
    pub restored: bool,
    pub state: Option<Vec<u8>>,
}

row! {
    struct TurnRow {
        id: TurnId,
        session_id: SessionId,
        user_id: UserId,
        status: TurnStatus,
        outcome: Option<TurnOutcome>,
        source: Source,
        attempt: u32,
        epoch: u64,
        position: u64,
        cancelled: bool,
        stalls: u32,
        restored: bool,
        state: Option<Vec<u8>>,
    }
}

const COLUMNS: &str = "id, session_id, user_id, status, outcome, source, attempt, epoch, position, cancel, stalls, restored, state";

impl TurnRow {
    /// Without its state, where that cannot be opened.
    fn readable(self, key: &DataKey) -> Result<StoredTurn> {
        let readable = self.state.as_deref().is_none_or(|sealed| key.open(place(&self.id), sealed).is_ok());
        let state = if readable { self.state } else { None };
        Self { state, ..self }.open(key)
    }

    fn open(self, key: &DataKey) -> Result<StoredTurn> {
        let state = self.state.map(|sealed| key.open(place(&self.id), &sealed)).transpose()?;
        Ok(StoredTurn {
            id: self.id,
            session_id: self.session_id,
            user_id: self.user_id,
            status: self.status,
            outcome: self.outcome,
            source: self.source,
            attempt: self.attempt,
            epoch: self.epoch,
            position: self.position,
            cancelled: self.cancelled,
            stalls: self.stalls,
            restored: self.restored,
            state,
        })
    }
}

fn place(id: &TurnId) -> CellPlace<'_> {
    CellPlace::new("turns", "state", id)
}

pub fn insert(tx: &mut Tx, key: &DataKey, new: &NewTurn) -> Result<()> {
    let state = new.state.as_deref().map(|state| key.seal(place(&new.id), state)).transpose()?;
    // The first attempt of a turn that runs at once begins with it.
    let attempt = u32::from(new.status == TurnStatus::Running);
    tx.run(
        "INSERT INTO turns (id, session_id, user_id, position, source, status, owner, epoch, lease_until, \
         attempt, stalls, cancel, created_at, updated_at, state) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $11, $11, $12)",
        args![
            new.id,
            new.session_id,
            new.user_id,
            new.position,
            new.source,
            new.status,
            new.owner,
            new.epoch,
            new.lease_until,
            attempt,
            new.at,
            state
        ],
    )?;
    Ok(())
}

/// The state of a turn as it is stored. No two are the same, even of equal states.
#[derive(Clone, Default)]
pub struct SealedState(Vec<u8>);

impl SealedState {
    pub fn new(key: &DataKey, id: TurnId, state: &[u8]) -> Result<Self> {
        Ok(Self(key.seal(place(&id), state)?))
    }
}

impl fmt::Debug for SealedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedState")
    }
}

/// What one step of the machine leaves behind.
#[derive(Clone, Debug)]
pub struct TurnUpdate {
    pub state: SealedState,
    pub status: TurnStatus,
    pub outcome: Option<TurnOutcome>,
    pub attempt: u32,
    /// It got somewhere: the count of takeovers without progress begins anew.
    pub progress: bool,
    pub at: Timestamp,
}

/// Stores a step; says whether a person has asked for the turn to stop. [`Error::Fenced`] when the epoch is
/// not the turn's any more, or it does not run: then the transaction must be given up.
pub fn commit(tx: &mut Tx, id: TurnId, epoch: u64, update: TurnUpdate) -> Result<bool> {
    let SealedState(state) = update.state;
    let cancelled: Option<bool> = tx.maybe(
        "UPDATE turns SET state = $3, status = $4, outcome = $5, attempt = $6, \
               stalls = CASE WHEN $7 = 1 THEN 0 ELSE stalls END, updated_at = $8, \
               owner = CASE WHEN $4 = 'parked' THEN NULL ELSE owner END, \
               lease_until = CASE WHEN $4 = 'running' THEN lease_until ELSE NULL END \
             WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING cancel",
        args![id, epoch, state, update.status, update.outcome, update.attempt, update.progress, update.at],
    )?;
    cancelled.ok_or(Error::Fenced)
}

/// Is a step certainly not stored, whose COMMIT had no answer? Then the same may be stored once more. Waits until the transaction
/// that tried it is over, which has the row locked. `false` as well when the turn is not ours any more.
pub fn is_unstored(tx: &mut Tx, id: TurnId, epoch: u64, state: &SealedState) -> Result<bool> {
    let sql = "UPDATE turns SET epoch = epoch \
               WHERE id = $1 AND epoch = $2 AND status = 'running' AND (state IS NULL OR state <> $3)";
    Ok(tx.run(sql, args![id, epoch, state.0.clone()])? > 0)
}

/// Goes on only while the turn is ours: [`Error::Fenced`] otherwise. No other node takes it over before this transaction ends.
pub fn fence(tx: &mut Tx, id: TurnId, epoch: u64) -> Result<()> {
    let sql = "UPDATE turns SET epoch = epoch WHERE id = $1 AND epoch = $2 AND status = 'running'";
    if tx.run(sql, args![id, epoch])? == 0 { Err(Error::Fenced) } else { Ok(()) }
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: TurnId) -> Result<Option<StoredTurn>> {
    let sql = format!("SELECT {COLUMNS} FROM turns WHERE id = $1 AND user_id = $2");
    tx.maybe::<TurnRow>(&sql, args![id, user])?.map(|row| row.open(key)).transpose()
}

/// The last turn in the session's order.
pub fn latest(tx: &mut Tx, key: &DataKey, session: SessionId) -> Result<Option<StoredTurn>> {
    let sql = format!("SELECT {COLUMNS} FROM turns WHERE session_id = $1 ORDER BY position DESC LIMIT 1");
    tx.maybe::<TurnRow>(&sql, args![session])?.map(|row| row.open(key)).transpose()
}

/// The turn that has waited longest.
pub fn next_queued(tx: &mut Tx, key: &DataKey, session: SessionId) -> Result<Option<StoredTurn>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1"
    );
    tx.maybe::<TurnRow>(&sql, args![session])?.map(|row| row.open(key)).transpose()
}

/// As [`next_queued`], by its name alone.
pub fn first_queued(tx: &mut Tx, session: SessionId) -> Result<Option<TurnId>> {
    let sql = "SELECT id FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1";
    tx.maybe(sql, args![session])
}

/// The turn that a session is at, whether it works or waits.
pub fn active(tx: &mut Tx, session: SessionId) -> Result<Option<TurnId>> {
    let found: Option<Option<TurnId>> =
        tx.maybe("SELECT active_turn FROM sessions WHERE id = $1", args![session])?;
    Ok(found.flatten())
}

/// Where a turn of this person is, and how far.
pub fn whereabouts(tx: &mut Tx, user: UserId, id: TurnId) -> Result<Option<(SessionId, TurnStatus)>> {
    tx.maybe("SELECT session_id, status FROM turns WHERE id = $1 AND user_id = $2", args![id, user])
}

/// How often the turn has been started.
pub fn attempt(tx: &mut Tx, id: TurnId) -> Result<Option<u32>> {
    tx.maybe("SELECT attempt FROM turns WHERE id = $1", args![id])
}

/// The `seq` of the event that announced the turn's input.
pub fn position(tx: &mut Tx, id: TurnId) -> Result<Option<u64>> {
    tx.maybe("SELECT position FROM turns WHERE id = $1", args![id])
}

/// Is there nothing left of it to do? Also when it is not there any more.
pub fn has_ended(tx: &mut Tx, id: TurnId) -> Result<bool> {
    let sql = "SELECT id FROM turns WHERE id = $1 AND status <> 'ended'";
    Ok(tx.maybe::<TurnId>(sql, args![id])?.is_none())
}

/// How many turns wait, in all sessions.
pub fn count_queued(tx: &mut Tx) -> Result<u64> {
    let row: (u64,) = tx.one("SELECT COUNT(*) FROM turns WHERE status = 'queued'", args![])?;
    Ok(row.0)
}

/// Sessions with turns that wait although nothing is active. There should be none.
pub fn idle_queued(tx: &mut Tx) -> Result<Vec<(SessionId, UserId)>> {
    tx.all(
        "SELECT s.id, s.user_id FROM sessions s WHERE s.active_turn IS NULL \
         AND s.id IN (SELECT t.session_id FROM turns t WHERE t.status = 'queued') ORDER BY s.id",
        args![],
    )
}
