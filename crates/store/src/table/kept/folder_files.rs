//! Files of folders: which uploads agents are told of in every conversation of a folder. The files themselves are uploads of
//! the folder's person, and count for that person like all others.

use crate::{
    Error, Result, Tx, args,
    table::{sessions::label_bits, uploads},
};
use domain::{FolderId, Label, Timestamp, UploadId, UserId};

/// What came of adding a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    Done,
    /// The folder has as many as it may have.
    Full,
}

/// Adds an upload to a folder, or says anew where it comes from. [`Error::NotFound`] when the user has no such folder or no
/// such upload, or it was unused since before `fresh`: then it may be dropped at any moment.
pub fn add(
    tx: &mut Tx,
    (user, folder): (UserId, FolderId),
    upload: UploadId,
    label: Label,
    (at, fresh): (Timestamp, Timestamp),
    most: u64,
) -> Result<Added> {
    // The folder's row first: of two at once the second counts the first.
    let lock = "UPDATE folders SET files = files WHERE id = $1 AND user_id = $2 RETURNING files";
    let files: Option<u64> = tx.maybe(lock, args![folder, user])?;
    let files = files.ok_or(Error::NotFound)?;
    let known = "SELECT COUNT(*) FROM folder_files WHERE folder_id = $1 AND upload_id = $2";
    let known = tx.one::<u64>(known, args![folder, upload])? > 0;
    if files >= most && !known {
        return Ok(Added::Full);
    }
    let sql = "INSERT INTO folder_files (folder_id, upload_id, label, added_at) \
               SELECT CAST($1 AS TEXT), u.id, CAST($4 AS BIGINT), CAST($5 AS BIGINT) FROM uploads u \
               WHERE u.id = $2 AND u.user_id = $3 AND u.complete = 1 AND (u.created_at > $6 \
                 OR EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = u.id) \
                 OR EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = u.id)) \
               ON CONFLICT (folder_id, upload_id) DO UPDATE SET label = excluded.label";
    if tx.run(sql, args![folder, upload, user, label_bits(label), at, fresh])? == 0 {
        return Err(Error::NotFound);
    }
    count(tx, folder)?;
    Ok(Added::Done)
}

/// Takes a file out of a folder; it goes for good where nothing else shows it. `false` when the user has no such file there.
pub fn remove(tx: &mut Tx, user: UserId, folder: FolderId, upload: UploadId) -> Result<bool> {
    let sql = "DELETE FROM folder_files WHERE folder_id = $1 AND upload_id = $2 \
               AND EXISTS (SELECT 1 FROM folders f WHERE f.id = $1 AND f.user_id = $3)";
    if tx.run(sql, args![folder, upload, user])? == 0 {
        return Ok(false);
    }
    count(tx, folder)?;
    uploads::drop_unused(tx, user, upload)?;
    Ok(true)
}

/// The files of a folder, by their ids.
pub(crate) fn ids(tx: &mut Tx, folder: FolderId) -> Result<Vec<UploadId>> {
    tx.all("SELECT upload_id FROM folder_files WHERE folder_id = $1", args![folder])
}

fn count(tx: &mut Tx, folder: FolderId) -> Result<()> {
    let sql =
        "UPDATE folders SET files = (SELECT COUNT(*) FROM folder_files WHERE folder_id = $1) WHERE id = $1";
    tx.run(sql, args![folder]).map(drop)
}
