//! Files that people hand in, in sealed pieces: neither a row nor the memory grows with the file.

use crate::{
    DataKey, Error, Result, Tx, args,
    crypto::seal::CellPlace,
    database::row::row,
    table::{
        sessions::{label_bits, label_from},
        users,
    },
};
use domain::{FolderId, Label, ReadText, SessionId, Timestamp, Upload, UploadId, UserId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What every file counts for besides its bytes, so that a million empty ones do not count for nothing.
pub const OVERHEAD: u64 = 4_096;

/// An upload that is on its way in.
#[derive(Clone, Debug)]
pub struct NewUpload {
    pub id: UploadId,
    pub user_id: UserId,
    pub at: Timestamp,
}

row! {
    struct UploadRow {
        id: UploadId,
        size: u64,
        pieces: u64,
        body: Vec<u8>,
    }
}

row! {
    struct UsedRow {
        id: UploadId,
        size: u64,
        pieces: u64,
        body: Vec<u8>,
        label: i64,
    }
}

const COLUMNS: &str = "u.id, u.size, u.pieces, u.body";

/// What is known of a file. Size and pieces stand here once more, where they cannot be changed.
#[derive(Serialize, Deserialize)]
struct UploadBody {
    name: String,
    mime_type: String,
    size: u64,
    pieces: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<ReadText>,
}

fn place(id: &UploadId) -> CellPlace<'_> {
    CellPlace::new("uploads", "body", id)
}

/// Binds a piece to its file and its place in it.
struct PiecePlace<'a>(&'a UploadId, u64);

impl fmt::Display for PiecePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

/// A whole file, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredUpload {
    pub upload: Upload,
    pub pieces: u64,
}

impl UploadRow {
    fn open(self, key: &DataKey) -> Result<StoredUpload> {
        let UploadBody { name, mime_type, size, pieces, text } =
            key.open_json(place(&self.id), &self.body)?;
        if (size, pieces) != (self.size, self.pieces) {
            return Err(place(&self.id).refused());
        }
        Ok(StoredUpload { upload: Upload { id: self.id, name, mime_type, size, text }, pieces })
    }
}

/// Makes room for an upload; no session sees it before it is complete. The person's row is locked, so that what they hold can be counted.
pub fn begin(tx: &mut Tx, new: &NewUpload) -> Result<()> {
    users::hold(tx, new.user_id)?;
    let sql = "INSERT INTO uploads (id, user_id, size, pieces, complete, created_at, body) \
               VALUES ($1, $2, 0, 0, 0, $3, $4)";
    tx.run(sql, args![new.id, new.user_id, new.at, Vec::<u8>::new()])?;
    Ok(())
}

/// Appends a piece. Gives what all files of the user now count for, together with what came at the same time elsewhere: the person's
/// row is locked. [`Error::NotFound`] when it was dropped meanwhile.
pub fn append(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    id: UploadId,
    position: u64,
    data: &[u8],
) -> Result<u64> {
    let sealed = key.seal(CellPlace::new("upload_pieces", "data", &PiecePlace(&id, position)), data)?;
    let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
    users::hold(tx, user)?;
    let grow = "UPDATE uploads SET size = size + $3, pieces = pieces + 1 \
                WHERE id = $1 AND user_id = $2 AND complete = 0 AND pieces = $4";
    if tx.run(grow, args![id, user, length, position])? == 0 {
        return Err(Error::NotFound);
    }
    let insert = "INSERT INTO upload_pieces (upload_id, position, data) VALUES ($1, $2, $3)";
    tx.run(insert, args![id, position, sealed])?;
    held(tx, user)
}

/// What all files of a user count for.
pub fn held(tx: &mut Tx, user: UserId) -> Result<u64> {
    let sql = "SELECT CAST(COALESCE(SUM(size), 0) + COUNT(*) * $2 AS BIGINT) FROM uploads WHERE user_id = $1";
    tx.one(sql, args![user, OVERHEAD])
}

/// Makes an upload visible, with its name and type. [`Error::NotFound`] when it was dropped meanwhile.
pub fn complete(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    upload: &Upload,
    pieces: u64,
    at: Timestamp,
) -> Result<()> {
    let Upload { id, name, mime_type, size, text } = upload;
    let body = UploadBody {
        name: name.clone(),
        mime_type: mime_type.clone(),
        size: *size,
        pieces,
        text: text.clone(),
    };
    let sealed = key.seal_json(place(id), &body)?;
    let sql = "UPDATE uploads SET complete = 1, body = $3, created_at = $4 \
               WHERE id = $1 AND user_id = $2 AND complete = 0 AND size = $5 AND pieces = $6";
    let changed = tx.run(sql, args![*id, user, sealed, at, *size, pieces])?;
    if changed == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// Takes back an upload that did not come to its end.
pub fn abandon(tx: &mut Tx, user: UserId, id: UploadId) -> Result<()> {
    let sql = "DELETE FROM uploads WHERE id = $1 AND user_id = $2 AND complete = 0";
    tx.run(sql, args![id, user])?;
    Ok(())
}

/// Those of these uploads that are there and the user's, in no particular order.
pub fn find(tx: &mut Tx, key: &DataKey, user: UserId, ids: &[UploadId]) -> Result<Vec<StoredUpload>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = args![user];
    let mut places = Vec::with_capacity(ids.len());
    for id in ids {
        values.extend(args![*id]);
        places.push(format!("${}", values.len()));
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM uploads u WHERE u.user_id = $1 AND u.complete = 1 AND u.id IN ({})",
        places.join(", ")
    );
    tx.all::<UploadRow>(&sql, values)?.into_iter().map(|row| row.open(key)).collect()
}

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: UploadId) -> Result<Option<StoredUpload>> {
    Ok(find(tx, key, user, &[id])?.pop())
}

/// One piece of a file. The key opens only its owner's.
pub fn piece(tx: &mut Tx, key: &DataKey, id: UploadId, position: u64) -> Result<Vec<u8>> {
    let sql = "SELECT data FROM upload_pieces WHERE upload_id = $1 AND position = $2";
    let sealed: Vec<u8> = tx.one(sql, args![id, position])?;
    key.open(CellPlace::new("upload_pieces", "data", &PiecePlace(&id, position)), &sealed)
}

/// All bytes of a file, for one that is known to be small.
pub fn bytes(tx: &mut Tx, key: &DataKey, stored: &StoredUpload) -> Result<Vec<u8>> {
    let mut whole = Vec::new();
    for position in 0..stored.pieces {
        whole.extend(piece(tx, key, stored.upload.id, position)?);
    }
    Ok(whole)
}

/// Binds a piece of the text of a file to its file and its place in it.
fn text_place<'a>(place: &'a PiecePlace<'a>) -> CellPlace<'a> {
    CellPlace::new("upload_texts", "data", place)
}

/// Keeps the text that was read of a file: the list of its parts, then the words, in pieces.
pub fn keep_text(tx: &mut Tx, key: &DataKey, id: UploadId, pieces: &[Vec<u8>]) -> Result<()> {
    for (position, data) in (0_u64..).zip(pieces) {
        let sealed = key.seal(text_place(&PiecePlace(&id, position)), data)?;
        let sql = "INSERT INTO upload_texts (upload_id, position, data) VALUES ($1, $2, $3)";
        tx.run(sql, args![id, position, sealed])?;
    }
    Ok(())
}

/// One piece of the text; none where there is none.
pub fn text_piece(tx: &mut Tx, key: &DataKey, id: UploadId, position: u64) -> Result<Option<Vec<u8>>> {
    let sql = "SELECT data FROM upload_texts WHERE upload_id = $1 AND position = $2";
    let sealed: Option<Vec<u8>> = tx.maybe(sql, args![id, position])?;
    sealed.map(|sealed| key.open(text_place(&PiecePlace(&id, position)), &sealed)).transpose()
}

/// The files that a session shows, the newest first, each with where it comes from.
pub fn of_session(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    most: u32,
) -> Result<Vec<(StoredUpload, Label)>> {
    let sql = format!(
        "SELECT {COLUMNS}, o.label FROM upload_uses o JOIN uploads u ON u.id = o.upload_id \
         WHERE o.session_id = $1 AND u.complete = 1 ORDER BY u.created_at DESC, u.id DESC LIMIT $2"
    );
    let rows: Vec<UsedRow> = tx.all(&sql, args![session, most])?;
    rows.into_iter()
        .map(|UsedRow { id, size, pieces, body, label }| {
            Ok((UploadRow { id, size, pieces, body }.open(key)?, label_from(label)))
        })
        .collect()
}

/// The files of a folder, the newest first, each with where it comes from.
pub fn of_folder(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    folder: FolderId,
    most: u32,
) -> Result<Vec<(StoredUpload, Label)>> {
    let sql = format!(
        "SELECT {COLUMNS}, o.label FROM folder_files o JOIN uploads u ON u.id = o.upload_id \
         WHERE o.folder_id = $1 AND u.user_id = $2 AND u.complete = 1 ORDER BY o.added_at DESC, u.id DESC LIMIT $3"
    );
    let rows: Vec<UsedRow> = tx.all(&sql, args![folder, user, most])?;
    rows.into_iter()
        .map(|UsedRow { id, size, pieces, body, label }| {
            Ok((UploadRow { id, size, pieces, body }.open(key)?, label_from(label)))
        })
        .collect()
}

/// The worst label under which a message or a folder shows this upload; of none, the best there is.
pub fn worst_use(tx: &mut Tx, upload: UploadId) -> Result<Label> {
    let sql = "SELECT label FROM upload_uses WHERE upload_id = $1 UNION \
               SELECT label FROM folder_files WHERE upload_id = $1";
    let labels: Vec<i64> = tx.all(sql, args![upload])?;
    Ok(Label::worst(labels.into_iter().map(label_from)))
}

/// The worst label of all files that a session shows or that its folder has; of none, the best there is.
pub fn worst(tx: &mut Tx, session: SessionId) -> Result<Label> {
    let sql = "SELECT label FROM upload_uses WHERE session_id = $1 UNION \
               SELECT f.label FROM sessions s JOIN folder_files f ON f.folder_id = s.folder_id WHERE s.id = $1";
    let labels: Vec<i64> = tx.all(sql, args![session])?;
    Ok(Label::worst(labels.into_iter().map(label_from)))
}

/// Notes that a session shows these uploads. [`Error::NotFound`] when one of them is not there or not the user's, or
/// was unused since before `fresh`: then it may be dropped at any moment.
pub fn use_in(
    tx: &mut Tx,
    user: UserId,
    session: SessionId,
    ids: &[UploadId],
    label: Label,
    fresh: Timestamp,
) -> Result<()> {
    for id in ids {
        let sql = "INSERT INTO upload_uses (upload_id, session_id, label) \
                   SELECT u.id, $3, CAST($5 AS BIGINT) FROM uploads u WHERE u.id = $1 AND u.user_id = $2 AND u.complete = 1 \
                   AND (u.created_at > $4 OR EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = u.id) \
                     OR EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = u.id)) \
                   ON CONFLICT (upload_id, session_id) DO UPDATE SET label = upload_uses.label | excluded.label";
        if tx.run(sql, args![*id, user, session, fresh, label_bits(label)])? > 0 {
            continue;
        }
        let known = "SELECT COUNT(*) FROM upload_uses WHERE upload_id = $1 AND session_id = $2";
        if tx.one::<u64>(known, args![*id, session])? == 0 {
            return Err(Error::NotFound);
        }
    }
    Ok(())
}

/// Drops a file that no session shows and no folder has.
pub(crate) fn drop_unused(tx: &mut Tx, user: UserId, id: UploadId) -> Result<()> {
    let sql = "DELETE FROM uploads WHERE id = $1 AND user_id = $2 \
               AND NOT EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = $1) \
               AND NOT EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = $1)";
    tx.run(sql, args![id, user]).map(drop)
}

/// Drops at most `most` files that came before and that no session shows and no folder has, and what never came to its end.
/// Says how many.
pub fn prune(tx: &mut Tx, before: Timestamp, most: u32) -> Result<u64> {
    let sql = "DELETE FROM uploads WHERE id IN (SELECT u.id FROM uploads u WHERE u.created_at < $1 \
               AND NOT EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = u.id) \
               AND NOT EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = u.id) \
               ORDER BY u.created_at LIMIT $2)";
    tx.run(sql, args![before, most])
}
