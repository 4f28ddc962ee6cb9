//! The people of the house.

use crate::{DataKey, Error, Result, Tx, Vault, args, row::row, seal::Place};
use domain::{Timestamp, User, UserId, UserRole};
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
}

row! {
    struct UserRow {
        id: UserId,
        role: UserRole,
        data_key: Vec<u8>,
        profile: Vec<u8>,
        created_at: Timestamp,
    }
}

const COLUMNS: &str = "id, role, data_key, profile, created_at";

impl UserRow {
    fn open(self, vault: &Vault) -> Result<User> {
        let key = vault.unwrap(self.id, &self.data_key)?;
        let Profile { name, time_zone, language } = key.open_json(place(&self.id), &self.profile)?;
        Ok(User { id: self.id, name, role: self.role, time_zone, language, created_at: self.created_at })
    }
}

fn place(id: &UserId) -> Place<'_> {
    Place::new("users", "profile", id)
}

fn name_index(vault: &Vault, name: &str) -> [u8; 32] {
    vault.name_index("users", "", name)
}

/// [`Error::Conflict`] when the name is taken (in any case), or when there is an owner already.
pub async fn create(tx: &mut Tx, vault: &Vault, new: NewUser) -> Result<User> {
    let key = vault.new_data_key(new.id)?;
    let profile = Profile { name: new.name, time_zone: new.time_zone, language: new.language };
    let index = name_index(vault, &profile.name);
    let wrapped = vault.wrap(&key)?;
    let inserted = tx
        .run(
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
        )
        .await?;
    if inserted == 0 {
        return Err(Error::Conflict(why_not(tx, index).await?.to_owned()));
    }
    let Profile { name, time_zone, language } = profile;
    Ok(User { id: new.id, name, role: new.role, time_zone, language, created_at: new.at })
}

async fn why_not(tx: &mut Tx, index: [u8; 32]) -> Result<&'static str> {
    let taken: Option<UserId> = tx.maybe("SELECT id FROM users WHERE name_index = $1", args![index]).await?;
    Ok(if taken.is_some() { "there is a user of that name already" } else { "there is an owner already" })
}

pub async fn by_name(tx: &mut Tx, vault: &Vault, name: &str) -> Result<Option<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users WHERE name_index = $1");
    tx.maybe::<UserRow>(&sql, args![name_index(vault, name)]).await?.map(|row| row.open(vault)).transpose()
}

pub async fn by_id(tx: &mut Tx, vault: &Vault, id: UserId) -> Result<Option<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users WHERE id = $1");
    tx.maybe::<UserRow>(&sql, args![id]).await?.map(|row| row.open(vault)).transpose()
}

pub async fn owner(tx: &mut Tx, vault: &Vault) -> Result<Option<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users WHERE role = 'owner'");
    tx.maybe::<UserRow>(&sql, args![]).await?.map(|row| row.open(vault)).transpose()
}

/// Everybody, in the order in which they came.
pub async fn list(tx: &mut Tx, vault: &Vault) -> Result<Vec<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users ORDER BY created_at, id");
    tx.all::<UserRow>(&sql, args![]).await?.into_iter().map(|row| row.open(vault)).collect()
}

/// `None` when there is no such user, and when they have no password.
pub async fn password_hash(tx: &mut Tx, id: UserId) -> Result<Option<String>> {
    let found: Option<(Option<String>,)> =
        tx.maybe("SELECT password_hash FROM users WHERE id = $1", args![id]).await?;
    Ok(found.and_then(|(hash,)| hash))
}

/// `false` when there is no such user.
pub async fn set_password_hash(tx: &mut Tx, id: UserId, hash: Option<&str>) -> Result<bool> {
    let sql = "UPDATE users SET password_hash = $2 WHERE id = $1";
    Ok(tx.run(sql, args![id, hash]).await? > 0)
}

/// The key of a user's rows; [`Error::NotFound`] when there is no such user.
pub async fn data_key(tx: &mut Tx, vault: &Vault, id: UserId) -> Result<DataKey> {
    let wrapped: Vec<u8> = tx.one("SELECT data_key FROM users WHERE id = $1", args![id]).await?;
    vault.unwrap(id, &wrapped)
}
