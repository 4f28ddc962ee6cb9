//! What calls give to other agents. Each is the work of one turn; its answer is delivered once.
//!
//! The worker that gives an errand has locked its own session first, and then that of the other agent; the one that
//! delivers locks the session of the agent that waits. No transaction locks a child and then its parent.

use crate::{DataKey, Result, Tx, args, crypto::seal::CellPlace, database::row::row};
use domain::{
    CallId, ErrandOutcome, ErrandStatus, Label, ResultStatus, SessionId, Timestamp, TurnId, UserId,
};
use serde::{Deserialize, Serialize};

row! {
    /// An errand as far as it can be told without its words.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Errand {
        /// The turn that works on it.
        pub turn_id: TurnId,
        pub session_id: SessionId,
        pub user_id: UserId,
        /// The turn with which it all began.
        pub root_turn: TurnId,
        pub parent_session: SessionId,
        pub parent_turn: TurnId,
        pub parent_call: CallId,
        pub status: ErrandStatus,
        /// How deep agents may still start agents from its turn.
        pub depth_left: u32,
        /// How often agents may still write to each other because of it.
        pub hops_left: u32,
        pub expires_at: Option<Timestamp>,
    }
}

const COLUMNS: &str = "e.turn_id, e.session_id, e.user_id, e.root_turn, e.parent_session, e.parent_turn, e.parent_call, \
     e.status, e.depth_left, e.hops_left, e.expires_at";

/// What the one who waits is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrandAnswer {
    pub outcome: ErrandOutcome,
    pub status: ResultStatus,
    /// In the form of a call's result.
    pub content: String,
    /// The worst of what the other agent had before it.
    pub label: Label,
}

fn place(turn: &TurnId) -> CellPlace<'_> {
    CellPlace::new("errands", "answer", turn)
}

pub fn insert(tx: &mut Tx, errand: &Errand, at: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO errands (turn_id, session_id, user_id, root_turn, parent_session, parent_turn, parent_call, status, \
         depth_left, hops_left, expires_at, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        args![
            errand.turn_id,
            errand.session_id,
            errand.user_id,
            errand.root_turn,
            errand.parent_session,
            errand.parent_turn,
            errand.parent_call,
            errand.status,
            errand.depth_left,
            errand.hops_left,
            errand.expires_at,
            at
        ],
    )?;
    Ok(())
}

/// The errand that a turn works on.
pub fn of_turn(tx: &mut Tx, turn: TurnId) -> Result<Option<Errand>> {
    tx.maybe(&format!("SELECT {COLUMNS} FROM errands e WHERE e.turn_id = $1"), args![turn])
}

/// How many errands the calls of a turn have given, messages among them.
pub fn given(tx: &mut Tx, parent_turn: TurnId) -> Result<u64> {
    tx.one("SELECT COUNT(*) FROM errands WHERE parent_turn = $1", args![parent_turn])
}

/// The turn of a schedule for which this errand was given, by however many agents; `None` when it was given for another turn.
pub fn root_of_schedule(tx: &mut Tx, turn: TurnId) -> Result<Option<TurnId>> {
    let sql = "SELECT t.id FROM errands e JOIN turns t ON t.id = e.root_turn WHERE e.turn_id = $1 AND t.source = 'schedule'";
    tx.maybe(sql, args![turn])
}

/// How many errands one turn has led to, at whatever distance.
pub fn in_tree(tx: &mut Tx, root_turn: TurnId) -> Result<u64> {
    tx.one("SELECT COUNT(*) FROM errands WHERE root_turn = $1", args![root_turn])
}

/// The errands that calls of this turn wait for, each with its answer if that has been delivered.
pub fn awaited(
    tx: &mut Tx,
    key: &DataKey,
    parent_turn: TurnId,
) -> Result<Vec<(Errand, Option<ErrandAnswer>)>> {
    let sql = format!(
        "SELECT {COLUMNS}, e.answer FROM errands e JOIN calls c ON c.id = e.parent_call \
         WHERE e.parent_turn = $1 AND c.status = 'waiting' ORDER BY e.created_at, e.turn_id"
    );
    let rows: Vec<(Errand, Option<Vec<u8>>)> = tx.all(&sql, args![parent_turn])?;
    let opened = rows.into_iter().map(|(errand, sealed)| {
        let told = matches!(errand.status, ErrandStatus::Delivered | ErrandStatus::Expired);
        let sealed = sealed.filter(|_| told);
        let answer = sealed.map(|sealed| key.open_json(place(&errand.turn_id), &sealed)).transpose()?;
        Ok((errand, answer))
    });
    opened.collect()
}

/// The turn has ended: this is its answer, still to be delivered. `false` when no agent waits for it.
pub fn finish(
    tx: &mut Tx,
    key: &DataKey,
    turn: TurnId,
    answer: &ErrandAnswer,
    at: Timestamp,
) -> Result<bool> {
    let sealed = key.seal_json(place(&turn), answer)?;
    let sql = "UPDATE errands SET status = 'ended', due = 'deliver', answer = $2, settled_at = $3 \
               WHERE turn_id = $1 AND status = 'pending'";
    Ok(tx.run(sql, args![turn, sealed, at])? > 0)
}

/// Marks the answer as told, and gives it; `None` when it was told before. Behind the lock of the session that waits.
pub fn deliver(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Option<ErrandAnswer>> {
    let sql = "UPDATE errands SET status = 'delivered', due = NULL WHERE turn_id = $1 AND status = 'ended' \
               RETURNING answer";
    let sealed: Option<Vec<u8>> = tx.maybe(sql, args![turn])?;
    sealed.map(|sealed| key.open_json(place(&turn), &sealed)).transpose()
}

/// Its time is over, and that is its answer; `false` when it waits no longer. Behind the lock of the session that waits.
pub fn expire(
    tx: &mut Tx,
    key: &DataKey,
    turn: TurnId,
    answer: &ErrandAnswer,
    at: Timestamp,
) -> Result<bool> {
    let sealed = key.seal_json(place(&turn), answer)?;
    let sql = "UPDATE errands SET status = 'expired', due = 'stop', answer = $2, settled_at = $3 \
               WHERE turn_id = $1 AND status = 'pending'";
    Ok(tx.run(sql, args![turn, sealed, at])? > 0)
}

/// The call that waited was settled without it: its turn is to be stopped. Gives that turn.
pub fn withdraw(tx: &mut Tx, call: CallId, at: Timestamp) -> Result<Option<TurnId>> {
    let sql = "UPDATE errands SET status = 'withdrawn', due = 'stop', settled_at = $2 \
               WHERE parent_call = $1 AND status IN ('pending', 'ended') RETURNING turn_id";
    tx.maybe(sql, args![call, at])
}

/// Nothing is left to do about it.
pub fn done(tx: &mut Tx, turn: TurnId) -> Result<()> {
    tx.run("UPDATE errands SET due = NULL WHERE turn_id = $1", args![turn])?;
    Ok(())
}

/// What the house still has to do: answers to deliver, and turns to stop.
pub fn due(tx: &mut Tx) -> Result<Vec<Errand>> {
    let sql = format!("SELECT {COLUMNS} FROM errands e WHERE e.due IS NOT NULL ORDER BY e.created_at");
    tx.all(&sql, args![])
}

/// Those whose time is over.
pub fn expired(tx: &mut Tx, now: Timestamp) -> Result<Vec<Errand>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM errands e WHERE e.status = 'pending' AND e.expires_at <= $1 ORDER BY e.expires_at"
    );
    tx.all(&sql, args![now])
}

/// When the next one's time is over.
pub fn next_expiry(tx: &mut Tx) -> Result<Option<Timestamp>> {
    let sql = "SELECT expires_at FROM errands WHERE status = 'pending' AND expires_at IS NOT NULL \
               ORDER BY expires_at LIMIT 1";
    tx.maybe(sql, args![])
}
