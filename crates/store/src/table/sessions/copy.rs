//! A session that is written in several transactions: it is in no list until it is whole.

use super::{Numbers, create};
use crate::{DataKey, Error, Result, Tx, args};
use domain::{Session, SessionId, Timestamp, UserId};

/// Stores a session as it will be when it is whole; gives the numbers of its whole log.
pub fn begin_copy(tx: &mut Tx, key: &DataKey, session: &Session, now: Timestamp) -> Result<Numbers> {
    create(tx, key, session)?;
    tx.run("UPDATE sessions SET copying = $2 WHERE id = $1", args![session.id, now])?;
    Ok(Numbers::up_to(session.last_seq, session.last_seq, session.user_id, session.id))
}

/// It is whole. [`Error::NotFound`] when it is gone.
pub fn finish_copy(tx: &mut Tx, id: SessionId) -> Result<()> {
    let sql = "UPDATE sessions SET copying = NULL WHERE id = $1 AND copying IS NOT NULL";
    if tx.run(sql, args![id])? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// Drops this one, if it is not whole. Nothing else goes with it.
pub fn drop_copy(tx: &mut Tx, user: UserId, id: SessionId) -> Result<bool> {
    let sql = "DELETE FROM sessions WHERE id = $1 AND user_id = $2 AND copying IS NOT NULL";
    Ok(tx.run(sql, args![id, user])? > 0)
}

/// Drops one that was begun before and never finished; `false` when there is none.
pub fn drop_copies(tx: &mut Tx, before: Timestamp) -> Result<bool> {
    let sql = "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE copying < $1 ORDER BY copying LIMIT 1)";
    Ok(tx.run(sql, args![before])? > 0)
}
