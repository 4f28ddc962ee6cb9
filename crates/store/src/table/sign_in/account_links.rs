//! Links by which one person creates their account, or chooses a new password, once. The secret is never here, only its hash.

use crate::{Result, Tx, args, database::row::row, users};
use domain::{AccountLink, AccountLinkId, Timestamp, UserId, UserRole};

row! {
    struct LinkRow {
        id: AccountLinkId,
        made_by: UserId,
        user_id: Option<UserId>,
        role: UserRole,
        created_at: Timestamp,
        expires_at: Timestamp,
    }
}

const COLUMNS: &str = "id, made_by, user_id, role, created_at, expires_at";

impl From<LinkRow> for AccountLink {
    fn from(row: LinkRow) -> Self {
        let LinkRow { id, made_by, user_id, role, created_at, expires_at } = row;
        Self { id, made_by, user_id, role, created_at, expires_at }
    }
}

/// Stores a link; `false` when there are `most` already. A further one for the password of the same person replaces the first.
pub fn create(tx: &mut Tx, link: &AccountLink, secret_hash: [u8; 32], most: u64) -> Result<bool> {
    if let Some(user) = link.user_id {
        tx.run("DELETE FROM account_links WHERE user_id = $1", args![user])?;
    }
    users::hold_house(tx)?;
    if tx.one::<u64>("SELECT COUNT(*) FROM account_links WHERE expires_at > $1", args![link.created_at])?
        >= most
    {
        return Ok(false);
    }
    let sql = "INSERT INTO account_links (id, made_by, user_id, role, secret_hash, created_at, expires_at) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let AccountLink { id, made_by, user_id, role, created_at, expires_at } = *link;
    tx.run(sql, args![id, made_by, user_id, role, secret_hash, created_at, expires_at])?;
    Ok(true)
}

/// Those that can still be used, the newest first.
pub fn list(tx: &mut Tx, now: Timestamp, most: u32) -> Result<Vec<AccountLink>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM account_links WHERE expires_at > $1 ORDER BY expires_at DESC, id DESC LIMIT $2"
    );
    let rows: Vec<LinkRow> = tx.all(&sql, args![now, most])?;
    Ok(rows.into_iter().map(AccountLink::from).collect())
}

/// The link of this secret, as long as it can be used.
pub fn by_hash(tx: &mut Tx, secret_hash: [u8; 32], now: Timestamp) -> Result<Option<AccountLink>> {
    let sql = format!("SELECT {COLUMNS} FROM account_links WHERE secret_hash = $1 AND expires_at > $2");
    Ok(tx.maybe::<LinkRow>(&sql, args![secret_hash, now])?.map(AccountLink::from))
}

/// It can be used no more. `false` when there is none: of two who use one link at once, one is told so.
pub fn end(tx: &mut Tx, id: AccountLinkId) -> Result<bool> {
    Ok(tx.run("DELETE FROM account_links WHERE id = $1", args![id])? > 0)
}

/// Those that this person has made or could use count no more.
pub fn end_of(tx: &mut Tx, user: UserId) -> Result<()> {
    tx.run("DELETE FROM account_links WHERE made_by = $1", args![user])?;
    tx.run("DELETE FROM account_links WHERE user_id = $1", args![user])?;
    Ok(())
}

/// Forgets those whose time is over.
pub fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.run("DELETE FROM account_links WHERE expires_at <= $1", args![now])
}
