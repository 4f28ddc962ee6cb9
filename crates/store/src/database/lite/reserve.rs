//! Room on the disk that is kept back, so that what has begun can be ended when the disk is full.
//!
//! A file beside the database takes it. When the database finds no more room the file is let go, and the turns that end have
//! it; new work is refused until it can be taken again. It is taken again, as large as it was, only where there is twice as
//! much free: otherwise it would be let go and taken in turns. What was let go is still the length of the file, which then
//! takes no room, so that a restart does not forget it.

use crate::backup::beside;
use rustix::{
    fs::{FallocateFlags, fallocate, statvfs},
    io::Errno,
};
use std::{
    fs,
    io::{self, Read as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
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
    /// How much is free beside the file.
    pub look: fn(&Path) -> Option<u64>,
}

#[derive(Clone, Copy, Default)]
struct State {
    /// How much is to be kept back; 0 means nothing.
    wanted: u64,
    file: Kept,
}

/// What the file says.
#[derive(Clone, Copy, Default)]
enum Kept {
    /// Nothing was taken yet.
    #[default]
    Nothing,
    Held(u64),
    /// It was needed, and is to be taken again.
    LetGo(u64),
}

impl Reserve {
    pub fn of(database: &Path) -> Self {
        Self { file: beside(database, ".reserve"), state: Mutex::default(), look: free }
    }

    /// From now on this many bytes are kept back, as far as the disk has them; with 0 the file is removed.
    pub fn keep(&self, bytes: u64) {
        if bytes == 0 {
            *self.state() = State::default();
            return remove(&self.file);
        }
        *self.state() = State { wanted: bytes, file: Kept::read(&self.file) };
        self.is_there();
    }

    /// Lets it go, because the disk is full.
    pub fn let_go(&self) {
        let mut state = self.state();
        if let (Kept::Held(bytes), true) = (state.file, state.wanted > 0) {
            tracing::error!(
                "the disk of the database is full; the server refuses new work until there is space again"
            );
            empty(&self.file, bytes);
            state.file = Kept::LetGo(bytes);
        }
    }

    /// Is it there, or can it be taken now? True where nothing is to be kept back.
    pub fn is_there(&self) -> bool {
        let mut state = self.state();
        if state.wanted == 0 || matches!(state.file, Kept::Held(_)) {
            return true;
        }
        let free = (self.look)(&self.file).unwrap_or_default();
        let (size, enough) = match state.file {
            Kept::LetGo(bytes) => {
                let size = bytes.min(state.wanted);
                (size, free >= size.saturating_mul(2))
            }
            Kept::Nothing | Kept::Held(_) => (state.wanted.min(free / PART), true),
        };
        if !enough || free <= TIGHT {
            return false;
        }
        match take(&self.file, size) {
            Ok(()) => state.file = Kept::Held(size),
            Err(error) if is_full(&error) => empty(&self.file, size),
            // Work that could be stored is not refused because of a file that only helps.
            Err(error) => {
                tracing::warn!(%error, "no disk space can be reserved");
                state.wanted = 0;
                return true;
            }
        }
        matches!(state.file, Kept::Held(_))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn read(file: &Path) -> Self {
        /// Of what the system counts room in.
        const BLOCK: u64 = 512;
        match fs::metadata(file) {
            Ok(found) if found.len() == 0 || !found.is_file() => Self::Nothing,
            Ok(found) if found.blocks().saturating_mul(BLOCK) >= found.len() => Self::Held(found.len()),
            Ok(found) => Self::LetGo(found.len()),
            Err(_) => Self::Nothing,
        }
    }
}

/// For a start that is about to open a database on a disk that may be full.
pub(crate) fn make_room(database: &Path) {
    let file = beside(database, ".reserve");
    if let Kept::Held(bytes) = Kept::read(&file)
        && free(&file).is_some_and(|free| free < TIGHT)
    {
        empty(&file, bytes);
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
    match fallocate(&taken, FallocateFlags::empty(), 0, bytes.max(1)) {
        // Some file systems, such as those over a network, know no such request: there the room is taken by writing.
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => fill(&taken, bytes.max(1)),
        outcome => Ok(outcome?),
    }
}

fn fill(mut file: &fs::File, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::repeat(0).take(bytes), &mut file)?;
    file.sync_all()
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// What was kept back once is room for everything else.
fn remove(file: &Path) {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, "the reserve file cannot be deleted");
        }
        _ => {}
    }
}

/// The file keeps its length and takes no room.
fn empty(file: &Path, bytes: u64) {
    let emptied = fs::OpenOptions::new().write(true).open(file).and_then(|file| {
        file.set_len(0)?;
        file.set_len(bytes)
    });
    if let Err(error) = emptied {
        tracing::warn!(%error, "the space of the reserve file cannot be freed");
    }
}

#[cfg(test)]
#[path = "reserve_tests.rs"]
mod tests;
