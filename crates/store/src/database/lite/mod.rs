//! SQLite: one writer thread with group commit, a few read-only connections for everything else.

pub(crate) mod readers;
pub(crate) mod reserve;
pub(crate) mod statement;
pub(crate) mod writer;

use crate::{Error, Health, Result};
use rusqlite::{Connection, OpenFlags, config::DbConfig};
use std::{
    fs,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// Statements kept prepared per connection; a multi-row INSERT has one text per number of rows.
const PREPARED: usize = 256;
const BUSY: Duration = Duration::from_secs(5);
/// What the log keeps of the disk once it was written back. A little more than it grows to before that happens by itself (1,000
/// pages), so that ordinary work writes over what is there already, and what a large write took is given back.
const LOG_BYTES: u32 = 5 << 20;
/// Writers wait as long as the log is being emptied.
const EMPTYING: Duration = Duration::from_millis(100);

/// The connection of the writer.
///
/// WAL lets readers work beside the writer; `synchronous=FULL` makes a COMMIT survive a power loss.
pub(crate) fn open_writer(path: &Path) -> Result<Connection> {
    create_private(path)?;
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(Error::Unavailable(format!(
            "the file system of {} cannot hold a database, probably because it is a network share; \
             keep the data directory on a local disk, or use PostgreSQL (store.url)",
            path.display()
        )));
    }
    // What is deleted is overwritten: a key that is gone must not be found in the file.
    connection.execute_batch(
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
         PRAGMA secure_delete = ON;",
    )?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    keep_plans(&connection)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    Ok(connection)
}

/// A connection that cannot write, whatever it is told.
pub(crate) fn open_reader(path: &Path) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(BUSY)?;
    connection
        .execute_batch("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -512;")?;
    keep_plans(&connection)?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    Ok(connection)
}

/// The plan of a statement is made once, whatever values it gets. Otherwise SQLite looks at the values wherever a table has
/// an index over a part of its rows, and makes the plan again for every new value: a fifth of all the work of a busy server.
fn keep_plans(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Writes the log back into the file and empties it. `false` when a reader still needs it.
pub(crate) fn empty_log(connection: &Connection) -> Result<bool> {
    connection.busy_timeout(EMPTYING)?;
    let outcome = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY)?;
    Ok(outcome? == 0)
}

/// With less than this on its disk, the next larger write fails.
const ROOM: u64 = 1 << 20;
/// A disk that does not say how full it is within this time does not work.
const DISK_PATIENCE: Duration = Duration::from_secs(1);

/// Is there room for what comes next?
pub(crate) async fn room(path: PathBuf) -> Health {
    let look = tokio::task::spawn_blocking(move || reserve::free(&path));
    match tokio::time::timeout(DISK_PATIENCE, look).await {
        Ok(Ok(Some(room))) if room >= ROOM => Health::Good,
        Ok(Ok(Some(_))) => Health::Full,
        _ => Health::Away,
    }
}

/// Brings what the log of a closed database holds into its file, where that is possible.
pub(crate) fn fold_log(path: &Path) {
    let folded = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|connection| connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)"));
    if let Err(error) = folded {
        tracing::warn!(%error, "the log of the old database stays in a separate file");
    }
}

/// SQLite would create the file with the mode of the umask; its WAL takes over the mode of the database.
fn create_private(path: &Path) -> Result<()> {
    fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map(drop)
        .map_err(|error| Error::Unavailable(format!("{} cannot be opened: {error}", path.display())))
}

#[cfg(test)]
#[path = "plans_tests.rs"]
mod tests;
