//! Where people are signed in. The secret of a login is never here, only its hash.

use crate::{
    DataKey, Result, Tx, args,
    crypto::seal::CellPlace,
    database::{row::row, tx::listed},
};
use domain::{Login, LoginId, Timestamp, UserId, UserRole};
use serde::{Deserialize, Serialize};

/// Of one person; a further login ends the oldest.
const MOST_PER_USER: i64 = 100;

#[derive(Clone, Debug)]
pub struct NewLogin {
    pub id: LoginId,
    pub user_id: UserId,
    pub secret_hash: [u8; 32],
    pub user_agent: Option<String>,
    pub address: Option<String>,
    pub at: Timestamp,
}

row! {
    /// Whom a login speaks for. Whether it is too old is for the caller, who has a clock, to say.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LoginOwner {
        pub login_id: LoginId,
        pub user_id: UserId,
        pub role: UserRole,
        pub created_at: Timestamp,
        pub seen_at: Timestamp,
        pub confirmed_at: Option<Timestamp>,
    }
}

row! {
    struct LoginRow {
        id: LoginId,
        created_at: Timestamp,
        seen_at: Timestamp,
        confirmed_at: Option<Timestamp>,
        body: Vec<u8>,
    }
}

#[derive(Serialize, Deserialize)]
struct LoginBody {
    user_agent: Option<String>,
    address: Option<String>,
}

const OWNER: &str = "SELECT l.id, l.user_id, u.role, l.created_at, l.seen_at, l.confirmed_at FROM logins l \
     JOIN users u ON u.id = l.user_id";

fn place(id: &LoginId) -> CellPlace<'_> {
    CellPlace::new("logins", "body", id)
}

/// Stores a login.
pub fn create(tx: &mut Tx, key: &DataKey, new: NewLogin) -> Result<()> {
    let NewLogin { id, user_id, secret_hash, user_agent, address, at } = new;
    let body = key.seal_json(place(&id), &LoginBody { user_agent, address })?;
    tx.run(
        "INSERT INTO logins (id, user_id, secret_hash, created_at, seen_at, body) VALUES ($1, $2, $3, $4, $4, $5)",
        args![id, user_id, secret_hash, at, body],
    )?;
    let newest = "DELETE FROM logins WHERE user_id = $1 AND id NOT IN \
                  (SELECT id FROM logins WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2)";
    tx.run(newest, args![user_id, MOST_PER_USER])?;
    Ok(())
}

pub fn by_hash(tx: &mut Tx, secret_hash: [u8; 32]) -> Result<Option<LoginOwner>> {
    tx.maybe(&format!("{OWNER} WHERE l.secret_hash = $1"), args![secret_hash])
}

/// Those of these logins that are still there.
pub fn by_ids(tx: &mut Tx, ids: &[LoginId]) -> Result<Vec<LoginOwner>> {
    listed(tx, &format!("{OWNER} WHERE l.id IN"), ids)
}

/// The logins of a user, the newest first.
pub fn list(tx: &mut Tx, key: &DataKey, user: UserId) -> Result<Vec<Login>> {
    let sql = "SELECT id, created_at, seen_at, confirmed_at, body FROM logins WHERE user_id = $1 \
               ORDER BY created_at DESC, id DESC";
    let open = |row: LoginRow| {
        let LoginRow { id, created_at, seen_at, confirmed_at, body } = row;
        let LoginBody { user_agent, address } = key.open_json(place(&id), &body)?;
        Ok(Login { id, user_agent, address, created_at, seen_at, confirmed_at })
    };
    tx.all::<LoginRow>(sql, args![user])?.into_iter().map(open).collect()
}

/// Notes that a login is in use.
pub fn touch(tx: &mut Tx, id: LoginId, at: Timestamp) -> Result<()> {
    tx.run("UPDATE logins SET seen_at = $2 WHERE id = $1 AND seen_at < $2", args![id, at])?;
    Ok(())
}

/// Notes a re-authentication; `false` when the login has ended.
pub fn confirm(tx: &mut Tx, id: LoginId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE logins SET confirmed_at = $2, seen_at = $2 WHERE id = $1";
    Ok(tx.run(sql, args![id, at])? > 0)
}

/// `false` when the user has no such login.
pub fn end(tx: &mut Tx, user: UserId, id: LoginId) -> Result<bool> {
    Ok(tx.run("DELETE FROM logins WHERE id = $1 AND user_id = $2", args![id, user])? > 0)
}

/// Ends all logins of a user but one, if one is given. Says how many.
pub fn end_all(tx: &mut Tx, user: UserId, but: Option<LoginId>) -> Result<u64> {
    let sql = "DELETE FROM logins WHERE user_id = $1 AND ($2 IS NULL OR id <> $2)";
    tx.run(sql, args![user, but])
}

/// Forgets logins that were made, or last used, before these times.
pub fn forget(tx: &mut Tx, made_before: Timestamp, seen_before: Timestamp) -> Result<u64> {
    let sql = "DELETE FROM logins WHERE created_at < $1 OR seen_at < $2";
    tx.run(sql, args![made_before, seen_before])
}
