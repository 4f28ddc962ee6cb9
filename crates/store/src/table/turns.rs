//! Turns: their queue, their lease, their epoch, and the state of their machine.
//!
//! Invariant: a running turn is written only by the holder of its epoch. Every takeover counts the epoch up,
//! so whoever held it before finds no row to update and gets [`Error::Fenced`].

use crate::{DataKey, Error, Result, Tx, args, crypto::seal::Place, database::row::row};
use domain::{NodeId, SessionId, Source, Timestamp, TurnId, TurnOutcome, TurnStatus, UserId};

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
    /// It came with a backup, and nobody has asked for it since: it is not run.
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

fn place(id: &TurnId) -> Place<'_> {
    Place::new("turns", "state", id)
}

pub async fn insert(tx: &mut Tx, key: &DataKey, new: &NewTurn) -> Result<()> {
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
    )
    .await?;
    Ok(())
}

/// What one step of the machine leaves behind.
#[derive(Clone, Debug)]
pub struct TurnUpdate {
    pub state: Vec<u8>,
    pub status: TurnStatus,
    pub outcome: Option<TurnOutcome>,
    pub attempt: u32,
    /// It got somewhere: the count of takeovers without progress begins anew.
    pub progress: bool,
    pub at: Timestamp,
}

/// Stores a step; says whether somebody has asked for the turn to stop. [`Error::Fenced`] when the epoch is
/// not the turn's any more, or it does not run: then the transaction must be given up.
pub async fn commit(tx: &mut Tx, key: &DataKey, id: TurnId, epoch: u64, update: TurnUpdate) -> Result<bool> {
    let state = key.seal(place(&id), &update.state)?;
    let cancelled: Option<bool> = tx
        .maybe(
            "UPDATE turns SET state = $3, status = $4, outcome = $5, attempt = $6, \
               stalls = CASE WHEN $7 = 1 THEN 0 ELSE stalls END, updated_at = $8, \
               owner = CASE WHEN $4 = 'parked' THEN NULL ELSE owner END, \
               lease_until = CASE WHEN $4 = 'running' THEN lease_until ELSE NULL END \
             WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING cancel",
            args![
                id,
                epoch,
                state,
                update.status,
                update.outcome,
                update.attempt,
                update.progress,
                update.at
            ],
        )
        .await?;
    cancelled.ok_or(Error::Fenced)
}

/// Goes on only while the turn is ours: [`Error::Fenced`] otherwise. Nobody takes it over before this transaction ends.
pub async fn fence(tx: &mut Tx, id: TurnId, epoch: u64) -> Result<()> {
    let sql = "UPDATE turns SET epoch = epoch WHERE id = $1 AND epoch = $2 AND status = 'running'";
    if tx.run(sql, args![id, epoch]).await? == 0 { Err(Error::Fenced) } else { Ok(()) }
}

pub async fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: TurnId) -> Result<Option<StoredTurn>> {
    let sql = format!("SELECT {COLUMNS} FROM turns WHERE id = $1 AND user_id = $2");
    tx.maybe::<TurnRow>(&sql, args![id, user]).await?.map(|row| row.open(key)).transpose()
}

/// The last turn in the session's order.
pub async fn latest(tx: &mut Tx, key: &DataKey, session: SessionId) -> Result<Option<StoredTurn>> {
    let sql = format!("SELECT {COLUMNS} FROM turns WHERE session_id = $1 ORDER BY position DESC LIMIT 1");
    tx.maybe::<TurnRow>(&sql, args![session]).await?.map(|row| row.open(key)).transpose()
}

/// The turn that has waited longest.
pub async fn next_queued(tx: &mut Tx, key: &DataKey, session: SessionId) -> Result<Option<StoredTurn>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1"
    );
    tx.maybe::<TurnRow>(&sql, args![session]).await?.map(|row| row.open(key)).transpose()
}

#[expect(clippy::too_many_arguments, reason = "one row's worth of values, each of its own type")]
async fn run_from(
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
    .await
}

/// A queued turn begins to run; its epoch, or `None` when it was not queued.
#[expect(clippy::too_many_arguments, reason = "one row's worth of values, each of its own type")]
pub async fn start(
    tx: &mut Tx,
    key: &DataKey,
    id: TurnId,
    owner: NodeId,
    lease_until: Timestamp,
    state: &[u8],
    attempt: u32,
    at: Timestamp,
) -> Result<Option<u64>> {
    run_from(tx, TurnStatus::Queued, key, id, owner, lease_until, state, attempt, at).await
}

/// The turn that has waited longest is this node's, only to be ended: it cannot be started. `None` when none waits. A
/// state that cannot be opened is as good as none.
pub async fn seize(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    owner: NodeId,
    lease_until: Timestamp,
    at: Timestamp,
) -> Result<Option<StoredTurn>> {
    let sql = format!(
        "UPDATE turns SET status = 'running', owner = $2, lease_until = $3, epoch = epoch + 1, \
           attempt = attempt + 1, updated_at = $4 \
         WHERE status = 'queued' AND \
           id = (SELECT id FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1) \
         RETURNING {COLUMNS}"
    );
    let row: Option<TurnRow> = tx.maybe(&sql, args![session, owner, lease_until, at]).await?;
    row.map(|row| row.readable(key)).transpose()
}

/// An ended turn runs again; its epoch, or `None` when it had not ended.
#[expect(clippy::too_many_arguments, reason = "one row's worth of values, each of its own type")]
pub async fn reopen(
    tx: &mut Tx,
    key: &DataKey,
    id: TurnId,
    owner: NodeId,
    lease_until: Timestamp,
    state: &[u8],
    attempt: u32,
    at: Timestamp,
) -> Result<Option<u64>> {
    run_from(tx, TurnStatus::Ended, key, id, owner, lease_until, state, attempt, at).await
}

row! {
    /// A running turn that nobody works on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Orphan {
        pub turn_id: TurnId,
        pub session_id: SessionId,
        pub user_id: UserId,
        pub epoch: u64,
    }
}

/// Running turns whose lease has run out, or that are this node's own from before it was restarted.
pub async fn orphans(tx: &mut Tx, owner: NodeId, now: Timestamp) -> Result<Vec<Orphan>> {
    tx.all(
        "SELECT id, session_id, user_id, epoch FROM turns WHERE status = 'running' \
         AND (owner IS NULL OR owner = $1 OR lease_until IS NULL OR lease_until < $2) ORDER BY created_at, id",
        args![owner, now],
    )
    .await
}

/// Takes a running turn over, if its epoch is still this one; counts epoch, attempt and stalls up. A state that cannot
/// be opened is as good as none: otherwise nobody could ever end its turn.
pub async fn claim(
    tx: &mut Tx,
    key: &DataKey,
    id: TurnId,
    epoch: u64,
    owner: NodeId,
    lease_until: Timestamp,
    at: Timestamp,
) -> Result<Option<StoredTurn>> {
    let sql = format!(
        "UPDATE turns SET owner = $3, lease_until = $4, epoch = epoch + 1, attempt = attempt + 1, \
           stalls = stalls + 1, updated_at = $5 \
         WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING {COLUMNS}"
    );
    let row: Option<TurnRow> = tx.maybe(&sql, args![id, epoch, owner, lease_until, at]).await?;
    row.map(|row| row.readable(key)).transpose()
}

/// A turn that waited for a person runs again; `None` when it does not wait. That is neither an attempt nor a lack of
/// progress, but another epoch.
pub async fn unpark(
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
    let row: Option<TurnRow> = tx.maybe(&sql, args![id, owner, lease_until, at]).await?;
    row.map(|row| row.open(key)).transpose()
}

/// The turn that a session is at, whether it works or waits.
pub async fn active(tx: &mut Tx, session: SessionId) -> Result<Option<TurnId>> {
    let found: Option<Option<TurnId>> =
        tx.maybe("SELECT active_turn FROM sessions WHERE id = $1", args![session]).await?;
    Ok(found.flatten())
}

/// Where a turn of this person is, and how far.
pub async fn whereabouts(tx: &mut Tx, user: UserId, id: TurnId) -> Result<Option<(SessionId, TurnStatus)>> {
    tx.maybe("SELECT session_id, status FROM turns WHERE id = $1 AND user_id = $2", args![id, user]).await
}

/// Prolongs every lease of this node at once; gives those of its turns that somebody wants stopped.
pub async fn renew(tx: &mut Tx, owner: NodeId, lease_until: Timestamp) -> Result<Vec<TurnId>> {
    let sql =
        "UPDATE turns SET lease_until = $2 WHERE owner = $1 AND status = 'running' RETURNING id, cancel";
    let held: Vec<(TurnId, bool)> = tx.all(sql, args![owner, lease_until]).await?;
    Ok(held.into_iter().filter(|(_, cancelled)| *cancelled).map(|(id, _)| id).collect())
}

/// Gives up every lease of this node, because it goes down in good order: that is no lack of progress.
pub async fn release(tx: &mut Tx, owner: NodeId) -> Result<u64> {
    let sql = "UPDATE turns SET owner = NULL, lease_until = NULL, \
                 stalls = CASE WHEN stalls > 0 THEN stalls - 1 ELSE 0 END WHERE owner = $1 AND status = 'running'";
    tx.run(sql, args![owner]).await
}

/// How often the turn has been started.
pub async fn attempt(tx: &mut Tx, id: TurnId) -> Result<Option<u32>> {
    tx.maybe("SELECT attempt FROM turns WHERE id = $1", args![id]).await
}

/// The `seq` of the event that announced the turn's input.
pub async fn position(tx: &mut Tx, id: TurnId) -> Result<Option<u64>> {
    tx.maybe("SELECT position FROM turns WHERE id = $1", args![id]).await
}

/// Asks the session's active turn to stop, durably; `None` when there is none to stop. One that waits for a person is
/// then a running turn that nobody works on.
pub async fn request_cancel(
    tx: &mut Tx,
    session: SessionId,
    user: UserId,
    at: Timestamp,
) -> Result<Option<TurnId>> {
    tx.maybe(
        "UPDATE turns SET cancel = 1, status = 'running', updated_at = $3 WHERE status IN ('running', 'parked') \
         AND id = (SELECT active_turn FROM sessions WHERE id = $1 AND user_id = $2) RETURNING id",
        args![session, user, at],
    )
    .await
}

/// Asks this turn to stop, durably, whether it runs or waits; `false` when it does neither.
pub async fn request_cancel_of(tx: &mut Tx, id: TurnId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE turns SET cancel = 1, status = 'running', updated_at = $2 \
               WHERE id = $1 AND status IN ('running', 'parked')";
    Ok(tx.run(sql, args![id, at]).await? > 0)
}

/// Is there nothing left of it to do? Also when it is not there any more.
pub async fn has_ended(tx: &mut Tx, id: TurnId) -> Result<bool> {
    let sql = "SELECT id FROM turns WHERE id = $1 AND status <> 'ended'";
    Ok(tx.maybe::<TurnId>(sql, args![id]).await?.is_none())
}

/// Ends a turn that has not begun; `false` when it has. Behind the lock of its session.
pub async fn drop_queued(tx: &mut Tx, id: TurnId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE turns SET status = 'ended', outcome = 'cancelled', updated_at = $2 \
               WHERE id = $1 AND status = 'queued'";
    Ok(tx.run(sql, args![id, at]).await? > 0)
}

/// A running turn that nobody has a lease on, if it is this one.
pub async fn unowned(tx: &mut Tx, id: TurnId) -> Result<Option<Orphan>> {
    tx.maybe(
        "SELECT id, session_id, user_id, epoch FROM turns WHERE id = $1 AND status = 'running' AND owner IS NULL",
        args![id],
    )
    .await
}

/// A running turn that is this node's, or nobody's, if it is this one.
pub async fn ours(tx: &mut Tx, id: TurnId, owner: NodeId) -> Result<Option<Orphan>> {
    tx.maybe(
        "SELECT id, session_id, user_id, epoch FROM turns \
         WHERE id = $1 AND status = 'running' AND (owner = $2 OR owner IS NULL)",
        args![id, owner],
    )
    .await
}

/// How many turns wait, in all sessions.
pub async fn count_queued(tx: &mut Tx) -> Result<u64> {
    let row: (u64,) = tx.one("SELECT COUNT(*) FROM turns WHERE status = 'queued'", args![]).await?;
    Ok(row.0)
}

/// Sessions with turns that wait although nothing is active. There should be none.
pub async fn idle_queued(tx: &mut Tx) -> Result<Vec<(SessionId, UserId)>> {
    tx.all(
        "SELECT s.id, s.user_id FROM sessions s WHERE s.active_turn IS NULL \
         AND s.id IN (SELECT t.session_id FROM turns t WHERE t.status = 'queued') ORDER BY s.id",
        args![],
    )
    .await
}
