//! Keys that programs use instead of a login. The secret itself is never here, only its hash.

use crate::{
    Conflict, DataKey, Result, Tx, Vault, args,
    crypto::{digest::Digests, seal::CellPlace},
    database::{row::row, tx::listed},
    users,
};
use domain::{ApiKey, ApiKeyId, Scope, Timestamp, UserId, UserRole};

/// Of one person.
pub(crate) const MOST_PER_USER: i64 = 200;

/// A bridge as the database knows it: it can be compared, not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceIndex([u8; 32]);

impl SourceIndex {
    pub fn new(vault: &Vault, user: UserId, source: &str) -> Self {
        Self::by(vault.digests(), user, source)
    }

    fn by(digests: &Digests, user: UserId, source: &str) -> Self {
        let user = user.to_string();
        Self(digests.of("api_key.source", &[user.as_bytes(), source.as_bytes()]))
    }
}

row! {
    /// Whom a key speaks for, and how far.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct KeyOwner {
        pub key_id: ApiKeyId,
        pub user_id: UserId,
        pub role: UserRole,
        pub scope: Scope,
        pub expires_at: Option<Timestamp>,
        pub source_index: Option<Vec<u8>>,
    }
}

impl KeyOwner {
    /// The bridge that it is bound to.
    pub fn source(&self) -> Option<SourceIndex> {
        self.source_index.as_deref()?.try_into().ok().map(SourceIndex)
    }
}

row! {
    struct KeyRow {
        id: ApiKeyId,
        user_id: UserId,
        scope: Scope,
        expires_at: Option<Timestamp>,
        created_at: Timestamp,
        name: Vec<u8>,
        source: Option<Vec<u8>>,
    }
}

const OWNER: &str = "SELECT k.id, k.user_id, u.role, k.scope, k.expires_at, k.source_index FROM api_keys k \
     JOIN users u ON u.id = k.user_id";

fn place(id: &ApiKeyId) -> CellPlace<'_> {
    CellPlace::new("api_keys", "name", id)
}

fn source_place(id: &ApiKeyId) -> CellPlace<'_> {
    CellPlace::new("api_keys", "source", id)
}

/// [`Conflict::TooManyKeys`] when the user has too many keys already.
pub fn create(tx: &mut Tx, key: &DataKey, new: &ApiKey, secret_hash: [u8; 32]) -> Result<()> {
    users::hold(tx, new.user_id)?;
    let count = "SELECT COUNT(*) FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL";
    if tx.one::<i64>(count, args![new.user_id])? >= MOST_PER_USER {
        return Err(Conflict::TooManyKeys.into());
    }
    let name = key.seal(place(&new.id), new.name.as_bytes())?;
    tx.run(
        "INSERT INTO api_keys (id, user_id, secret_hash, scope, expires_at, created_at, name) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        args![new.id, new.user_id, secret_hash, new.scope, new.expires_at, new.created_at, name],
    )?;
    match &new.source {
        Some(source) => bind(tx, key, new.id, source).map(drop),
        None => Ok(()),
    }
}

/// Binds a key to the bridge whose messages it delivers, for good. `false` when it is bound already.
pub fn bind(tx: &mut Tx, key: &DataKey, id: ApiKeyId, source: &str) -> Result<bool> {
    let SourceIndex(index) = SourceIndex::by(key.digests(), key.owner(), source);
    let sealed = key.seal(source_place(&id), source.as_bytes())?;
    let sql = "UPDATE api_keys SET source = $3, source_index = $4 \
               WHERE id = $1 AND user_id = $2 AND source_index IS NULL";
    Ok(tx.run(sql, args![id, key.owner(), sealed, index])? > 0)
}

/// Those of these keys that are not revoked.
pub fn by_ids(tx: &mut Tx, ids: &[ApiKeyId]) -> Result<Vec<KeyOwner>> {
    listed(tx, &format!("{OWNER} WHERE k.revoked_at IS NULL AND k.id IN"), ids)
}

/// A revoked key is not found; whether it has expired is for the caller, who has a clock, to say.
pub fn by_hash(tx: &mut Tx, secret_hash: [u8; 32]) -> Result<Option<KeyOwner>> {
    let sql = format!("{OWNER} WHERE k.secret_hash = $1 AND k.revoked_at IS NULL");
    tx.maybe(&sql, args![secret_hash])
}

/// The keys of a user that are not revoked, oldest first.
pub fn list(tx: &mut Tx, key: &DataKey, user: UserId) -> Result<Vec<ApiKey>> {
    let rows: Vec<KeyRow> = tx.all(
        "SELECT id, user_id, scope, expires_at, created_at, name, source FROM api_keys \
             WHERE user_id = $1 AND revoked_at IS NULL ORDER BY created_at, id",
        args![user],
    )?;
    let open = |row: KeyRow| {
        let KeyRow { id, user_id, scope, expires_at, created_at, name, source } = row;
        let name = key.open_text(place(&id), &name)?;
        let source = source.map(|sealed| key.open_text(source_place(&id), &sealed)).transpose()?;
        Ok(ApiKey { id, user_id, name, scope, source, expires_at, created_at })
    };
    rows.into_iter().map(open).collect()
}

/// `false` when the user has no such key, or has revoked it already.
pub fn revoke(tx: &mut Tx, user: UserId, id: ApiKeyId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE api_keys SET revoked_at = $3 WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL";
    Ok(tx.run(sql, args![id, user, at])? > 0)
}

/// Revokes every key of a user.
pub fn revoke_all(tx: &mut Tx, user: UserId, at: Timestamp) -> Result<u64> {
    let sql = "UPDATE api_keys SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL";
    tx.run(sql, args![user, at])
}
