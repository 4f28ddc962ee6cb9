//! Prompts that people keep under names of their own. All of one, the name included, is one body sealed with their key.

use crate::{
    Conflict, DataKey, Error, Page, Paged, Result, Tx, args,
    crypto::seal::CellPlace,
    database::{page::one_more, row::row},
};
use domain::{SavedPrompt, SavedPromptId, SavedPromptText, Timestamp, UserId};

row! {
    struct SavedPromptRow {
        id: SavedPromptId,
        user_id: UserId,
        created_at: Timestamp,
        updated_at: Timestamp,
        body: Vec<u8>,
    }
}

const COLUMNS: &str = "id, user_id, created_at, updated_at, body";

fn place(id: &SavedPromptId) -> CellPlace<'_> {
    CellPlace::new("saved_prompts", "body", id)
}

fn name_index(key: &DataKey, user: UserId, name: &str) -> [u8; 32] {
    key.digests().name("saved_prompts", &user.to_string(), name)
}

impl SavedPromptRow {
    fn open(self, key: &DataKey) -> Result<SavedPrompt> {
        let Self { id, user_id, created_at, updated_at, .. } = self;
        let text: SavedPromptText = key.open_json(place(&id), &self.body)?;
        Ok(SavedPrompt { id, user_id, text, created_at, updated_at })
    }
}

fn name_taken() -> Error {
    Conflict::PromptName.into()
}

/// [`Error::Conflict`] when the user has one of that name; `false` when they have `most` already.
pub fn create(tx: &mut Tx, key: &DataKey, prompt: &SavedPrompt, most: u64) -> Result<bool> {
    // The row of the user first, so that of two at once the second counts the first.
    tx.run("UPDATE users SET role = role WHERE id = $1", args![prompt.user_id])?;
    let count: u64 =
        tx.one("SELECT COUNT(*) FROM saved_prompts WHERE user_id = $1", args![prompt.user_id])?;
    if count >= most {
        return Ok(false);
    }
    let inserted = tx.run(
        "INSERT INTO saved_prompts (id, user_id, name_index, created_at, updated_at, body) \
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        args![
            prompt.id,
            prompt.user_id,
            name_index(key, prompt.user_id, &prompt.text.name),
            prompt.created_at,
            prompt.updated_at,
            key.seal_json(place(&prompt.id), &prompt.text)?
        ],
    )?;
    if inserted == 0 { Err(name_taken()) } else { Ok(true) }
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: SavedPromptId) -> Result<Option<SavedPrompt>> {
    let sql = format!("SELECT {COLUMNS} FROM saved_prompts WHERE id = $1 AND user_id = $2");
    tx.maybe::<SavedPromptRow>(&sql, args![id, user])?.map(|row| row.open(key)).transpose()
}

pub fn by_name(tx: &mut Tx, key: &DataKey, user: UserId, name: &str) -> Result<Option<SavedPrompt>> {
    let sql = format!("SELECT {COLUMNS} FROM saved_prompts WHERE name_index = $1 AND user_id = $2");
    let found: Option<SavedPromptRow> = tx.maybe(&sql, args![name_index(key, user, name), user])?;
    found.map(|row| row.open(key)).transpose()
}

/// A user's prompts, oldest first.
pub fn list(tx: &mut Tx, key: &DataKey, user: UserId, page: Page) -> Result<Paged<SavedPrompt>> {
    let after: Option<SavedPromptId> = page.cursor_as()?;
    let after = after.map_or_else(String::new, |id| id.to_string());
    let total = tx.one("SELECT COUNT(*) FROM saved_prompts WHERE user_id = $1", args![user])?;
    let sql =
        format!("SELECT {COLUMNS} FROM saved_prompts WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3");
    let piece = tx.piece::<SavedPromptRow>(&sql, args![user, after, one_more(page.limit)])?;
    Paged::from_piece(piece, page.limit, total, |row| row.id.to_string()).try_map(|row| row.open(key))
}

/// `false` when the user has no such prompt, [`Error::Conflict`] when the name is another's.
pub fn update(tx: &mut Tx, key: &DataKey, prompt: &SavedPrompt) -> Result<bool> {
    let index = name_index(key, prompt.user_id, &prompt.text.name);
    let sql =
        "UPDATE saved_prompts SET name_index = $3, updated_at = $4, body = $5 WHERE id = $1 AND user_id = $2";
    let body = key.seal_json(place(&prompt.id), &prompt.text)?;
    let changed = tx.run(sql, args![prompt.id, prompt.user_id, index, prompt.updated_at, body]);
    Ok(changed.map_err(|error| if error.is_same_key() { name_taken() } else { error })? > 0)
}

/// `false` when the user has no such prompt.
pub fn delete(tx: &mut Tx, user: UserId, id: SavedPromptId) -> Result<bool> {
    Ok(tx.run("DELETE FROM saved_prompts WHERE id = $1 AND user_id = $2", args![id, user])? > 0)
}
