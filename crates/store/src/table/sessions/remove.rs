//! Archiving and deleting sessions, with those in which other agents work for them.

use crate::{Conflict, Error, Result, Tx, args};
use domain::{SessionId, Timestamp, UserId};

/// [`Error::Conflict`] while a turn is active; `false` when the user has no such session.
pub fn set_archived(tx: &mut Tx, user: UserId, id: SessionId, archived: bool, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE sessions SET archived = $3, updated_at = $4 \
               WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0";
    let changed = tx.run(sql, args![id, user, archived, at])?;
    if changed == 0 {
        return busy_or_absent(tx, user, id);
    }
    for child in descendants(tx, user, id)? {
        if tx.run(sql, args![child, user, archived, at])? == 0 {
            return Err(at_work());
        }
    }
    Ok(true)
}

/// Everything of it goes; what its model calls cost stays. [`Error::Conflict`] while a turn is active;
/// `false` when the user has no such session.
pub fn delete(tx: &mut Tx, user: UserId, id: SessionId) -> Result<bool> {
    let sql = "DELETE FROM sessions WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0";
    // Asked before the delete, which lets go of the children.
    let children = descendants(tx, user, id)?;
    if tx.run(sql, args![id, user])? == 0 {
        return busy_or_absent(tx, user, id);
    }
    tx.run("DELETE FROM inbox WHERE session_id = $1", args![id])?;
    for child in children {
        if tx.run(sql, args![child, user])? == 0 {
            return Err(at_work());
        }
        tx.run("DELETE FROM inbox WHERE session_id = $1", args![child])?;
    }
    Ok(true)
}

/// The other versions of a session's conversation, the sessions in which other agents work for any of them, and for those.
pub(super) fn descendants(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Vec<SessionId>> {
    let sql = "WITH RECURSIVE below (id) AS (\
                 SELECT s.id FROM sessions s WHERE s.parent_id = $1 AND s.user_id = $2 AND s.kind <> 'own' \
                 UNION SELECT v.id FROM sessions s JOIN sessions v ON v.version_of = s.version_of \
                 WHERE s.id = $1 AND v.id <> $1 AND v.user_id = $2 \
                 UNION SELECT s.id FROM sessions s JOIN below b ON s.parent_id = b.id \
                 WHERE s.user_id = $2 AND s.kind <> 'own') SELECT id FROM below";
    tx.all(sql, args![id, user])
}

pub(super) fn busy_or_absent(tx: &mut Tx, user: UserId, id: SessionId) -> Result<bool> {
    let found: Option<SessionId> =
        tx.maybe("SELECT id FROM sessions WHERE id = $1 AND user_id = $2", args![id, user])?;
    match found {
        Some(_) => Err(at_work()),
        None => Ok(false),
    }
}

pub(super) fn at_work() -> Error {
    Conflict::SessionAtWork.into()
}
