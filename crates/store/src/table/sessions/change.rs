//! What a person changes about a session.

use super::{row::seal_name, versions::other_versions};
use crate::{DataKey, Result, Tx, args};
use domain::{SessionId, Timestamp, UserId};

/// Whether its person says that they wrote what they add to it; none when they have no such session.
pub fn own_files(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Option<bool>> {
    tx.maybe("SELECT own_files FROM sessions WHERE id = $1 AND user_id = $2", args![id, user])
}

/// Notes that its person wrote what they add to it from now on, or that they did not.
pub fn set_own_files(tx: &mut Tx, user: UserId, id: SessionId, own: bool) -> Result<bool> {
    let sql = "UPDATE sessions SET own_files = $3 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, own])? > 0)
}

/// Has its agent know what is remembered of its person, or not.
pub fn set_memory(tx: &mut Tx, user: UserId, id: SessionId, memory: bool) -> Result<bool> {
    let sql = "UPDATE sessions SET memory = $3 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, memory])? > 0)
}

/// Has its turns run by another handler than its agent's, or by that again.
pub fn set_handler(
    tx: &mut Tx,
    user: UserId,
    id: SessionId,
    handler: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE sessions SET handler = $3, updated_at = $4 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, handler.map(str::to_owned), now])? > 0)
}

/// Has its turns ask another model than its agent's, or that again.
pub fn set_model(
    tx: &mut Tx,
    user: UserId,
    id: SessionId,
    model: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE sessions SET model = $3, updated_at = $4 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, model.map(str::to_owned), now])? > 0)
}

/// With all its versions, which keep the time when they were used. `false` when the user has no such session.
pub fn rename(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    id: SessionId,
    name: Option<&str>,
    at: Timestamp,
) -> Result<bool> {
    let sealed = |id: &SessionId| name.map(|name| seal_name(key, id, name)).transpose();
    let sql = "UPDATE sessions SET name = $3, updated_at = $4 WHERE id = $1 AND user_id = $2";
    if tx.run(sql, args![id, user, sealed(&id)?, at])? == 0 {
        return Ok(false);
    }
    for version in other_versions(tx, user, id)? {
        let sql = "UPDATE sessions SET name = $3 WHERE id = $1 AND user_id = $2";
        tx.run(sql, args![version, user, sealed(&version)?])?;
    }
    Ok(true)
}

/// How far its user has read; never beyond the end of the log. `false` when the user has no such session. Reading
/// changes nothing about when a session was last used.
pub fn set_read_seq(tx: &mut Tx, user: UserId, id: SessionId, seq: u64) -> Result<bool> {
    let sql = "UPDATE sessions SET read_seq = CASE WHEN $3 > last_seq THEN last_seq ELSE $3 END \
               WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, seq])? > 0)
}
