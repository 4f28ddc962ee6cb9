//! Asking a turn to stop, durably, and ending one that has not begun.

use crate::{Result, Tx, args};
use domain::{NodeId, SessionId, Timestamp, TurnId, UserId};

/// Asks the session's active turn to stop, durably; `None` when there is none to stop. One that waits for a person is
/// then a running turn that has no worker.
pub fn request_cancel(
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
}

/// Asks this turn to stop, durably, whether it runs or waits; `false` when it does neither.
pub fn request_cancel_of(tx: &mut Tx, id: TurnId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE turns SET cancel = 1, status = 'running', updated_at = $2 \
               WHERE id = $1 AND status IN ('running', 'parked')";
    Ok(tx.run(sql, args![id, at])? > 0)
}

/// Ends a turn that has not begun; `false` when it has. Behind the lock of its session.
pub fn drop_queued(tx: &mut Tx, id: TurnId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE turns SET status = 'ended', outcome = 'cancelled', updated_at = $2 \
               WHERE id = $1 AND status = 'queued'";
    Ok(tx.run(sql, args![id, at])? > 0)
}

/// The turns of this node that a person wants stopped.
pub fn to_stop(tx: &mut Tx, owner: NodeId) -> Result<Vec<TurnId>> {
    tx.all("SELECT id FROM turns WHERE owner = $1 AND status = 'running' AND cancel = 1", args![owner])
}
