//! The people of the house.

use crate::{
    Conflict, DataKey, Error, Result, Tx, Vault, args, crypto::seal::CellPlace, database::row::row, numbers,
};
use domain::{Allowance, Budget, SessionId, Timestamp, User, UserId, UserRole};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug)]
pub struct NewUser {
    pub id: UserId,
    pub name: String,
    pub role: UserRole,
    pub password_hash: Option<String>,
    pub time_zone: String,
    pub language: String,
    pub at: Timestamp,
}

/// The words of a user's row, sealed with the user's own key.
#[derive(Serialize, Deserialize)]
struct Profile {
    name: String,
    time_zone: String,
    language: String,
    /// What they say about themself, for agents.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about_me: String,
}

row! {
    struct UserRow {
        id: UserId,
        role: UserRole,
        data_key: Vec<u8>,
        profile: Vec<u8>,
        house_budget_turn: Option<u64>,
        house_budget_day: Option<u64>,
        own_budget_turn: Option<u64>,
        own_budget_day: Option<u64>,
        created_at: Timestamp,
    }
}

const COLUMNS: &str = "id, role, data_key, profile, house_budget_turn, house_budget_day, \
     own_budget_turn, own_budget_day, created_at";

impl UserRow {
    fn open(self, vault: &Vault) -> Result<User> {
        let key = vault.unwrap(self.id, &self.data_key)?;
        let Profile { name, time_zone, language, about_me } =
            key.open_json(place(&self.id), &self.profile)?;
        let budget = |per_turn_microusd, per_day_microusd| Budget { per_turn_microusd, per_day_microusd };
        let budget = Allowance {
            house: budget(self.house_budget_turn, self.house_budget_day),
            own: budget(self.own_budget_turn, self.own_budget_day),
        };
        let Self { id, role, created_at, .. } = self;
        Ok(User { id, name, role, time_zone, language, budget, about_me, created_at })
    }
}

fn place(id: &UserId) -> CellPlace<'_> {
    CellPlace::new("users", "profile", id)
}

pub(crate) fn name_index(vault: &Vault, name: &str) -> [u8; 32] {
    vault.name_index("users", "", name)
}

/// [`Error::Conflict`] when the name is taken (in any case), or when there is an owner already.
pub fn create(tx: &mut Tx, vault: &Vault, new: NewUser) -> Result<User> {
    let key = vault.new_data_key(new.id)?;
    let (name, about_me) = (new.name, String::new());
    let profile = Profile { name, time_zone: new.time_zone, language: new.language, about_me };
    let index = name_index(vault, &profile.name);
    let wrapped = vault.wrap(&key)?;
    let inserted = tx.run(
        "INSERT INTO users (id, name_index, role, password_hash, key_version, data_key, profile, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
        args![
            new.id,
            index,
            new.role,
            new.password_hash,
            wrapped.version,
            wrapped.bytes,
            key.seal_json(place(&new.id), &profile)?,
            new.at
        ],
    )?;
    if inserted == 0 {
        return Err(why_not(tx, index)?.into());
    }
    let Profile { name, time_zone, language, about_me } = profile;
    let (id, role, budget, created_at) = (new.id, new.role, Allowance::default(), new.at);
    Ok(User { id, name, role, time_zone, language, budget, about_me, created_at })
}

fn why_not(tx: &mut Tx, index: [u8; 32]) -> Result<Conflict> {
    let taken: Option<UserId> = tx.maybe("SELECT id FROM users WHERE name_index = $1", args![index])?;
    Ok(if taken.is_some() { Conflict::UserName } else { Conflict::SecondOwner })
}

pub fn by_name(tx: &mut Tx, vault: &Vault, name: &str) -> Result<Option<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users WHERE name_index = $1");
    tx.maybe::<UserRow>(&sql, args![name_index(vault, name)])?.map(|row| row.open(vault)).transpose()
}

pub fn by_id(tx: &mut Tx, vault: &Vault, id: UserId) -> Result<Option<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users WHERE id = $1");
    tx.maybe::<UserRow>(&sql, args![id])?.map(|row| row.open(vault)).transpose()
}

pub fn owner(tx: &mut Tx, vault: &Vault) -> Result<Option<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users WHERE role = 'owner'");
    tx.maybe::<UserRow>(&sql, args![])?.map(|row| row.open(vault)).transpose()
}

/// Everybody, in the order in which they came.
pub fn list(tx: &mut Tx, vault: &Vault) -> Result<Vec<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users ORDER BY created_at, id");
    tx.all::<UserRow>(&sql, args![])?.into_iter().map(|row| row.open(vault)).collect()
}

/// `None` when there is no such user, and when they have no password.
pub fn password_hash(tx: &mut Tx, id: UserId) -> Result<Option<String>> {
    let found: Option<(Option<String>,)> =
        tx.maybe("SELECT password_hash FROM users WHERE id = $1", args![id])?;
    Ok(found.and_then(|(hash,)| hash))
}

/// `false` when there is no such user.
pub fn set_password_hash(tx: &mut Tx, id: UserId, hash: Option<&str>) -> Result<bool> {
    let sql = "UPDATE users SET password_hash = $2 WHERE id = $1";
    Ok(tx.run(sql, args![id, hash])? > 0)
}

/// Locks the person's row until the commit, before what they have is counted: of two who add one at once, here or at two nodes, the
/// second counts the first.
pub fn hold(tx: &mut Tx, user: UserId) -> Result<()> {
    tx.run("UPDATE users SET role = role WHERE id = $1", args![user])?;
    Ok(())
}

/// As [`hold`], for what belongs to no single person.
pub fn hold_house(tx: &mut Tx) -> Result<()> {
    tx.run("UPDATE users SET role = role WHERE role = 'owner'", args![])?;
    Ok(())
}

/// Is this still their password's hash? Their row is locked until the commit, so what a new password ends comes after
/// what the old one has begun, or the old one begins nothing.
pub fn still_has_password(tx: &mut Tx, id: UserId, hash: &str) -> Result<bool> {
    let sql = "UPDATE users SET password_hash = password_hash WHERE id = $1 AND password_hash = $2";
    Ok(tx.run(sql, args![id, hash])? > 0)
}

/// The user behind a name with their password's hash, for a login: one statement whether they exist or not.
pub fn credentials(
    tx: &mut Tx,
    vault: &Vault,
    name: &str,
) -> Result<Option<(UserId, UserRole, Option<String>)>> {
    let sql = "SELECT id, role, password_hash FROM users WHERE name_index = $1";
    tx.maybe(sql, args![name_index(vault, name)])
}

/// `false` when there is no such user.
pub fn set_role(tx: &mut Tx, id: UserId, role: UserRole) -> Result<bool> {
    Ok(tx.run("UPDATE users SET role = $2 WHERE id = $1", args![id, role])? > 0)
}

/// Stores name, time zone, language and what they say about themself; `false` when there is no such user, [`Error::Conflict`] when the name is
/// another's. The role is not touched: the person who changes a profile has read it some time ago.
pub fn update(tx: &mut Tx, vault: &Vault, user: &User) -> Result<bool> {
    let index = name_index(vault, &user.name);
    let taken: Option<UserId> =
        tx.maybe("SELECT id FROM users WHERE name_index = $1 AND id <> $2", args![index, user.id])?;
    if taken.is_some() {
        return Err(Conflict::UserName.into());
    }
    let key = data_key(tx, vault, user.id)?;
    let User { id, name, time_zone, language, about_me, .. } = user.clone();
    let profile = key.seal_json(place(&id), &Profile { name, time_zone, language, about_me })?;
    let sql = "UPDATE users SET name_index = $2, profile = $3 WHERE id = $1";
    // On PostgreSQL another person may take the name at the same moment.
    let taken = |error: Error| if error.is_same_key() { Conflict::UserName.into() } else { error };
    Ok(tx.run(sql, args![id, index, profile]).map_err(taken)? > 0)
}

/// What the house lets a person spend; `false` when there is no such user.
pub fn set_house_budget(tx: &mut Tx, id: UserId, budget: Budget) -> Result<bool> {
    let sql = "UPDATE users SET house_budget_turn = $2, house_budget_day = $3 WHERE id = $1";
    Ok(tx.run(sql, args![id, budget.per_turn_microusd, budget.per_day_microusd])? > 0)
}

/// What a person wants to spend at most; `false` when there is no such user.
pub fn set_own_budget(tx: &mut Tx, id: UserId, budget: Budget) -> Result<bool> {
    let sql = "UPDATE users SET own_budget_turn = $2, own_budget_day = $3 WHERE id = $1";
    Ok(tx.run(sql, args![id, budget.per_turn_microusd, budget.per_day_microusd])? > 0)
}

/// Everything of a user goes, but not what was spent, and not the words of others who talked to their agents. Their key is
/// overwritten first; [`Store::erase`](crate::Store::erase) sees to the copies that the database itself keeps.
/// [`Error::Conflict`] while a turn of theirs, or with an agent of theirs, runs or waits; `false` when there is no such
/// user, or it is the owner.
pub fn delete(tx: &mut Tx, id: UserId) -> Result<bool> {
    if !at_work(tx, id)?.is_empty() {
        return Err(Conflict::UserAtWork.into());
    }
    let inbox = "DELETE FROM inbox WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1)";
    tx.run(inbox, args![id])?;
    tx.run("DELETE FROM sessions WHERE user_id = $1", args![id])?;
    tx.run("DELETE FROM agent_shares WHERE audience = $1", args![id])?;
    numbers::forget(tx, id)?;
    let overwrite = "UPDATE users SET data_key = $2, profile = $2 WHERE id = $1 AND role <> 'owner'";
    tx.run(overwrite, args![id, vec![0_u8; KEY_BYTES]])?;
    Ok(tx.run("DELETE FROM users WHERE id = $1 AND role <> 'owner'", args![id])? > 0)
}

/// As long as a wrapped key.
const KEY_BYTES: usize = 77;

/// The sessions in which something of this user runs or waits: their own, and others' with their agents.
pub fn at_work(tx: &mut Tx, id: UserId) -> Result<Vec<(SessionId, UserId)>> {
    let sql = "SELECT s.id, s.user_id FROM sessions s \
               WHERE s.user_id = $1 AND (s.active_turn IS NOT NULL OR s.pending > 0) \
               UNION SELECT s.id, s.user_id FROM agents a JOIN sessions s ON s.agent_id = a.id \
               WHERE a.user_id = $1 AND (s.active_turn IS NOT NULL OR s.pending > 0)";
    tx.all(sql, args![id])
}

/// The key of a user's rows; [`Error::NotFound`] when there is no such user.
pub fn data_key(tx: &mut Tx, vault: &Vault, id: UserId) -> Result<DataKey> {
    let wrapped: Vec<u8> = tx.one("SELECT data_key FROM users WHERE id = $1", args![id])?;
    vault.unwrap(id, &wrapped)
}
