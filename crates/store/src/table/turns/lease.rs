//! Who works on a turn: it begins, is taken over, waits and goes on, each time under another epoch.

use super::{COLUMNS, StoredTurn, TurnRow, nodes::AS_LONG_AS_ITS_NODE, place};
use crate::{DataKey, Result, Tx, args, database::row::row};
use domain::{NodeId, SessionId, Timestamp, TurnId, TurnStatus, UserId};

#[expect(clippy::too_many_arguments, reason = "one row's worth of values, each of its own type")]
fn run_from(
    tx: &mut Tx,
    from: TurnStatus,
    key: &DataKey,
    id: TurnId,
    owner: NodeId,
    lease_until: Timestamp,
    state: &[u8],
    attempt: u32,
    at: Timestamp,
) -> Result<Option<u64>> {
    let state = key.seal(place(&id), state)?;
    tx.maybe(
        "UPDATE turns SET status = 'running', outcome = NULL, cancel = 0, stalls = 0, restored = 0, \
           epoch = epoch + 1, owner = $3, lease_until = $4, state = $5, attempt = $6, updated_at = $7 \
         WHERE id = $1 AND status = $2 RETURNING epoch",
        args![id, from, owner, lease_until, state, attempt, at],
    )
}

/// A queued turn begins to run; its epoch, or `None` when it was not queued.
#[expect(clippy::too_many_arguments, reason = "one row's worth of values, each of its own type")]
pub fn start(
    tx: &mut Tx,
    key: &DataKey,
    id: TurnId,
    owner: NodeId,
    lease_until: Timestamp,
    state: &[u8],
    attempt: u32,
    at: Timestamp,
) -> Result<Option<u64>> {
    run_from(tx, TurnStatus::Queued, key, id, owner, lease_until, state, attempt, at)
}

/// This turn is this node's, only to be ended: it cannot be started. `None` when it is not the one that has waited longest: another
/// node may have ended it, and what waits then may be sound. A state that cannot be opened is as good as none.
pub fn seize(
    tx: &mut Tx,
    key: &DataKey,
    (session, turn): (SessionId, TurnId),
    owner: NodeId,
    lease_until: Timestamp,
    at: Timestamp,
) -> Result<Option<StoredTurn>> {
    let sql = format!(
        "UPDATE turns SET status = 'running', owner = $2, lease_until = $3, epoch = epoch + 1, \
           attempt = attempt + 1, updated_at = $4 \
         WHERE status = 'queued' AND id = $5 AND \
           id = (SELECT id FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1) \
         RETURNING {COLUMNS}"
    );
    let row: Option<TurnRow> = tx.maybe(&sql, args![session, owner, lease_until, at, turn])?;
    row.map(|row| row.readable(key)).transpose()
}

/// An ended turn runs again; its epoch, or `None` when it had not ended.
#[expect(clippy::too_many_arguments, reason = "one row's worth of values, each of its own type")]
pub fn reopen(
    tx: &mut Tx,
    key: &DataKey,
    id: TurnId,
    owner: NodeId,
    lease_until: Timestamp,
    state: &[u8],
    attempt: u32,
    at: Timestamp,
) -> Result<Option<u64>> {
    run_from(tx, TurnStatus::Ended, key, id, owner, lease_until, state, attempt, at)
}

row! {
    /// A running turn that has no worker.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Orphan {
        pub turn_id: TurnId,
        pub session_id: SessionId,
        pub user_id: UserId,
        pub epoch: u64,
    }
}

/// Running turns whose node is dead, or that are this node's own from before it was restarted. A node is dead when its lease ended before
/// `dead_before`. One that there is no row of, as on SQLite, is judged by the lease of the turn.
pub fn orphans(tx: &mut Tx, owner: NodeId, now: Timestamp, dead_before: Timestamp) -> Result<Vec<Orphan>> {
    tx.all(
        "SELECT t.id, t.session_id, t.user_id, t.epoch FROM turns t LEFT JOIN nodes n ON n.id = t.owner \
         WHERE t.status = 'running' AND (t.owner IS NULL OR t.owner = $1 OR n.lease_until < $3 OR (n.id IS NULL \
           AND (t.lease_until IS NULL OR t.lease_until < $2 OR t.lease_until >= $4))) ORDER BY t.created_at, t.id",
        args![owner, now, dead_before, AS_LONG_AS_ITS_NODE],
    )
}

/// Takes a running turn over, if its epoch is still this one and its node is still dead; counts epoch, attempt and stalls up. A state
/// that cannot be opened is as good as none: otherwise its turn could never be ended. `lease`: until when, and `dead_before` as
/// for [`orphans`].
pub fn claim(
    tx: &mut Tx,
    key: &DataKey,
    id: TurnId,
    epoch: u64,
    owner: NodeId,
    (lease_until, dead_before): (Timestamp, Timestamp),
    at: Timestamp,
) -> Result<Option<StoredTurn>> {
    let sql = format!(
        "UPDATE turns SET owner = $3, lease_until = $4, epoch = epoch + 1, attempt = attempt + 1, \
           stalls = stalls + 1, updated_at = $5 \
         WHERE id = $1 AND epoch = $2 AND status = 'running' AND (owner IS NULL OR owner = $3 OR NOT EXISTS \
           (SELECT 1 FROM nodes n WHERE n.id = turns.owner AND n.lease_until >= $6)) RETURNING {COLUMNS}"
    );
    let row: Option<TurnRow> = tx.maybe(&sql, args![id, epoch, owner, lease_until, at, dead_before])?;
    row.map(|row| row.readable(key)).transpose()
}

/// Ends a running turn as failed of which nothing can be opened: its person's key is damaged. Under the same conditions as [`claim`];
/// `false` when they do not hold.
pub fn end_unopened(
    tx: &mut Tx,
    orphan: Orphan,
    owner: NodeId,
    dead_before: Timestamp,
    at: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE turns SET status = 'ended', outcome = 'failed', owner = $3, lease_until = NULL, epoch = epoch + 1, updated_at = $5 \
               WHERE id = $1 AND epoch = $2 AND status = 'running' AND (owner IS NULL OR owner = $3 OR NOT EXISTS \
                 (SELECT 1 FROM nodes n WHERE n.id = turns.owner AND n.lease_until >= $4))";
    Ok(tx.run(sql, args![orphan.turn_id, orphan.epoch, owner, dead_before, at])? > 0)
}

/// As [`end_unopened`], for one that waits. `false` when it does not wait any more.
pub fn end_unopened_queued(tx: &mut Tx, turn: TurnId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE turns SET status = 'ended', outcome = 'failed', epoch = epoch + 1, updated_at = $2 \
               WHERE id = $1 AND status = 'queued'";
    Ok(tx.run(sql, args![turn, at])? > 0)
}

/// A turn that waited for a person runs again; `None` when it does not wait. That is neither an attempt nor a lack of
/// progress, but another epoch.
pub fn unpark(
    tx: &mut Tx,
    key: &DataKey,
    id: TurnId,
    owner: NodeId,
    lease_until: Timestamp,
    at: Timestamp,
) -> Result<Option<StoredTurn>> {
    let sql = format!(
        "UPDATE turns SET status = 'running', owner = $2, lease_until = $3, epoch = epoch + 1, updated_at = $4 \
         WHERE id = $1 AND status = 'parked' RETURNING {COLUMNS}"
    );
    let row: Option<TurnRow> = tx.maybe(&sql, args![id, owner, lease_until, at])?;
    row.map(|row| row.open(key)).transpose()
}

/// Prolongs every lease of this node at once; gives those of its turns that a person wants stopped.
pub fn renew(tx: &mut Tx, owner: NodeId, lease_until: Timestamp) -> Result<Vec<TurnId>> {
    let sql =
        "UPDATE turns SET lease_until = $2 WHERE owner = $1 AND status = 'running' RETURNING id, cancel";
    let held: Vec<(TurnId, bool)> = tx.all(sql, args![owner, lease_until])?;
    Ok(held.into_iter().filter(|(_, cancelled)| *cancelled).map(|(id, _)| id).collect())
}

row! {
    /// A running turn of a node.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Held {
        pub turn_id: TurnId,
        pub session_id: SessionId,
        pub epoch: u64,
        /// A person wants it stopped.
        pub stops: bool,
    }
}

/// The running turns of this node. Locks nothing.
pub fn held(tx: &mut Tx, owner: NodeId) -> Result<Vec<Held>> {
    let sql = "SELECT id, session_id, epoch, cancel FROM turns WHERE owner = $1 AND status = 'running'";
    tx.all(sql, args![owner])
}

/// How many turns of schedules this node runs.
pub fn count_scheduled(tx: &mut Tx, owner: NodeId) -> Result<u64> {
    let sql = "SELECT COUNT(*) FROM turns WHERE owner = $1 AND status = 'running' AND source = 'schedule'";
    tx.one(sql, args![owner])
}

/// Gives up every lease of this node, because it goes down in good order: that is no lack of progress.
pub fn release(tx: &mut Tx, owner: NodeId) -> Result<u64> {
    let sql = "UPDATE turns SET owner = NULL, lease_until = NULL, \
                 stalls = CASE WHEN stalls > 0 THEN stalls - 1 ELSE 0 END WHERE owner = $1 AND status = 'running'";
    tx.run(sql, args![owner])
}

/// Gives up the lease of one turn, because its node goes down and others go on with it. `false` when the turn is not this worker's any more.
pub fn hand_over(tx: &mut Tx, id: TurnId, epoch: u64) -> Result<bool> {
    let sql = "UPDATE turns SET owner = NULL, lease_until = NULL, stalls = CASE WHEN stalls > 0 THEN stalls - 1 ELSE 0 END \
               WHERE id = $1 AND epoch = $2 AND status = 'running'";
    Ok(tx.run(sql, args![id, epoch])? > 0)
}

/// A running turn on which no node has a lease, if it is this one.
pub fn unowned(tx: &mut Tx, id: TurnId) -> Result<Option<Orphan>> {
    tx.maybe(
        "SELECT id, session_id, user_id, epoch FROM turns WHERE id = $1 AND status = 'running' AND owner IS NULL",
        args![id],
    )
}

/// A running turn that is this node's, or no node's, if it is this one.
pub fn ours(tx: &mut Tx, id: TurnId, owner: NodeId) -> Result<Option<Orphan>> {
    tx.maybe(
        "SELECT id, session_id, user_id, epoch FROM turns \
         WHERE id = $1 AND status = 'running' AND (owner = $2 OR owner IS NULL)",
        args![id, owner],
    )
}
