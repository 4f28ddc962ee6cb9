//! What this machine notes of the audit log, outside of the database: an attacker who cuts the log's end off and puts an
//! older head in its place does not know of it, or cannot reach it.

use crate::data::DataDirectory;
use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
    time::Duration,
};
use store::{Store, Tx, audit};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How much of the log may be cut off unseen after a crash.
const EVERY: Duration = Duration::from_secs(60);
/// Far more than a note is.
const LONGEST: u64 = 4 << 10;

fn path(data: &DataDirectory) -> PathBuf {
    data.file("audit.note")
}

/// The note, if there is one.
pub fn read(data: &DataDirectory) -> Option<Vec<u8>> {
    let path = path(data);
    let is_small = fs::metadata(&path).is_ok_and(|found| found.len() <= LONGEST);
    is_small.then(|| fs::read(path).ok()).flatten()
}

/// Forgets what was noted: another log is put in the place of the old one.
pub fn forget(data: &DataDirectory) {
    if let Err(error) = fs::remove_file(path(data))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "the note about the old audit log could not be deleted; `majordomo doctor` will report a difference");
    }
}

/// Notes the newest entry, if what was noted before is still in the log; otherwise the old note stays, for `doctor`.
pub async fn renew(store: &Store, data: &DataDirectory) {
    let (before, vault) = (read(data), store.vault().clone());
    let look = move |tx: &mut Tx| {
        if let Some(before) = &before {
            audit::check_note(tx, &vault, before)?;
        }
        audit::note(tx, &vault)
    };
    match store.read(look).await {
        Ok(note) => {
            if let Err(error) = write(data, &note) {
                tracing::warn!(%error, "the end of the audit log could not be noted");
            }
        }
        Err(error @ (store::Error::Audit { .. } | store::Error::Crypto { .. })) => {
            tracing::error!(%error, "the audit log does not match what this machine has noted; run `majordomo doctor`");
        }
        Err(error) => tracing::warn!(%error, "the end of the audit log could not be noted"),
    }
}

fn write(data: &DataDirectory, note: &[u8]) -> io::Result<()> {
    let (path, draft) = (path(data), data.file("audit.note.new"));
    let options = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).clone();
    let mut file = options.open(&draft)?;
    file.write_all(note)?;
    file.sync_all()?;
    fs::rename(draft, path)
}

/// Renews the note from time to time, until `stop`.
pub fn keep(store: Store, data: DataDirectory, stop: CancellationToken) -> JoinHandle<()> {
    tokio::spawn(async move {
        while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
            renew(&store, &data).await;
        }
    })
}
