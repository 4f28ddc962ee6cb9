//! How people keep their sessions: pinned, in folders, and for a moment after they have deleted them.

use super::remove::{at_work, descendants};
use crate::{Error, Result, Tx, args, folders};
use domain::{FolderId, SessionId, Timestamp, UserId};

/// A session and the other versions of its conversation: where one is kept, all are.
const CONVERSATION: &str = "id IN (SELECT s.id FROM sessions s WHERE s.id = $1 UNION \
     SELECT v.id FROM sessions s JOIN sessions v ON v.version_of = s.version_of WHERE s.id = $1)";

/// With all its versions. `false` when the user has no such session.
pub fn set_pinned(tx: &mut Tx, user: UserId, id: SessionId, pinned: bool) -> Result<bool> {
    let sql = format!(
        "UPDATE sessions SET pinned = $3 WHERE {CONVERSATION} AND user_id = $2 AND delete_at IS NULL"
    );
    Ok(tx.run(&sql, args![id, user, pinned])? > 0)
}

/// Into a folder of the same person, or out of any, with all its versions; `false` when they have no such session. [`Error::Constraint`] when they
/// have no such folder.
pub fn move_to(tx: &mut Tx, user: UserId, id: SessionId, folder: Option<FolderId>) -> Result<bool> {
    if let Some(folder) = folder
        && !folders::hold(tx, user, folder)?
    {
        return Err(Error::Constraint("this person has no such folder".to_owned()));
    }
    let sql = format!(
        "UPDATE sessions SET folder_id = $3 WHERE {CONVERSATION} AND user_id = $2 AND delete_at IS NULL"
    );
    Ok(tx.run(&sql, args![id, user, folder])? > 0)
}

/// It is in no list from now on and goes at this time, with the sessions in which other agents work for it.
/// [`Error::Conflict`] while a turn is active; `false` when the user has no such session.
pub fn mark_deleted(tx: &mut Tx, user: UserId, id: SessionId, delete_at: Timestamp) -> Result<bool> {
    let sql = "UPDATE sessions SET delete_at = $3 \
               WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0 AND delete_at IS NULL";
    let children = descendants(tx, user, id)?;
    if tx.run(sql, args![id, user, delete_at])? == 0 {
        let found: Option<SessionId> = tx.maybe(
            "SELECT id FROM sessions WHERE id = $1 AND user_id = $2 AND delete_at IS NULL",
            args![id, user],
        )?;
        return if found.is_some() { Err(at_work()) } else { Ok(false) };
    }
    for child in children {
        // One that was deleted before keeps its time.
        let gone: Option<SessionId> =
            tx.maybe("SELECT id FROM sessions WHERE id = $1 AND delete_at IS NOT NULL", args![child])?;
        if gone.is_none() && tx.run(sql, args![child, user, delete_at])? == 0 {
            return Err(at_work());
        }
    }
    Ok(true)
}

/// Takes a deletion back; `false` when there is none, or its time is over.
pub fn take_back(tx: &mut Tx, user: UserId, id: SessionId, now: Timestamp) -> Result<bool> {
    let sql = "UPDATE sessions SET delete_at = NULL WHERE id = $1 AND user_id = $2 AND delete_at > $3";
    if tx.run(sql, args![id, user, now])? == 0 {
        return Ok(false);
    }
    for child in descendants(tx, user, id)? {
        tx.run(sql, args![child, user, now])?;
    }
    Ok(true)
}

/// Those whose time is over, the first first: whose they are, and their ids.
pub fn due(tx: &mut Tx, now: Timestamp, most: u32) -> Result<Vec<(UserId, SessionId)>> {
    let sql = "SELECT user_id, id FROM sessions WHERE delete_at <= $1 ORDER BY delete_at LIMIT $2";
    tx.all(sql, args![now, most])
}

/// When the next one goes.
pub fn next_deletion(tx: &mut Tx) -> Result<Option<Timestamp>> {
    tx.maybe("SELECT delete_at FROM sessions WHERE delete_at IS NOT NULL ORDER BY delete_at LIMIT 1", args![])
}
