//! Links by which other people of this server read a session, up to the event that was the newest when the link was made.

use crate::{DataKey, Result, Tx, Vault, args, crypto::seal::CellPlace, database::row::row};
use domain::{SessionId, SessionLink, SessionLinkId, Timestamp, UserId};

row! {
    struct LinkRow {
        id: SessionLinkId,
        session_id: SessionId,
        up_to_seq: u64,
        created_at: Timestamp,
        secret: Vec<u8>,
    }
}

row! {
    struct OpenedRow {
        id: SessionLinkId,
        session_id: SessionId,
        user_id: UserId,
        up_to_seq: u64,
        created_at: Timestamp,
        name: Option<Vec<u8>>,
    }
}

/// What a link opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedLink {
    id: SessionLinkId,
    pub session_id: SessionId,
    /// Whose session it is; they made the link.
    pub user_id: UserId,
    pub up_to_seq: u64,
    pub created_at: Timestamp,
    /// Sealed for the person who made it.
    name: Option<Vec<u8>>,
}

impl OpenedLink {
    /// The name that the session had when the link was made.
    pub fn name(&self, key: &DataKey) -> Result<Option<String>> {
        self.name.as_deref().map(|sealed| key.open_text(name_place(&self.id), sealed)).transpose()
    }
}

fn name_place(id: &SessionLinkId) -> CellPlace<'_> {
    CellPlace::new("session_links", "name", id)
}

fn place(id: &SessionLinkId) -> CellPlace<'_> {
    CellPlace::new("session_links", "secret", id)
}

fn secret_index(vault: &Vault, secret: &str) -> [u8; 32] {
    vault.digests().of("session_links", &[secret.as_bytes()])
}

impl LinkRow {
    fn open(self, key: &DataKey) -> Result<SessionLink> {
        let secret = key.open_text(place(&self.id), &self.secret)?;
        let Self { id, session_id, up_to_seq, created_at, .. } = self;
        Ok(SessionLink { id, session_id, secret, up_to_seq, created_at })
    }
}

/// With the name that the session has. `false` when the user has no such session, or it has `most` links already.
pub fn create(
    tx: &mut Tx,
    vault: &Vault,
    key: &DataKey,
    user: UserId,
    link: &SessionLink,
    name: Option<&str>,
    most: u64,
) -> Result<bool> {
    // The row of the session first, so that of two at once the second counts the first.
    let lock = "UPDATE sessions SET archived = archived WHERE id = $1 AND user_id = $2";
    if tx.run(lock, args![link.session_id, user])? == 0 {
        return Ok(false);
    }
    let count: u64 =
        tx.one("SELECT COUNT(*) FROM session_links WHERE session_id = $1", args![link.session_id])?;
    if count >= most {
        return Ok(false);
    }
    let sql = "INSERT INTO session_links (id, session_id, user_id, secret_index, up_to_seq, created_at, secret, name) \
               SELECT $1, s.id, s.user_id, $4, $5, $6, $7, $8 FROM sessions s \
               WHERE s.id = $2 AND s.user_id = $3 AND s.delete_at IS NULL";
    let sealed = key.seal(place(&link.id), link.secret.as_bytes())?;
    let name = name.map(|name| key.seal(name_place(&link.id), name.as_bytes())).transpose()?;
    let index = secret_index(vault, &link.secret);
    let values = args![link.id, link.session_id, user, index, link.up_to_seq, link.created_at, sealed, name];
    Ok(tx.run(sql, values)? > 0)
}

/// Those of one session, the oldest first.
pub fn list(tx: &mut Tx, key: &DataKey, user: UserId, session: SessionId) -> Result<Vec<SessionLink>> {
    let sql = "SELECT id, session_id, up_to_seq, created_at, secret FROM session_links \
               WHERE session_id = $1 AND user_id = $2 ORDER BY id";
    let rows: Vec<LinkRow> = tx.all(sql, args![session, user])?;
    rows.into_iter().map(|row| row.open(key)).collect()
}

/// What the link of this secret opens now; nothing when it was revoked, or its session is deleted.
pub fn by_secret(tx: &mut Tx, vault: &Vault, secret: &str) -> Result<Option<OpenedLink>> {
    let sql = "SELECT l.id, l.session_id, l.user_id, l.up_to_seq, l.created_at, l.name FROM session_links l \
               JOIN sessions s ON s.id = l.session_id WHERE l.secret_index = $1 AND s.delete_at IS NULL";
    let found: Option<OpenedRow> = tx.maybe(sql, args![secret_index(vault, secret)])?;
    let open = |row: OpenedRow| {
        let OpenedRow { id, session_id, user_id, up_to_seq, created_at, name } = row;
        OpenedLink { id, session_id, user_id, up_to_seq, created_at, name }
    };
    Ok(found.map(open))
}

/// It opens nothing any more. `false` when the user has no such link.
pub fn revoke(tx: &mut Tx, user: UserId, id: SessionLinkId) -> Result<bool> {
    Ok(tx.run("DELETE FROM session_links WHERE id = $1 AND user_id = $2", args![id, user])? > 0)
}
