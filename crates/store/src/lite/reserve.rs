//! Room on the disk that is kept back, so that what has begun can be ended when the disk is full.
//!
//! A file beside the database takes it. When the database finds no more room the file is let go, and whoever ends a turn has
//! it; new work is refused until it can be taken again. It is taken again only where there is twice as much free: otherwise
//! it would be let go and taken in turns.

use crate::backup::beside;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use std::{
    fs, io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// No more of a disk than this part of what is free.
const PART: u64 = 8;
/// With less than this free, a start lets the reserve go before it touches the database.
const TIGHT: u64 = 4 << 20;

/// Of one database. Nothing is kept back until somebody says how much.
pub(crate) struct Reserve {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// How much is to be kept back; 0 means nothing.
    wanted: u64,
    is_held: bool,
}

impl Reserve {
    pub fn of(database: &Path) -> Self {
        Self { file: beside(database, ".reserve"), state: Mutex::default() }
    }

    /// From now on this many bytes are kept back, as far as the disk has them.
    pub fn keep(&self, bytes: u64) {
        let is_held = bytes > 0 && fs::metadata(&self.file).is_ok_and(|found| found.len() > 0);
        *self.state() = State { wanted: bytes, is_held };
        self.is_there();
    }

    /// Lets it go, because the disk is full.
    pub fn let_go(&self) {
        let mut state = self.state();
        if state.wanted > 0 && state.is_held {
            tracing::error!(
                "the disk of the database is full: new work is refused until there is room again"
            );
        }
        state.is_held = false;
        remove(&self.file);
    }

    /// Is it there, or can it be taken now? True where nothing is to be kept back.
    pub fn is_there(&self) -> bool {
        let mut state = self.state();
        if state.wanted == 0 || state.is_held {
            return true;
        }
        let free = free(&self.file).unwrap_or_default();
        let size = state.wanted.min(free / PART);
        let enough = free >= size.saturating_mul(2) && free > TIGHT;
        state.is_held = enough && take(&self.file, size).is_ok();
        if !state.is_held {
            remove(&self.file);
        }
        state.is_held
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// For whoever is about to open a database on a disk that may be full.
pub(crate) fn make_room(database: &Path) {
    let file = beside(database, ".reserve");
    if free(&file).is_some_and(|free| free < TIGHT) {
        remove(&file);
    }
}

/// Bytes that a file in the same folder could have.
pub(crate) fn free(file: &Path) -> Option<u64> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let found = statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

fn take(file: &Path, bytes: u64) -> io::Result<()> {
    let taken = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(file)?;
    taken.set_len(0)?;
    fallocate(&taken, FallocateFlags::empty(), 0, bytes.max(1))?;
    Ok(())
}

fn remove(file: &Path) {
    if let Err(error) = fs::remove_file(file)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "the reserve of the disk cannot be let go");
    }
}

#[cfg(test)]
#[path = "reserve_tests.rs"]
mod tests;
