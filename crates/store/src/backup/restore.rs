//! Restoring a backup: into a temporary database to see whether it is good, or into the real one.

use super::{ClosedAccess, Halted, Manifest, Progress, archive::Archive, load::load};
use crate::{
    Error, KeyRing, Result, Tx,
    database::{Address, Database, lite},
    durable_files::sync_folder_of,
    inspect,
};
use domain::Timestamp;
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// How a backup is restored.
#[derive(Clone, Debug)]
pub struct Restoring {
    /// One of them must be the backup's master key.
    pub keys: KeyRing,
    pub at: Timestamp,
    /// A database that is not empty is replaced; a SQLite file is kept beside the new one then.
    pub force: bool,
    /// API keys that counted when the backup was made count again.
    pub keep_keys: bool,
}

/// What came of restoring.
#[derive(Clone, Debug)]
pub struct Restored {
    pub manifest: Manifest,
    pub ended: ClosedAccess,
    pub halted: Halted,
    /// Where the database that was there before has been put.
    pub aside: Option<PathBuf>,
}

/// Is this backup good? Every byte is compared with its digest, and everything is restored into a temporary
/// database beside it.
pub async fn check(path: &Path, progress: &Arc<Progress>) -> Result<Manifest> {
    let scratch = beside(path, ".checking");
    let loaded = into_file(path, &scratch, None, progress).await;
    remove_database(&scratch).map_err(|error| misplaced(&scratch, &error))?;
    loaded.map(|(manifest, _)| manifest)
}

/// Compares every byte of a backup with its digest, and nothing more.
pub fn check_digests(path: &Path) -> Result<Manifest> {
    let mut archive = Archive::open(path)?;
    archive.check_parts(&Progress::default())?;
    Ok(archive.manifest)
}

/// Puts a backup in the place of a database. Nothing may be using it.
pub async fn restore(path: &Path, url: &str, how: &Restoring, progress: &Arc<Progress>) -> Result<Restored> {
    let found = inspect(url).await;
    if let Some(name) = found.as_ref().ok().and_then(|found| found.in_use_by.as_ref()) {
        return Err(Error::Backup(format!(
            "A server on {name} uses this database. Stop every server that uses it. If they are stopped already, wait until \
             their leases are over (limits.lease), and restore the backup then."
        )));
    }
    // A damaged database is what backups are there for.
    let is_empty = found.as_ref().is_ok_and(|found| found.is_empty);
    if !is_empty && !how.force {
        let problem = match found {
            Ok(_) => "The database is not empty. --force replaces everything in it.".to_owned(),
            Err(error) => format!("{error} --force replaces the database."),
        };
        return Err(Error::Backup(problem));
    }
    match Address::parse(url)? {
        Address::Lite(target) => {
            let draft = beside(&target, ".restoring");
            let loaded = into_file(path, &draft, Some(how), progress).await;
            let (manifest, (ended, halted)) = match loaded {
                Ok(loaded) => loaded,
                Err(error) => {
                    let _ = remove_database(&draft);
                    return Err(error);
                }
            };
            let aside = replace(&draft, &target).map_err(|error| misplaced(&target, &error))?;
            Ok(Restored { manifest, ended, halted, aside })
        }
        Address::Postgres(_) => {
            let (manifest, (ended, halted)) = into_database(path, url, Some(how), progress).await?;
            Ok(Restored { manifest, ended, halted, aside: None })
        }
    }
}

async fn into_file(
    path: &Path,
    file: &Path,
    how: Option<&Restoring>,
    progress: &Arc<Progress>,
) -> Result<(Manifest, (ClosedAccess, Halted))> {
    remove_database(file).map_err(|error| misplaced(file, &error))?;
    let name =
        file.to_str().ok_or_else(|| Error::Backup(format!("{} is not a usable path.", file.display())))?;
    into_database(path, &format!("sqlite:{name}"), how, progress).await
}

async fn into_database(
    path: &Path,
    url: &str,
    how: Option<&Restoring>,
    progress: &Arc<Progress>,
) -> Result<(Manifest, (ClosedAccess, Halted))> {
    let (opened, watched) = (path.to_owned(), progress.clone());
    let checked = tokio::task::spawn_blocking(move || {
        let mut archive = Archive::open(&opened)?;
        archive.check_parts(&watched).map(|()| archive)
    });
    let mut archive = checked.await.map_err(|_| Error::Panicked)??;
    let manifest = archive.manifest.clone();
    let database = Database::open(url).await?;
    let (how, watched) = (how.cloned(), progress.clone());
    let fill = move |tx: &mut Tx| load(tx, &mut archive, how.as_ref(), &watched);
    let filled = database.write(fill).await;
    database.close().await;
    filled.map(|stopped| (manifest, stopped))
}

/// Moves the old database aside and the new one in.
fn replace(draft: &Path, target: &Path) -> io::Result<Option<PathBuf>> {
    let mut aside = None;
    if fs::metadata(target).is_ok_and(|found| found.len() > 0) {
        lite::fold_log(target);
        let place = (1..).map(|number| beside(target, &format!(".before-restore-{number}")));
        let place = place.into_iter().find(|place| !place.exists()).unwrap_or_else(|| target.to_owned());
        for suffix in ["-wal", "-shm", ""] {
            match fs::rename(beside(target, suffix), beside(&place, suffix)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        aside = Some(place);
    }
    fs::File::open(draft)?.sync_all()?;
    fs::rename(draft, target)?;
    sync_folder_of(target)?;
    Ok(aside)
}

fn remove_database(path: &Path) -> io::Result<()> {
    for suffix in ["-wal", "-shm", ""] {
        match fs::remove_file(beside(path, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn misplaced(path: &Path, error: &io::Error) -> Error {
    Error::Backup(format!("The restored database {} cannot be moved to its place: {error}.", path.display()))
}

/// The same name with something after it.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
#[path = "restore_tests.rs"]
mod tests;
