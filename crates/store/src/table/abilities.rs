//! What people wrote for their agents. All of it, the name included, is one body sealed with their key.
//!
//! Invariant: every change makes the user's version grow in the same transaction.

use crate::{
    Conflict, DataKey, Error, Page, Paged, Result, Tx, args,
    crypto::seal::CellPlace,
    database::{page::one_more, row::row},
};
use domain::{Ability, AbilityId, AbilityText, Timestamp, UserId};

row! {
    struct AbilityRow {
        id: AbilityId,
        user_id: UserId,
        created_at: Timestamp,
        updated_at: Timestamp,
        body: Vec<u8>,
    }
}

const COLUMNS: &str = "id, user_id, created_at, updated_at, body";

fn place(id: &AbilityId) -> CellPlace<'_> {
    CellPlace::new("abilities", "body", id)
}

fn name_index(key: &DataKey, user: UserId, name: &str) -> [u8; 32] {
    key.digests().name("abilities", &user.to_string(), name)
}

impl AbilityRow {
    fn open(self, key: &DataKey) -> Result<Ability> {
        let Self { id, user_id, created_at, updated_at, .. } = self;
        let text: AbilityText = key.open_json(place(&id), &self.body)?;
        Ok(Ability { id, user_id, text, created_at, updated_at })
    }
}

/// Takes the row of the user first, so that changes of one user's abilities come one after another.
fn changed(tx: &mut Tx, user: UserId) -> Result<()> {
    let sql = "UPDATE users SET abilities_version = abilities_version + 1 WHERE id = $1";
    match tx.run(sql, args![user])? {
        0 => Err(Error::NotFound),
        _ => Ok(()),
    }
}

fn name_taken() -> Error {
    Conflict::AbilityName.into()
}

/// [`Error::Conflict`] when the user has one of that name; `false` when they have `most` already.
pub fn create(tx: &mut Tx, key: &DataKey, ability: &Ability, most: u64) -> Result<bool> {
    changed(tx, ability.user_id)?;
    let count: u64 = tx.one("SELECT COUNT(*) FROM abilities WHERE user_id = $1", args![ability.user_id])?;
    if count >= most {
        return Ok(false);
    }
    let inserted = tx.run(
        "INSERT INTO abilities (id, user_id, name_index, created_at, updated_at, body) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        args![
            ability.id,
            ability.user_id,
            name_index(key, ability.user_id, &ability.text.name),
            ability.created_at,
            ability.updated_at,
            key.seal_json(place(&ability.id), &ability.text)?
        ],
    )?;
    if inserted == 0 { Err(name_taken()) } else { Ok(true) }
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: AbilityId) -> Result<Option<Ability>> {
    let sql = format!("SELECT {COLUMNS} FROM abilities WHERE id = $1 AND user_id = $2");
    tx.maybe::<AbilityRow>(&sql, args![id, user])?.map(|row| row.open(key)).transpose()
}

pub fn by_name(tx: &mut Tx, key: &DataKey, user: UserId, name: &str) -> Result<Option<Ability>> {
    let sql = format!("SELECT {COLUMNS} FROM abilities WHERE name_index = $1 AND user_id = $2");
    let found: Option<AbilityRow> = tx.maybe(&sql, args![name_index(key, user, name), user])?;
    found.map(|row| row.open(key)).transpose()
}

/// A user's abilities, oldest first.
pub fn list(tx: &mut Tx, key: &DataKey, user: UserId, page: Page) -> Result<Paged<Ability>> {
    let after: Option<AbilityId> = page.cursor_as()?;
    let after = after.map_or_else(String::new, |id| id.to_string());
    let total = tx.one("SELECT COUNT(*) FROM abilities WHERE user_id = $1", args![user])?;
    let sql = format!("SELECT {COLUMNS} FROM abilities WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3");
    let piece = tx.piece::<AbilityRow>(&sql, args![user, after, one_more(page.limit)])?;
    Paged::from_piece(piece, page.limit, total, |row| row.id.to_string()).try_map(|row| row.open(key))
}

/// All abilities of one person, as they are read for their agents.
#[derive(Clone, Debug, PartialEq)]
pub struct AllAbilities {
    pub version: u64,
    pub readable: Vec<Ability>,
    /// How many there are besides that cannot be read: they take none of the others with them.
    pub unreadable: usize,
}

/// All of them, with the version that they are.
pub fn all(tx: &mut Tx, key: &DataKey, user: UserId) -> Result<AllAbilities> {
    // The version first: whatever changes in between is asked for again.
    let version: u64 = tx.one("SELECT abilities_version FROM users WHERE id = $1", args![user])?;
    let sql = format!("SELECT {COLUMNS} FROM abilities WHERE user_id = $1 ORDER BY id");
    let rows: Vec<AbilityRow> = tx.all(&sql, args![user])?;
    let (readable, unreadable) = Error::sort_out(rows.into_iter().map(|row| row.open(key)))?;
    Ok(AllAbilities { version, readable, unreadable })
}

/// `false` when the user has no such ability, [`Error::Conflict`] when the name is another's.
pub fn update(tx: &mut Tx, key: &DataKey, ability: &Ability) -> Result<bool> {
    changed(tx, ability.user_id)?;
    let index = name_index(key, ability.user_id, &ability.text.name);
    let taken: Option<AbilityId> = tx.maybe(
        "SELECT id FROM abilities WHERE user_id = $1 AND name_index = $2 AND id <> $3",
        args![ability.user_id, index, ability.id],
    )?;
    if taken.is_some() {
        return Err(name_taken());
    }
    let sql =
        "UPDATE abilities SET name_index = $3, updated_at = $4, body = $5 WHERE id = $1 AND user_id = $2";
    let body = key.seal_json(place(&ability.id), &ability.text)?;
    let values = args![ability.id, ability.user_id, index, ability.updated_at, body];
    let changed = tx.run(sql, values);
    Ok(changed.map_err(|error| if error.is_same_key() { name_taken() } else { error })? > 0)
}

/// `false` when the user has no such ability.
pub fn delete(tx: &mut Tx, user: UserId, id: AbilityId) -> Result<bool> {
    changed(tx, user)?;
    Ok(tx.run("DELETE FROM abilities WHERE id = $1 AND user_id = $2", args![id, user])? > 0)
}
