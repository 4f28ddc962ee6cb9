//! Backups: made when the owner asks or when it is time, listed, and thinned out.

use crate::{
    engine::Engine,
    error::{Error, Result},
    upkeep::backup_retention,
};
use chrono::NaiveDateTime;
use domain::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    fs, io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use store::backup::{self, Manifest, Progress};

const START: &str = "majordomo-";
const END: &str = ".backup";
/// How the backup before a change of the schema begins.
const BEFORE_MIGRATION: &str = "before-version-";
/// What backups under way are called: the file that is being written, and the database in which it is tried.
const DRAFTS: [&str; 4] = [
    ".backup.partial",
    ".backup.partial.checking",
    ".backup.partial.checking-wal",
    ".backup.partial.checking-shm",
];
/// A draft that no node has written to for so long is what is left of a backup that was cut off.
const LEFT: Duration = Duration::from_secs(12 * 3_600);
const FORM: &str = "%Y%m%dT%H%M%S%3fZ";

/// A backup as people see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Backup {
    /// Of its file.
    pub name: String,
    pub status: BackupStatus,
    pub made_at: Timestamp,
    pub bytes: u64,
    pub rows: u64,
    /// How many rows are done, while it is being made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<u64>,
    /// `sqlite` or `postgres`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<u64>,
    /// One number for all that is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupStatus {
    Reading,
    Checking,
    Restoring,
    /// It was restored into a temporary database, which had the same contents.
    Verified,
    Damaged,
}

/// The one backup that is being made.
#[derive(Default)]
pub(crate) struct BackupState(Mutex<Option<Underway>>);

#[derive(Clone)]
struct Underway {
    name: String,
    made_at: Timestamp,
    progress: Arc<Progress>,
}

/// Lets the state go, whatever became of the backup.
struct BackupSlot<'a>(&'a BackupState);

impl Drop for BackupSlot<'_> {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl BackupState {
    fn take(&self, underway: Underway) -> Result<BackupSlot<'_>> {
        let mut underway_now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if underway_now.is_some() {
            return Err(Error::conflict(
                "backup_running",
                "A backup is already being made. Wait until it has ended.",
            ));
        }
        *underway_now = Some(underway);
        Ok(BackupSlot(self))
    }

    fn underway(&self) -> Option<Underway> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Engine {
    /// Makes a backup in the usual folder, or at a place that the operator of this machine named.
    /// It is whole and verified when this returns.
    pub async fn make_backup(&self, place: Option<PathBuf>) -> Result<Backup> {
        let engine = self.clone();
        self.undisturbed(async move { engine.backup_now(place).await }).await
    }

    async fn backup_now(&self, place: Option<PathBuf>) -> Result<Backup> {
        let made_at = self.now();
        let path = match place {
            Some(path) if !path.is_absolute() => {
                return Err(Error::invalid("bad_path", "path must begin with /."));
            }
            Some(path) => path,
            None => self.backup_folder()?.join(file_name(made_at)),
        };
        let progress = Arc::new(Progress::default());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let state = self.state::<BackupState>();
        let _place = state.take(Underway { name: name.clone(), made_at, progress: progress.clone() })?;
        // No other process makes one: what is there is what is left of one that was cut off.
        self.clear_drafts().await;
        let mut work = std::pin::pin!(backup::make(self.store(), &path, made_at, &progress));
        let made = tokio::select! {
            made = &mut work => made,
            () = self.inner.halt.cancelled() => {
                progress.cancel();
                work.await
            }
        };
        let manifest = made.map_err(backup_problem)?;
        tracing::info!(rows = manifest.rows, "a backup was made and verified");
        Ok(verified(name, size(&path), manifest))
    }

    /// Removes what is left in the usual folder of backups that were cut off. Under the lock of the house: its caller is the start, or
    /// has the place of the one backup that is being made, and has not begun its draft.
    pub(crate) async fn clear_drafts(&self) {
        let Some(folder) = self.inner.settings.backups.folder.clone() else { return };
        // The folder may be another node's, too, which is writing a draft into it.
        let untouched = if self.has_other_nodes() { LEFT } else { Duration::ZERO };
        if !matches!(tokio::task::spawn_blocking(move || clear_drafts(&folder, untouched)).await, Ok(Ok(())))
        {
            tracing::warn!("what is left of a backup could not be removed; it is tried again");
        }
    }

    /// The folder of backups, made if it is not there.
    fn backup_folder(&self) -> Result<PathBuf> {
        let folder = self.inner.settings.backups.folder.clone();
        let folder = folder.ok_or_else(|| {
            Error::conflict(
                "no_backup_folder",
                "No backup folder is set. Set backup.folder in majordomo.toml.",
            )
        })?;
        let made = match fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder) {
            Err(error) => Err(error),
            Ok(()) => Ok(folder.clone()),
        };
        made.map_err(|error| {
            let detail = format!("The backup folder {} cannot be created: {error}.", folder.display());
            Error::conflict("no_backup_folder", detail)
        })
    }

    /// The backups of the usual folder, the newest first; the one that is being made before them.
    pub async fn backups(&self) -> Result<Vec<Backup>> {
        let underway = self.state::<BackupState>().underway().map(shown);
        let Some(folder) = self.inner.settings.backups.folder.clone() else {
            return Ok(underway.into_iter().collect());
        };
        let listed =
            tokio::task::spawn_blocking(move || listed(&folder)).await.map_err(|_| Error::Internal)?;
        Ok(underway.into_iter().chain(listed).collect())
    }

    /// When the newest backup of the usual folder was made.
    pub(crate) async fn newest_backup(&self) -> Option<Timestamp> {
        let folder = self.inner.settings.backups.folder.clone()?;
        tokio::task::spawn_blocking(move || files(&folder).into_iter().map(|(at, _)| at).max()).await.ok()?
    }

    /// Removes the backups that need not be kept.
    pub(crate) async fn thin_out_backups(&self) {
        let settings = &self.inner.settings.backups;
        let Some(folder) = settings.folder.clone().filter(|_| settings.thin_out) else { return };
        let thinned = tokio::task::spawn_blocking(move || thin_out(&folder)).await;
        if !matches!(thinned, Ok(Ok(()))) {
            tracing::warn!("old backups could not be removed; it is tried again");
        }
    }
}

fn thin_out(folder: &Path) -> io::Result<()> {
    let files = files(folder);
    let made: Vec<Timestamp> = files.iter().map(|(at, _)| *at).collect();
    let surplus = backup_retention::surplus(&made);
    for (_, path) in files.iter().filter(|(at, _)| surplus.contains(at)) {
        fs::remove_file(path)?;
        tracing::info!("an old backup was removed");
    }
    Ok(())
}

/// Only what carries a name of ours, and of what was never finished.
fn clear_drafts(folder: &Path, untouched: Duration) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let of_ours = name.starts_with(START) || name.starts_with(BEFORE_MIGRATION);
        if of_ours && DRAFTS.iter().any(|end| name.ends_with(end)) && is_left(&path, untouched) {
            fs::remove_file(&path)?;
            tracing::info!("what was left of a backup that was cut off was removed");
        }
    }
    Ok(())
}

/// Was it not written for so long? One that is going to be written by another node in this moment is not there, or is new.
fn is_left(path: &Path, untouched: Duration) -> bool {
    let written = fs::metadata(path).and_then(|found| found.modified());
    untouched.is_zero() || written.is_ok_and(|at| at.elapsed().is_ok_and(|since| since > untouched))
}

fn listed(folder: &Path) -> Vec<Backup> {
    let mut files = files(folder);
    files.sort();
    files.into_iter().rev().map(|(made_at, path)| look(made_at, &path)).collect()
}

fn look(made_at: Timestamp, path: &Path) -> Backup {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match backup::manifest(path) {
        Ok(manifest) => verified(name, size(path), manifest),
        Err(error) => Backup {
            name,
            status: BackupStatus::Damaged,
            made_at,
            bytes: size(path),
            rows: 0,
            done: None,
            kind: None,
            schema_version: None,
            checksum: None,
            problem: Some(error.to_string()),
        },
    }
}

fn verified(name: String, bytes: u64, manifest: Manifest) -> Backup {
    Backup {
        name,
        status: BackupStatus::Verified,
        made_at: manifest.made_at,
        bytes,
        rows: manifest.rows,
        done: None,
        schema_version: Some(manifest.schema_version()),
        kind: Some(manifest.kind),
        checksum: Some(manifest.checksum),
        problem: None,
    }
}

fn shown(underway: Underway) -> Backup {
    let (stage, done, total) = underway.progress.read();
    let status = match stage {
        backup::Stage::Reading => BackupStatus::Reading,
        backup::Stage::Checking => BackupStatus::Checking,
        backup::Stage::Restoring => BackupStatus::Restoring,
    };
    Backup {
        name: underway.name,
        status,
        made_at: underway.made_at,
        bytes: 0,
        rows: total,
        done: Some(done),
        kind: None,
        schema_version: None,
        checksum: None,
        problem: None,
    }
}

/// Only what carries a name of ours counts, so nothing else is ever removed.
fn files(folder: &Path) -> Vec<(Timestamp, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter_map(|path| Some((made_at(path.file_name()?.to_str()?)?, path))).collect()
}

fn file_name(made_at: Timestamp) -> String {
    format!("{START}{}{END}", made_at.to_utc().format(FORM))
}

fn made_at(name: &str) -> Option<Timestamp> {
    let moment = name.strip_prefix(START)?.strip_suffix(END)?;
    let parsed = NaiveDateTime::parse_from_str(moment, FORM).ok()?;
    Some(Timestamp::from_millis(parsed.and_utc().timestamp_millis()))
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map(|found| found.len()).unwrap_or_default()
}

fn backup_problem(error: store::Error) -> Error {
    match error {
        store::Error::Backup(detail) => Error::conflict("backup_failed", detail),
        other => other.into(),
    }
}

#[cfg(test)]
#[path = "backups_tests.rs"]
mod tests;
