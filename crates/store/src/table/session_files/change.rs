//! Writing and deleting files, inside the caller's transaction. What is refused has changed nothing.

use super::{COLUMNS, FileRow, Head, Index, MOST_ROWS, Row, find, label_bits, lock};
use crate::{Arg, DataKey, Result, Tx, args, crypto::seal::CellPlace, sessions};
use domain::{FileInfo, FilePath, FileRefusal, Label, SessionId, Timestamp};
use std::collections::HashMap;

/// Rows per statement.
const AT_ONCE: usize = 100;

/// What the files of one session may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// One file, in bytes.
    pub file_bytes: u64,
    /// All of them together, in bytes.
    pub session_bytes: u64,
    /// Files and folders.
    pub entries: u64,
}

/// A file that is about to be written, sealed before the transaction begins: sealing takes its time, and a transaction that writes
/// holds everybody else up.
#[derive(Clone)]
pub struct Prepared {
    session: SessionId,
    pub(super) path: FilePath,
    pub(super) size: u64,
    pub(super) sealed: Vec<u8>,
}

impl Prepared {
    pub fn new(key: &DataKey, session: SessionId, path: FilePath, content: &[u8]) -> Result<Self> {
        let row = Row(session, Index::of(key, session, &path)?);
        let sealed = key.seal(CellPlace::new("session_files", "content", &row), content)?;
        Ok(Self { session, path, size: u64::try_from(content.len()).unwrap_or(u64::MAX), sealed })
    }
}

impl Prepared {
    /// The same words at another path, which they are bound to from then on.
    pub(super) fn moved(&self, key: &DataKey, path: FilePath) -> Result<Self> {
        let row = Row(self.session, Index::of(key, self.session, &self.path)?);
        let content = key.open(CellPlace::new("session_files", "content", &row), &self.sealed)?;
        Self::new(key, self.session, path, &content)
    }
}

/// How a file is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub limits: Limits,
    /// Whether it is read-only afterwards; where nothing is said, it must not be, and is not.
    pub read_only: Option<bool>,
    /// Where what is written comes from. Nothing of what was there before is left, so neither is its label.
    pub label: Label,
    pub at: Timestamp,
}

/// Writes a file, and the folders that it is in. Says whether it is new.
pub fn write(
    tx: &mut Tx,
    key: &DataKey,
    file: Prepared,
    change: Change,
) -> Result<std::result::Result<(FileInfo, bool), FileRefusal>> {
    let Prepared { session, path, size, sealed } = file;
    lock(tx, key.owner(), session)?;
    if path.is_root() {
        return Ok(Err(FileRefusal::Root));
    }
    let mut paths = path.folders();
    paths.push(path.clone());
    let mut known: HashMap<FilePath, FileInfo> =
        find(tx, key, session, &paths)?.into_iter().map(|info| (info.path.clone(), info)).collect();
    let old = known.remove(&path);
    let folders: Vec<FilePath> = path.folders().into_iter().filter(|f| !known.contains_key(f)).collect();
    let blocked = known.into_values().find(|info| !info.is_directory);
    let refused = match (&old, blocked) {
        (_, Some(file)) => Some(FileRefusal::NotDirectory(file.path)),
        (Some(info), _) if info.is_directory => Some(FileRefusal::IsDirectory(path.clone())),
        (Some(info), _) if info.is_readonly && change.read_only.is_none() => {
            Some(FileRefusal::ReadOnly(path.clone()))
        }
        _ => room(tx, session, old.as_ref(), size, folders.len(), change.limits)?,
    };
    if let Some(refused) = refused {
        return Ok(Err(refused));
    }
    let mut rows = Vec::with_capacity(folders.len());
    for folder in folders {
        rows.push((new_head(folder, true, change, 0, None), change.label, None));
    }
    insert(tx, key, session, rows)?;
    let created = old.is_none();
    let head = new_head(path, false, change, size, old);
    put(tx, key, session, &head, change.label, sealed)?;
    sessions::taint(tx, session, change.label)?;
    Ok(Ok((head.into_info(change.label), created)))
}

pub(super) fn new_head(
    path: FilePath,
    is_directory: bool,
    change: Change,
    size: u64,
    old: Option<FileInfo>,
) -> Head {
    Head {
        path,
        is_directory,
        is_readonly: !is_directory && change.read_only.unwrap_or(false),
        size,
        created_at: old.map_or(change.at, |info| info.created_at),
        updated_at: change.at,
    }
}

/// Is there no room for it?
fn room(
    tx: &mut Tx,
    session: SessionId,
    old: Option<&FileInfo>,
    size: u64,
    folders: usize,
    limits: Limits,
) -> Result<Option<FileRefusal>> {
    if size > limits.file_bytes {
        return Ok(Some(FileRefusal::TooLarge(limits.file_bytes)));
    }
    let sql =
        "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM session_files WHERE session_id = $1";
    let (count, bytes): (u64, u64) = tx.one(sql, args![session])?;
    let replaced = old.map_or(0, |info| info.size_bytes);
    if bytes.saturating_sub(replaced).saturating_add(size) > limits.session_bytes {
        return Ok(Some(FileRefusal::NoRoom(limits.session_bytes)));
    }
    let new = u64::from(old.is_none()).saturating_add(u64::try_from(folders).unwrap_or(u64::MAX));
    let full = new > 0 && count.saturating_add(new) > limits.entries;
    Ok(full.then_some(FileRefusal::TooMany(limits.entries)))
}

pub(super) fn put(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    head: &Head,
    label: Label,
    sealed: Vec<u8>,
) -> Result<()> {
    let mut values = columns(key, session, head)?;
    values.extend(args![label_bits(label), sealed]);
    let sql = "INSERT INTO session_files \
               (session_id, path_index, folder_index, is_directory, size, head, label, content) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
               ON CONFLICT (session_id, path_index) DO UPDATE \
               SET size = excluded.size, head = excluded.head, label = excluded.label, \
                   content = excluded.content";
    tx.run(sql, values)?;
    Ok(())
}

fn columns(key: &DataKey, session: SessionId, head: &Head) -> Result<Vec<Arg>> {
    let index = Index::of(key, session, &head.path)?;
    let folder = Index::of(key, session, &head.path.parent().unwrap_or_else(FilePath::root))?;
    let sealed = head.seal(key, &Row(session, index))?;
    Ok(args![session, index.0, folder.0, head.is_directory, head.size, sealed])
}

pub(super) fn insert(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    rows: Vec<(Head, Label, Option<Vec<u8>>)>,
) -> Result<()> {
    let head = "INSERT INTO session_files \
                (session_id, path_index, folder_index, is_directory, size, head, label, content)";
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let mut values = Vec::new();
        for (row, label, content) in rows.by_ref().take(AT_ONCE) {
            values.extend(columns(key, session, &row)?);
            values.extend(args![label_bits(label), content]);
        }
        tx.insert(head, 8, values)?;
    }
    Ok(())
}

/// Deletes a file or a folder. Says how many rows went.
pub fn delete(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    path: &FilePath,
    recursive: bool,
) -> Result<std::result::Result<u64, FileRefusal>> {
    lock(tx, key.owner(), session)?;
    if path.is_root() {
        return Ok(Err(FileRefusal::Root));
    }
    let Some(top) = find(tx, key, session, std::slice::from_ref(path))?.pop() else {
        return Ok(Err(FileRefusal::Missing(path.clone())));
    };
    let below = if top.is_directory { below(tx, key, session, path)? } else { Vec::new() };
    if !below.is_empty() && !recursive {
        return Ok(Err(FileRefusal::NotEmpty(path.clone())));
    }
    if let Some(kept) = below.iter().chain([&top]).find(|info| info.is_readonly) {
        return Ok(Err(FileRefusal::ReadOnly(kept.path.clone())));
    }
    let doomed: Vec<FilePath> = below.into_iter().chain([top]).map(|info| info.path).collect();
    remove(tx, key, session, &doomed)?;
    Ok(Ok(u64::try_from(doomed.len()).unwrap_or(u64::MAX)))
}

pub(super) fn remove(tx: &mut Tx, key: &DataKey, session: SessionId, doomed: &[FilePath]) -> Result<()> {
    for some in doomed.chunks(AT_ONCE) {
        let mut values = args![session];
        let mut places = Vec::with_capacity(some.len());
        for path in some {
            values.extend(args![Index::of(key, session, path)?.0]);
            places.push(format!("${}", values.len()));
        }
        let sql = format!(
            "DELETE FROM session_files WHERE session_id = $1 AND path_index IN ({})",
            places.join(", ")
        );
        tx.run(&sql, values)?;
    }
    Ok(())
}

/// Everything below a folder, found by going down: one look at the rows, and no path is opened that is not below.
fn below(tx: &mut Tx, key: &DataKey, session: SessionId, folder: &FilePath) -> Result<Vec<FileInfo>> {
    let sql =
        format!("SELECT {COLUMNS} FROM session_files WHERE session_id = $1 ORDER BY path_index LIMIT $2");
    let rows: Vec<FileRow> = tx.all(&sql, args![session, MOST_ROWS])?;
    let mut children: HashMap<[u8; 32], Vec<FileRow>> = HashMap::new();
    for row in rows {
        children.entry(row.folder_index).or_default().push(row);
    }
    let mut found = Vec::new();
    let mut open = vec![Index::of(key, session, folder)?.0];
    while let Some(index) = open.pop() {
        for row in children.remove(&index).unwrap_or_default() {
            open.push(row.path_index);
            found.push(row.open(key, session)?);
        }
    }
    Ok(found)
}

/// What a row takes besides its content, about.
const ROW_BYTES: usize = 1_024;

/// The files of a session on their way into another one, sealed for it already.
pub struct Copied(SessionId, Vec<(Head, Label, Option<Vec<u8>>)>);

impl Copied {
    /// Reads all files of a session for another one of the same person.
    pub fn read(tx: &mut Tx, key: &DataKey, from: SessionId, to: SessionId) -> Result<Self> {
        let mut rows = Vec::new();
        for info in super::all(tx, key, from)? {
            let content = match info.is_directory {
                true => None,
                false => {
                    let bytes = super::bytes(tx, key, from, &info.path)?;
                    Some(Prepared::new(key, to, info.path.clone(), &bytes)?.sealed)
                }
            };
            let FileInfo {
                path,
                is_directory,
                is_readonly,
                size_bytes: size,
                label,
                created_at,
                updated_at,
                ..
            } = info;
            let head = Head { path, is_directory, is_readonly, size, created_at, updated_at };
            rows.push((head, label, content));
        }
        Ok(Self(to, rows))
    }

    /// In pieces of about so many bytes each.
    pub fn pieces(self, bytes: usize) -> Vec<Self> {
        let mut pieces: Vec<Self> = Vec::new();
        let mut held = 0_usize;
        for row in self.1 {
            let size = row.2.as_ref().map_or(0, Vec::len).saturating_add(ROW_BYTES);
            held = held.saturating_add(size);
            match pieces.last_mut() {
                Some(last) if held <= bytes => last.1.push(row),
                _ => {
                    held = size;
                    pieces.push(Self(self.0, vec![row]));
                }
            }
        }
        pieces
    }

    /// The worst among them.
    pub fn label(&self) -> Label {
        Label::worst(self.1.iter().map(|(_, label, _)| *label))
    }
}

/// Writes copies into their session, which has none of them yet.
pub fn insert_copies(tx: &mut Tx, key: &DataKey, copied: Copied) -> Result<()> {
    insert(tx, key, copied.0, copied.1)
}
