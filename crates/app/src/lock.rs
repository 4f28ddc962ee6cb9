//! One program at a time works on a data directory, and on a database file. The locks are the system's, so they go with
//! their process.

use crate::{
    config::{Config, Database},
    data::DataDirectory,
    error::{Result, advised},
};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
};

/// What the holder is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A server: if it goes, it will probably come back.
    Serve,
    /// A command that does its own work and then goes for good.
    Command,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Command => "command",
        }
    }
}

/// While this lives, no other process works on the directory.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// What came of trying.
#[derive(Debug)]
pub enum Attempt {
    Taken(Lock),
    /// Another process has it; its id, if it has written that already.
    Held(Option<u32>),
}

impl Lock {
    pub fn attempt(data: &DataDirectory, purpose: Purpose) -> Result<Attempt> {
        let path = data.lock();
        let failed = |error: io::Error| {
            advised(
                format!("The lock {} cannot be used: {error}.", path.display()),
                "Check that the data directory belongs to you and that its file system can lock files.",
            )
        };
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).clone();
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {
                // On a full disk the id is missing: the next process can say less, and that is all.
                if let Err(error) = note_holder(&mut file, purpose) {
                    tracing::warn!(%error, "the process id could not be written into the lock file");
                }
                Ok(Attempt::Taken(Self { _file: file }))
            }
            Err(TryLockError::WouldBlock) => Ok(Attempt::Held(holder(&mut file))),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}

/// While this lives, no other program works on the database, whichever data directory it has: `store.url` may name the
/// same file in two of them. PostgreSQL is made for several.
#[derive(Debug)]
pub struct DatabaseLock {
    /// Of the database itself, so that neither a link nor another name leads past it. SQLite's own locks are of another
    /// kind and do not see it; it is closed after everything of SQLite, whose locks would go with it otherwise.
    _file: Option<File>,
}

impl DatabaseLock {
    pub fn take(config: &Config, data: &DataDirectory) -> Result<Self> {
        let Database::Sqlite(path) = config.store.database(data) else { return Ok(Self { _file: None }) };
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).clone();
        // The code that opens the database says why it cannot be opened.
        let Ok(file) = options.open(&path) else { return Ok(Self { _file: None }) };
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(advised(
                format!("Another majordomo, with another data directory, already uses {}.", path.display()),
                "Stop that one, or give this one its own database (store.url).",
            )),
            Err(TryLockError::Error(error)) => Err(advised(
                format!("{} cannot be locked: {error}.", path.display()),
                "Keep the database on a local disk whose file system can lock files, or use PostgreSQL (store.url).",
            )),
        }
    }
}

/// For `serve`: the lock, or who holds it and what to do.
pub fn take(data: &DataDirectory) -> Result<Lock> {
    match Lock::attempt(data, Purpose::Serve)? {
        Attempt::Taken(lock) => Ok(lock),
        Attempt::Held(pid) => Err(held(data, pid)),
    }
}

pub fn held(data: &DataDirectory, pid: Option<u32>) -> crate::error::Error {
    let what = if was_server(data) { "A majordomo server" } else { "A majordomo command" };
    let who = pid.map_or_else(|| what.to_owned(), |pid| format!("{what} (process id {pid})"));
    let stop = pid.map_or_else(|| "stop it".to_owned(), |pid| format!("stop it (kill {pid})"));
    advised(
        format!("{who} already uses {}.", data.path().display()),
        format!("Use that one, {stop}, or name another directory with --data DIR."),
    )
}

/// Was the last one who worked here a server? The note outlives its writer.
pub fn was_server(data: &DataDirectory) -> bool {
    let note = std::fs::read_to_string(data.lock()).unwrap_or_default();
    note.lines().nth(1) == Some(Purpose::Serve.as_str())
}

fn note_holder(file: &mut File, purpose: Purpose) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}\n{}\n", std::process::id(), purpose.as_str())
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(64).read_to_string(&mut text).ok()?;
    text.lines().next()?.parse().ok()
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;
