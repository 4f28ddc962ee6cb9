//! Folders of conversations. Name and instructions are one body, sealed with their person's key.
//!
//! Invariant: every change makes the folder's version grow, and one that was made of an older version changes nothing.

use crate::{
    Conflict, DataKey, Page, Paged, Result, Tx, args,
    crypto::seal::CellPlace,
    database::{page::one_more, row::row},
    table::{kept::folder_files, uploads, users},
};
use domain::{Folder, FolderId, FolderText, Timestamp, UserId};

row! {
    struct FolderRow {
        id: FolderId,
        user_id: UserId,
        version: u64,
        created_at: Timestamp,
        updated_at: Timestamp,
        body: Vec<u8>,
    }
}

const COLUMNS: &str = "id, user_id, version, created_at, updated_at, body";

fn place(id: &FolderId) -> CellPlace<'_> {
    CellPlace::new("folders", "body", id)
}

pub(crate) fn open_text(key: &DataKey, id: &FolderId, body: &[u8]) -> Result<FolderText> {
    key.open_json(place(id), body)
}

impl FolderRow {
    fn open(self, key: &DataKey) -> Result<Folder> {
        let Self { id, user_id, version, created_at, updated_at, body } = self;
        Ok(Folder { text: open_text(key, &id, &body)?, id, user_id, version, created_at, updated_at })
    }
}

/// Locks the folder's row until the commit, so that what deletes it comes before or after. `false` when the user has no such
/// folder.
pub fn hold(tx: &mut Tx, user: UserId, id: FolderId) -> Result<bool> {
    Ok(tx.run("UPDATE folders SET version = version WHERE id = $1 AND user_id = $2", args![id, user])? > 0)
}

/// `false` when the user has `most` already.
pub fn create(tx: &mut Tx, key: &DataKey, folder: &Folder, most: u64) -> Result<bool> {
    // The row of the user first, so that of two at once the second counts the first.
    users::hold(tx, folder.user_id)?;
    let count: u64 = tx.one("SELECT COUNT(*) FROM folders WHERE user_id = $1", args![folder.user_id])?;
    if count >= most {
        return Ok(false);
    }
    let sql = "INSERT INTO folders (id, user_id, version, created_at, updated_at, body) \
               VALUES ($1, $2, $3, $4, $5, $6)";
    let body = key.seal_json(place(&folder.id), &folder.text)?;
    let Folder { id, user_id, version, created_at, updated_at, .. } = *folder;
    tx.run(sql, args![id, user_id, version, created_at, updated_at, body])?;
    Ok(true)
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: FolderId) -> Result<Option<Folder>> {
    let sql = format!("SELECT {COLUMNS} FROM folders WHERE id = $1 AND user_id = $2");
    tx.maybe::<FolderRow>(&sql, args![id, user])?.map(|row| row.open(key)).transpose()
}

/// A user's folders, oldest first.
pub fn list(tx: &mut Tx, key: &DataKey, user: UserId, page: Page) -> Result<Paged<Folder>> {
    let after: Option<FolderId> = page.cursor_as()?;
    let after = after.map_or_else(String::new, |id| id.to_string());
    let total = tx.one("SELECT COUNT(*) FROM folders WHERE user_id = $1", args![user])?;
    let sql = format!("SELECT {COLUMNS} FROM folders WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3");
    let piece = tx.piece::<FolderRow>(&sql, args![user, after, one_more(page.limit)])?;
    Paged::from_piece(piece, page.limit, total, |row| row.id.to_string()).try_map(|row| row.open(key))
}

/// Stores its words as one version more than `folder` has. `false` when the user has no such folder,
/// [`Conflict::FolderChanged`] when it has another version by now.
pub fn update(tx: &mut Tx, key: &DataKey, folder: &Folder) -> Result<bool> {
    let sql = "UPDATE folders SET version = version + 1, updated_at = $4, body = $5 \
               WHERE id = $1 AND user_id = $2 AND version = $3";
    let body = key.seal_json(place(&folder.id), &folder.text)?;
    let Folder { id, user_id, version, updated_at, .. } = *folder;
    if tx.run(sql, args![id, user_id, version, updated_at, body])? > 0 {
        return Ok(true);
    }
    match get(tx, key, user_id, id)? {
        Some(_) => Err(Conflict::FolderChanged.into()),
        None => Ok(false),
    }
}

/// What was in it stays, in no folder; its files go where nothing else shows them. `false` when the user has no such folder.
pub fn delete(tx: &mut Tx, user: UserId, id: FolderId) -> Result<bool> {
    let files = folder_files::ids(tx, id)?;
    if tx.run("DELETE FROM folders WHERE id = $1 AND user_id = $2", args![id, user])? == 0 {
        return Ok(false);
    }
    for file in files {
        uploads::drop_unused(tx, user, file)?;
    }
    let sql = "UPDATE sessions SET folder_id = NULL WHERE folder_id = $1 AND user_id = $2";
    tx.run(sql, args![id, user])?;
    Ok(true)
}
