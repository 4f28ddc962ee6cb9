//! What a program run leaves behind, all of it or nothing. What another writer wrote meanwhile is not overwritten: what the
//! run wrote is kept beside it.

use super::{
    Change, Prepared, Versions, all_with_versions,
    change::{insert, new_head, put, remove},
    lock,
};
use crate::{DataKey, Result, Tx, sessions};
use domain::{FileInfo, FilePath, FileRefusal, SessionId};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// Files named where there is no room for them.
const NAMED: usize = 10;
/// Names that are tried for what cannot have its own.
const MOST_NAMES: usize = 100;

/// What has become of the files of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    pub written: Vec<FilePath>,
    pub deleted: Vec<FilePath>,
    /// These may not be changed, and are as they were.
    pub read_only: Vec<FilePath>,
    /// These were changed by another writer meanwhile; what was to be there is in the second.
    pub moved: Vec<(FilePath, FilePath)>,
    /// These, too, and are as the other writer left them.
    pub left: Vec<FilePath>,
}

/// What a run has made of the files that it was given.
pub struct Leavings {
    pub written: Vec<Prepared>,
    pub deleted: Vec<FilePath>,
    /// As they were when it was given them.
    pub since: Versions,
}

/// Writes and deletes files. What is refused is told in words that name the files, and has changed nothing.
pub fn apply(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    leavings: &Leavings,
    change: Change,
) -> Result<std::result::Result<Applied, String>> {
    let Leavings { written, deleted, since } = leavings;
    if written.is_empty() && deleted.is_empty() {
        return Ok(Ok(Applied::default()));
    }
    lock(tx, key.owner(), session)?;
    let (known, versions) = all_with_versions(tx, key, session)?;
    let mut plan = Plan {
        changed: versions
            .into_iter()
            .filter(|(at, now)| since.get(at) != Some(now))
            .map(|(at, _)| at)
            .collect(),
        known: known.into_iter().map(|info| (info.path.clone(), info)).collect(),
        claimed: written.iter().map(|file| file.path.clone()).collect(),
        ..Plan::default()
    };
    for path in deleted {
        plan.delete(path.clone());
    }
    let mut kept = Vec::with_capacity(written.len());
    for file in written {
        match plan.write(&file.path) {
            Some(path) if path == file.path => kept.push(Cow::Borrowed(file)),
            Some(path) => kept.push(Cow::Owned(file.moved(key, path)?)),
            None => {}
        }
    }
    if let Some(problem) = plan.problem(&kept, change) {
        return Ok(Err(problem));
    }
    let doomed: Vec<FilePath> = plan.applied.deleted.iter().chain(&plan.emptied).cloned().collect();
    remove(tx, key, session, &doomed)?;
    let folders = plan
        .folders
        .iter()
        .map(|folder| (new_head(folder.clone(), true, change, 0, None), change.label, None));
    insert(tx, key, session, folders.collect())?;
    for file in kept {
        let head = new_head(file.path.clone(), false, change, file.size, plan.known.get(&file.path).cloned());
        put(tx, key, session, &head, change.label, file.sealed.clone())?;
    }
    if !plan.applied.written.is_empty() {
        sessions::taint(tx, session, change.label)?;
    }
    plan.applied.written.sort();
    plan.applied.deleted.sort();
    Ok(Ok(plan.applied))
}

/// `report (from run).txt` for `report.txt`.
fn named_after(path: &FilePath, number: usize) -> Option<FilePath> {
    let name = path.name();
    let (stem, end) = match name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        Some((stem, end)) => (stem, format!(".{end}")),
        None => (name, String::new()),
    };
    let mark = if number == 1 { "from run".to_owned() } else { format!("from run {number}") };
    let folder =
        path.parent().filter(|folder| !folder.is_root()).map_or_else(String::new, |at| at.to_string());
    format!("{folder}/{stem} ({mark}){end}").parse().ok()
}

#[derive(Default)]
struct Plan {
    /// As it is before.
    known: BTreeMap<FilePath, FileInfo>,
    /// Written by another writer since the run began.
    changed: BTreeSet<FilePath>,
    /// What the run itself has written.
    claimed: BTreeSet<FilePath>,
    applied: Applied,
    /// Folders to be made.
    folders: BTreeSet<FilePath>,
    /// Folders in whose place there is a file now.
    emptied: BTreeSet<FilePath>,
}

impl Plan {
    fn delete(&mut self, path: FilePath) {
        match self.known.get(&path) {
            Some(info) if info.is_readonly => self.applied.read_only.push(path),
            Some(info) if !info.is_directory && self.changed.contains(&path) => self.applied.left.push(path),
            Some(info) if !info.is_directory => self.applied.deleted.push(path),
            // Gone already, or something else by now.
            _ => {}
        }
    }

    /// Where it is written; nowhere when what is there is to stay as it is.
    fn write(&mut self, wanted: &FilePath) -> Option<FilePath> {
        let there = self.known.get(wanted);
        if there.is_some_and(|info| info.is_readonly) {
            self.applied.read_only.push(wanted.clone());
            return None;
        }
        let path = match there {
            Some(info) if !info.is_directory && self.changed.contains(wanted) => self.beside(wanted)?,
            _ => wanted.clone(),
        };
        self.make_way(&path);
        self.applied.written.push(path.clone());
        Some(path)
    }

    /// THREAT[file-03]: whoever writes last would win unseen over somebody who wrote while a program ran.
    fn beside(&mut self, wanted: &FilePath) -> Option<FilePath> {
        let free = |path: &FilePath| !self.known.contains_key(path) && !self.claimed.contains(path);
        let Some(path) = (1..=MOST_NAMES).find_map(|number| named_after(wanted, number).filter(free)) else {
            self.applied.left.push(wanted.clone());
            return None;
        };
        self.claimed.insert(path.clone());
        self.applied.moved.push((wanted.clone(), path.clone()));
        Some(path)
    }

    fn make_way(&mut self, path: &FilePath) {
        if self.known.get(path).is_some_and(|info| info.is_directory) {
            let below = |known: &&FilePath| *known == path || known.folders().contains(path);
            self.emptied.extend(self.known.keys().filter(below).cloned());
        }
        let missing = path.folders().into_iter().filter(|folder| {
            let there = self.known.get(folder).is_some_and(|info| info.is_directory);
            !there || self.applied.deleted.contains(folder)
        });
        self.folders.extend(missing);
    }

    fn problem(&self, kept: &[Cow<'_, Prepared>], change: Change) -> Option<String> {
        let limits = change.limits;
        let gone = |path: &FilePath| self.applied.deleted.contains(path);
        if let Some(large) = kept.iter().find(|file| file.size > limits.file_bytes) {
            return Some(format!("{}: {}", large.path, FileRefusal::TooLarge(limits.file_bytes)));
        }
        // Another writer put a file in the place of a folder meanwhile, or the other way round.
        let blocked = |folder: &&FilePath| self.known.contains_key(*folder) && !gone(folder);
        if let Some(file) = self.folders.iter().find(blocked) {
            return Some(FileRefusal::NotDirectory(file.clone()).to_string());
        }
        let stays = |path: &FilePath| {
            let info = self.known.get(path);
            !gone(path) && info.is_some_and(|info| !info.is_directory || info.is_readonly)
        };
        if let Some(file) = self.emptied.iter().find(|path| stays(path)) {
            return Some(FileRefusal::NotEmpty(file.clone()).to_string());
        }
        let rewritten: BTreeSet<&FilePath> = kept.iter().map(|file| &file.path).collect();
        let others = self.known.values().filter(|info| {
            !gone(&info.path) && !rewritten.contains(&info.path) && !self.emptied.contains(&info.path)
        });
        let (mut count, mut bytes) = (0_u64, 0_u64);
        for info in others {
            (count, bytes) = (count + 1, bytes.saturating_add(info.size_bytes));
        }
        let new = u64::try_from(kept.len() + self.folders.len()).unwrap_or(u64::MAX);
        let refusal = match () {
            () if kept.iter().fold(bytes, |sum, file| sum.saturating_add(file.size))
                > limits.session_bytes =>
            {
                FileRefusal::NoRoom(limits.session_bytes)
            }
            () if new > 0 && count.saturating_add(new) > limits.entries => {
                FileRefusal::TooMany(limits.entries)
            }
            () => return None,
        };
        let names = kept.iter().take(NAMED).map(|file| file.path.to_string()).collect::<Vec<_>>().join(", ");
        let more =
            if kept.len() > NAMED { format!(" and {} more", kept.len() - NAMED) } else { String::new() };
        Some(format!("{refusal} ({names}{more})"))
    }
}
