//! The files of a session: rows that are found by keyed digests of their paths, sealed names and contents included.

mod apply;
mod change;

pub use apply::{Applied, Leavings, apply};
pub use change::{Change, Copied, Limits, Prepared, delete, insert_copies, write};

use crate::{
    DataKey, Error, Result, Tx, args,
    crypto::seal::CellPlace,
    database::row::row,
    sessions::{label_bits, label_from},
};
use domain::{FileInfo, FilePath, FileRefusal, Label, SessionId, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};

/// More than a session can have; a listing that would be longer is cut.
const MOST_ROWS: u32 = 100_000;

/// Which writing of a file it is. Each is sealed anew, so that no two are alike, not even of the same words at the same moment.
#[derive(Clone, PartialEq, Eq)]
pub struct Version(Vec<u8>);

/// What was there at some moment.
pub type Versions = BTreeMap<FilePath, Version>;

/// By which a path of a session is found. Without the person's key a thief cannot try paths out, and the same path looks
/// different in each session.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Index([u8; 32]);

impl Index {
    fn of(key: &DataKey, session: SessionId, path: &FilePath) -> Result<Self> {
        let parts = [session.to_string(), path.to_string()];
        key.index("session_files.path", &[parts[0].as_bytes(), parts[1].as_bytes()]).map(Self)
    }
}

/// Binds a value to its session and its path.
struct Row(SessionId, Index);

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.0)?;
        self.1.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What is known of a file. Kind and size stand here once more, where they cannot be changed.
#[derive(Serialize, Deserialize)]
struct Head {
    path: FilePath,
    is_directory: bool,
    is_readonly: bool,
    size: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Head {
    fn seal(&self, key: &DataKey, row: &Row) -> Result<Vec<u8>> {
        key.seal_json(CellPlace::new("session_files", "head", row), self)
    }

    fn into_info(self, label: Label) -> FileInfo {
        FileInfo {
            label,
            name: self.path.name().to_owned(),
            path: self.path,
            is_directory: self.is_directory,
            is_readonly: self.is_readonly,
            size_bytes: self.size,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

row! {
    struct FileRow {
        path_index: [u8; 32],
        folder_index: [u8; 32],
        is_directory: bool,
        size: u64,
        label: i64,
        head: Vec<u8>,
    }
}

const COLUMNS: &str = "path_index, folder_index, is_directory, size, label, head";

impl FileRow {
    fn open(self, key: &DataKey, session: SessionId) -> Result<FileInfo> {
        let row = Row(session, Index(self.path_index));
        let place = CellPlace::new("session_files", "head", &row);
        let head: Head = key.open_json(place, &self.head)?;
        if (head.is_directory, head.size) != (self.is_directory, self.size) {
            return Err(place.refused());
        }
        Ok(head.into_info(label_from(self.label)))
    }
}

/// When the session was made; [`Error::NotFound`] when it is not there or another person's.
pub fn session(tx: &mut Tx, user: UserId, session: SessionId) -> Result<Timestamp> {
    let sql = "SELECT created_at FROM sessions WHERE id = $1 AND user_id = $2";
    tx.maybe(sql, args![session, user])?.ok_or(Error::NotFound)
}

/// The worst label of all files of a session; of none, the best there is.
pub fn worst(tx: &mut Tx, session: SessionId) -> Result<Label> {
    let sql = "SELECT DISTINCT label FROM session_files WHERE session_id = $1";
    let labels: Vec<i64> = tx.all(sql, args![session])?;
    Ok(Label::worst(labels.into_iter().map(label_from)))
}

/// As [`session`], and no other transaction changes its files until this transaction has ended.
fn lock(tx: &mut Tx, user: UserId, session: SessionId) -> Result<()> {
    let sql = "UPDATE sessions SET archived = archived WHERE id = $1 AND user_id = $2";
    if tx.run(sql, args![session, user])? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// Those of these paths that are there, in no particular order.
fn find(tx: &mut Tx, key: &DataKey, session: SessionId, paths: &[FilePath]) -> Result<Vec<FileInfo>> {
    let mut values = args![session];
    let mut places = Vec::with_capacity(paths.len());
    for path in paths {
        values.extend(args![Index::of(key, session, path)?.0]);
        places.push(format!("${}", values.len()));
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM session_files WHERE session_id = $1 AND path_index IN ({})",
        places.join(", ")
    );
    tx.all::<FileRow>(&sql, values)?.into_iter().map(|row| row.open(key, session)).collect()
}

/// What is at a path. The root is always there, and as old as the session.
pub fn stat(tx: &mut Tx, key: &DataKey, session_id: SessionId, path: &FilePath) -> Result<Option<FileInfo>> {
    let born = session(tx, key.owner(), session_id)?;
    if path.is_root() {
        let head = Head {
            path: FilePath::root(),
            is_directory: true,
            is_readonly: false,
            size: 0,
            created_at: born,
            updated_at: born,
        };
        return Ok(Some(head.into_info(Label::TRUSTED_PUBLIC)));
    }
    Ok(find(tx, key, session_id, std::slice::from_ref(path))?.pop())
}

/// A file with its bytes, or why it cannot be read.
pub fn read(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    path: &FilePath,
) -> Result<std::result::Result<(FileInfo, Vec<u8>), FileRefusal>> {
    match stat(tx, key, session, path)? {
        None => Ok(Err(FileRefusal::Missing(path.clone()))),
        Some(info) if info.is_directory => Ok(Err(FileRefusal::IsDirectory(path.clone()))),
        Some(info) => Ok(Ok((info, bytes(tx, key, session, path)?))),
    }
}

/// The bytes of a file that is known to be there.
pub fn bytes(tx: &mut Tx, key: &DataKey, session: SessionId, path: &FilePath) -> Result<Vec<u8>> {
    let index = Index::of(key, session, path)?;
    let sql = "SELECT content FROM session_files WHERE session_id = $1 AND path_index = $2";
    let sealed: Vec<u8> = tx.one(sql, args![session, index.0])?;
    key.open(CellPlace::new("session_files", "content", &Row(session, index)), &sealed)
}

/// What is in a folder, by name, or why it cannot be listed.
pub fn list(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    folder: &FilePath,
) -> Result<std::result::Result<Vec<FileInfo>, FileRefusal>> {
    match stat(tx, key, session, folder)? {
        None => return Ok(Err(FileRefusal::Missing(folder.clone()))),
        Some(info) if !info.is_directory => return Ok(Err(FileRefusal::NotDirectory(folder.clone()))),
        Some(_) => {}
    }
    let index = Index::of(key, session, folder)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM session_files WHERE session_id = $1 AND folder_index = $2 \
         ORDER BY path_index LIMIT $3"
    );
    let rows: Vec<FileRow> = tx.all(&sql, args![session, index.0, MOST_ROWS])?;
    by_path(rows, key, session).map(Ok)
}

/// Every file and folder of a session, by path.
pub fn all(tx: &mut Tx, key: &DataKey, session_id: SessionId) -> Result<Vec<FileInfo>> {
    by_path(every(tx, key, session_id)?, key, session_id)
}

/// As [`all`], with which writing of each it is.
pub fn all_with_versions(
    tx: &mut Tx,
    key: &DataKey,
    session_id: SessionId,
) -> Result<(Vec<FileInfo>, Versions)> {
    let (mut rows, mut versions) = (Vec::new(), Versions::new());
    for row in every(tx, key, session_id)? {
        let version = Version(row.head.clone());
        let info = row.open(key, session_id)?;
        versions.insert(info.path.clone(), version);
        rows.push(info);
    }
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((rows, versions))
}

fn every(tx: &mut Tx, key: &DataKey, session_id: SessionId) -> Result<Vec<FileRow>> {
    session(tx, key.owner(), session_id)?;
    let sql =
        format!("SELECT {COLUMNS} FROM session_files WHERE session_id = $1 ORDER BY path_index LIMIT $2");
    tx.all(&sql, args![session_id, MOST_ROWS])
}

fn by_path(rows: Vec<FileRow>, key: &DataKey, session: SessionId) -> Result<Vec<FileInfo>> {
    let mut found: Vec<FileInfo> =
        rows.into_iter().map(|row| row.open(key, session)).collect::<Result<_>>()?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
