//! Approvals: what people are asked before a call runs. Each is answered once; a call names the one it waits for.

use crate::{DataKey, Page, Paged, Result, Tx, args, crypto::seal::CellPlace, database::row::row};
use domain::{
    Approval, ApprovalId, ApprovalStatus, CallId, Danger, Label, RuleScope, SessionId, ShownArgument,
    Timestamp, TurnId, UserId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

row! {
    struct ApprovalRow {
        id: ApprovalId,
        session_id: SessionId,
        turn_id: TurnId,
        call_id: CallId,
        status: ApprovalStatus,
        expires_at: Timestamp,
        created_at: Timestamp,
        body: Vec<u8>,
        reason: Option<Vec<u8>>,
    }
}

const COLUMNS: &str =
    "a.id, a.session_id, a.turn_id, a.call_id, a.status, a.expires_at, a.created_at, a.body, a.reason";

#[derive(Serialize, Deserialize)]
struct ApprovalBody {
    tool: String,
    arguments: Value,
    shown: Vec<ShownArgument>,
    danger: Danger,
    why: Vec<String>,
    digest: String,
    scopes: Vec<RuleScope>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reaches: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Label>,
}

fn body_place(id: &ApprovalId) -> CellPlace<'_> {
    CellPlace::new("approvals", "body", id)
}

fn reason_place(id: &ApprovalId) -> CellPlace<'_> {
    CellPlace::new("approvals", "reason", id)
}

impl ApprovalRow {
    fn open(self, key: &DataKey) -> Result<Approval> {
        let ApprovalBody { tool, arguments, shown, danger, why, digest, scopes, host, reaches, label } =
            key.open_json(body_place(&self.id), &self.body)?;
        let sealed = self.reason.as_deref();
        let reason = sealed.map(|sealed| key.open_text(reason_place(&self.id), sealed)).transpose()?;
        Ok(Approval {
            id: self.id,
            session_id: self.session_id,
            turn_id: self.turn_id,
            call_id: self.call_id,
            tool,
            arguments,
            shown,
            danger,
            why,
            digest,
            scopes,
            host,
            workplace: None,
            reaches,
            label,
            status: self.status,
            reason,
            expires_at: self.expires_at,
            created_at: self.created_at,
        })
    }
}

/// Stores an approval that its person has not answered yet.
pub fn insert(tx: &mut Tx, key: &DataKey, user: UserId, approval: &Approval) -> Result<()> {
    let body = ApprovalBody {
        tool: approval.tool.clone(),
        arguments: approval.arguments.clone(),
        shown: approval.shown.clone(),
        danger: approval.danger,
        why: approval.why.clone(),
        digest: approval.digest.clone(),
        scopes: approval.scopes.clone(),
        host: approval.host.clone(),
        reaches: approval.reaches.clone(),
        label: approval.label,
    };
    let sealed = key.seal_json(body_place(&approval.id), &body)?;
    tx.run(
        "INSERT INTO approvals (id, session_id, turn_id, call_id, user_id, status, expires_at, created_at, body) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        args![
            approval.id,
            approval.session_id,
            approval.turn_id,
            approval.call_id,
            user,
            approval.status,
            approval.expires_at,
            approval.created_at,
            sealed
        ],
    )?;
    Ok(())
}

/// Notes that the call waits for this approval; `false` when it has begun or is settled.
pub fn wait(tx: &mut Tx, call: CallId, approval: ApprovalId) -> Result<bool> {
    let sql = "UPDATE calls SET status = 'waiting', approval_id = $2 \
               WHERE id = $1 AND status IN ('pending', 'waiting')";
    Ok(tx.run(sql, args![call, approval])? > 0)
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: ApprovalId) -> Result<Option<Approval>> {
    let sql = format!("SELECT {COLUMNS} FROM approvals a WHERE a.id = $1 AND a.user_id = $2");
    tx.maybe::<ApprovalRow>(&sql, args![id, user])?.map(|row| row.open(key)).transpose()
}

/// The approvals that wait for this person, the oldest first.
pub fn open(tx: &mut Tx, key: &DataKey, user: UserId, page: &Page) -> Result<Paged<Approval>> {
    let sql = "SELECT COUNT(*) FROM approvals WHERE user_id = $1 AND status = 'pending'";
    let total = tx.one(sql, args![user])?;
    let after: Option<ApprovalId> = page.cursor_as()?;
    let sql = format!(
        "SELECT {COLUMNS} FROM approvals a WHERE a.user_id = $1 AND a.status = 'pending' \
         AND ($2 IS NULL OR a.id > $2) ORDER BY a.id LIMIT $3"
    );
    let piece =
        tx.piece::<ApprovalRow>(&sql, args![user, after, crate::database::page::one_more(page.limit)])?;
    Paged::from_piece(piece, page.limit, total, |row| row.id.to_string()).try_map(|row| row.open(key))
}

/// Every approval of a turn, answered or not, the oldest first.
pub fn of_turn(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<Approval>> {
    let sql = format!("SELECT {COLUMNS} FROM approvals a WHERE a.turn_id = $1 ORDER BY a.id");
    tx.all::<ApprovalRow>(&sql, args![turn])?.into_iter().map(|row| row.open(key)).collect()
}

/// Approvals that hold up no turn: about what was said when it had ended.
const OF_ENDED: &str = "EXISTS (SELECT 1 FROM turns t WHERE t.id = a.turn_id AND t.status = 'ended')";

/// How many approvals wait for this person and hold up a turn.
pub fn count_open(tx: &mut Tx, user: UserId) -> Result<u64> {
    let sql = format!(
        "SELECT COUNT(*) FROM approvals a WHERE a.user_id = $1 AND a.status = 'pending' AND NOT {OF_ENDED}"
    );
    tx.one(&sql, args![user])
}

/// How many wait for them of turns that have ended: in this session, and in all of theirs.
pub fn count_of_ended(tx: &mut Tx, user: UserId, session: SessionId) -> Result<(u64, u64)> {
    let sql = format!(
        "SELECT CAST(COALESCE(SUM(CASE WHEN a.session_id = $2 THEN 1 ELSE 0 END), 0) AS BIGINT), COUNT(*) \
         FROM approvals a WHERE a.user_id = $1 AND a.status = 'pending' AND {OF_ENDED}"
    );
    tx.one(&sql, args![user, session])
}

/// Answers of which calls of the turn have not heard yet, each with the call that waits for it.
pub fn unheard(tx: &mut Tx, key: &DataKey, turn: TurnId) -> Result<Vec<(CallId, Approval)>> {
    let sql = format!(
        "SELECT c.id, {COLUMNS} FROM approvals a JOIN calls c ON c.approval_id = a.id \
         WHERE a.turn_id = $1 AND c.turn_id = $1 AND a.status <> 'pending' AND c.status = 'waiting' \
         ORDER BY c.created_at, c.position"
    );
    let rows: Vec<(CallId, ApprovalRow)> = tx.all(&sql, args![turn])?;
    rows.into_iter().map(|(call, row)| Ok((call, row.open(key)?))).collect()
}

/// Gives an approval its one answer; `false` when it no longer waits. A yes that comes too late is none.
pub fn settle(
    tx: &mut Tx,
    key: &DataKey,
    id: ApprovalId,
    status: ApprovalStatus,
    reason: Option<&str>,
    at: Timestamp,
) -> Result<bool> {
    let sealed = reason.map(|reason| key.seal(reason_place(&id), reason.as_bytes())).transpose()?;
    let sql = "UPDATE approvals SET status = $2, reason = $3, settled_at = $4 \
               WHERE id = $1 AND status = 'pending' AND ($2 <> 'approved' OR expires_at > $4)";
    Ok(tx.run(sql, args![id, status, sealed, at])? > 0)
}

/// A call that waited was settled without an answer: what no other call waits for is a no.
pub fn withdraw(tx: &mut Tx, call: CallId, at: Timestamp) -> Result<()> {
    let sql = "UPDATE approvals SET status = 'denied', settled_at = $2 WHERE status = 'pending' \
               AND id = (SELECT approval_id FROM calls WHERE id = $1) \
               AND NOT EXISTS (SELECT 1 FROM calls o WHERE o.approval_id = approvals.id AND o.id <> $1 \
                               AND o.status = 'waiting')";
    tx.run(sql, args![call, at])?;
    Ok(())
}

/// Its turn has ended: what of it still waits is a no.
pub fn withdraw_of_turn(tx: &mut Tx, turn: TurnId, at: Timestamp) -> Result<()> {
    let sql =
        "UPDATE approvals SET status = 'denied', settled_at = $2 WHERE turn_id = $1 AND status = 'pending'";
    tx.run(sql, args![turn, at])?;
    Ok(())
}

/// Approvals whose time is over, with their people.
pub fn due(tx: &mut Tx, now: Timestamp) -> Result<Vec<(ApprovalId, UserId)>> {
    let sql =
        "SELECT id, user_id FROM approvals WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at";
    tx.all(sql, args![now])
}

/// When the next approval's time is over.
pub fn next_due(tx: &mut Tx) -> Result<Option<Timestamp>> {
    let sql = "SELECT expires_at FROM approvals WHERE status = 'pending' ORDER BY expires_at LIMIT 1";
    tx.maybe(sql, args![])
}
