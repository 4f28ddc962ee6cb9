//! Versions of one conversation: sessions that share their beginning, of which one is in the lists.
//!
//! Invariant: a version departs from another one behind what that one has copied itself, so that the versions at one message
//! are the session that has it and those that depart there.

use super::{
    label_from,
    row::{open_name, seal_name},
};
use crate::{DataKey, Error, Result, Tx, args, database::row::row};
use domain::{FolderId, SessionId, Timestamp, TurnId, UserId};

/// From where a version departs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure {
    pub from: SessionId,
    /// The message of that session in whose place it has another.
    pub seq: u64,
}

row! {
    struct VersionRow {
        id: SessionId,
        version_from: Option<SessionId>,
        version_seq: Option<u64>,
        version_base: Option<u64>,
        updated_at: Timestamp,
    }
}

row! {
    struct ShownVersion {
        id: SessionId,
        label: i64,
        pinned: bool,
        folder_id: Option<FolderId>,
        name: Option<Vec<u8>>,
    }
}

/// One session of a group of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionOf {
    pub id: SessionId,
    /// None for the first one.
    pub departure: Option<Departure>,
    /// Its own last event that is a copy.
    pub base: u64,
    pub used_at: Timestamp,
}

/// The versions of a session's conversation, the oldest first; empty where there is only one.
pub fn versions(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Vec<VersionOf>> {
    let sql = "SELECT v.id, v.version_from, v.version_seq, v.version_base, v.updated_at FROM sessions s \
               JOIN sessions v ON v.version_of = s.version_of AND v.user_id = s.user_id \
               WHERE s.id = $1 AND s.user_id = $2 AND v.copying IS NULL ORDER BY v.created_at, v.id";
    let rows: Vec<VersionRow> = tx.all(sql, args![id, user])?;
    let read = |row: VersionRow| VersionOf {
        id: row.id,
        departure: row.version_from.zip(row.version_seq).map(|(from, seq)| Departure { from, seq }),
        base: row.version_base.unwrap_or(0),
        used_at: row.updated_at,
    };
    Ok(rows.into_iter().map(read).collect())
}

/// Notes from where a new session departs. It is in no list before [`show_version`].
pub fn set_departure(
    tx: &mut Tx,
    user: UserId,
    id: SessionId,
    viewed: SessionId,
    departure: Departure,
) -> Result<()> {
    let first = "UPDATE sessions SET version_of = COALESCE(version_of, id) WHERE id = $1 AND user_id = $2 \
                 RETURNING version_of";
    let group: Option<SessionId> = tx.maybe(first, args![viewed, user])?;
    let group = group.ok_or(Error::NotFound)?;
    let sql = "UPDATE sessions SET version_of = $3, version_from = $4, version_seq = $5, version_base = last_seq, hidden = 1 \
               WHERE id = $1 AND user_id = $2";
    let changed = tx.run(sql, args![id, user, group, departure.from, departure.seq])?;
    if changed == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// How many messages wait in a session behind its turn. It is locked: until the transaction ends no other one comes.
pub fn lock_waiting(tx: &mut Tx, user: UserId, id: SessionId) -> Result<u64> {
    let sql = "UPDATE sessions SET pending = pending WHERE id = $1 AND user_id = $2 RETURNING pending";
    tx.maybe(sql, args![id, user])?.ok_or(Error::NotFound)
}

/// The other versions of a session's conversation, also what is not whole yet.
pub(super) fn other_versions(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Vec<SessionId>> {
    let sql = "SELECT v.id FROM sessions s JOIN sessions v ON v.version_of = s.version_of AND v.user_id = s.user_id \
               WHERE s.id = $1 AND s.user_id = $2 AND v.id <> $1";
    tx.all(sql, args![id, user])
}

/// Whether a turn works or waits in the version that is in the lists, where that is another one. It is locked: until the
/// transaction ends none begins there.
pub fn lock_shown(tx: &mut Tx, user: UserId, id: SessionId) -> Result<bool> {
    let sql = "UPDATE sessions SET pending = pending WHERE user_id = $2 AND hidden = 0 AND id <> $1 \
               AND version_of = (SELECT version_of FROM sessions WHERE id = $1 AND user_id = $2) RETURNING active_turn";
    let turns: Vec<Option<TurnId>> = tx.all(sql, args![id, user])?;
    Ok(turns.iter().any(Option::is_some))
}

/// Has this version in the lists, and no other one of its conversation. It takes over where the one was kept that was there
/// before, and its name: for its person it is the same entry. A peer who spoke in another one speaks in this one. Of a
/// conversation that is in no list, to try an agent, no version comes into one. `false` when the user has no such session.
pub fn show_version(tx: &mut Tx, key: &DataKey, user: UserId, id: SessionId) -> Result<bool> {
    let sql = "SELECT version_of, label, hidden FROM sessions WHERE id = $1 AND user_id = $2";
    let found: Option<(Option<SessionId>, i64, bool)> = tx.maybe(sql, args![id, user])?;
    let Some((group, label, hidden)) = found else { return Ok(false) };
    let Some(group) = group else { return Ok(true) };
    let sql = "SELECT id, label, pinned, folder_id, name FROM sessions \
               WHERE version_of = $1 AND user_id = $2 AND hidden = 0 AND id <> $3 ORDER BY updated_at DESC LIMIT 1";
    let shown: Option<ShownVersion> = tx.maybe(sql, args![group, user, id])?;
    if hidden && shown.is_none() {
        return Ok(true);
    }
    let sql = "UPDATE sessions SET hidden = CASE WHEN id = $1 THEN 0 ELSE 1 END \
               WHERE version_of = $2 AND user_id = $3";
    tx.run(sql, args![id, group, user])?;
    let sql = "UPDATE chat_sessions SET session_id = $1 WHERE user_id = $3 AND session_id IN \
               (SELECT id FROM sessions WHERE version_of = $2 AND user_id = $3)";
    tx.run(sql, args![id, group, user])?;
    let Some(shown) = shown else { return Ok(true) };
    let sql = "UPDATE sessions SET pinned = $3, folder_id = $4 WHERE id = $1 AND user_id = $2";
    tx.run(sql, args![id, user, shown.pinned, shown.folder_id])?;
    // THREAT[label-06] A title that was made of untrusted words stays with them. What a person names has one name already.
    let may_move = label_from(label).is_untrusted() || !label_from(shown.label).is_untrusted();
    if let Some(sealed) = shown.name.filter(|_| may_move) {
        let name = seal_name(key, &id, &open_name(key, &shown.id, &sealed)?)?;
        tx.run("UPDATE sessions SET name = $3 WHERE id = $1 AND user_id = $2", args![id, user, name])?;
    }
    Ok(true)
}

/// The `seq` of the message in this place, counted from 1. It walks over the index, as far as that: versions share no more
/// messages than a fork may copy.
pub fn nth_message(tx: &mut Tx, session: SessionId, place: u64) -> Result<Option<u64>> {
    let Some(before) = place.checked_sub(1) else { return Ok(None) };
    let sql = "SELECT seq FROM messages WHERE session_id = $1 AND seq > 0 ORDER BY seq LIMIT 1 OFFSET $2";
    tx.maybe(sql, args![session, before])
}

/// The `seq` of the first message behind this one.
pub fn first_message_after(tx: &mut Tx, session: SessionId, seq: u64) -> Result<Option<u64>> {
    let sql = "SELECT seq FROM messages WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT 1";
    tx.maybe(sql, args![session, seq])
}
