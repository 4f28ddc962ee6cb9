//! How far a backup is, for the person who watches.

use crate::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

/// Shared between the one who works and the one who watches.
#[derive(Debug, Default)]
pub struct Progress {
    stage: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
    is_cancelled: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Reading,
    Checking,
    Restoring,
}

impl Stage {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Checking => "checking",
            Self::Restoring => "restoring",
        }
    }
}

impl Progress {
    pub(crate) fn begin(&self, stage: Stage, total: u64) {
        let number = match stage {
            Stage::Reading => 0,
            Stage::Checking => 1,
            Stage::Restoring => 2,
        };
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        self.stage.store(number, Ordering::Relaxed);
    }

    /// Notes what was done; an error when the rest is not wanted.
    pub(crate) fn advance(&self, by: u64) -> Result<()> {
        self.done.fetch_add(by, Ordering::Relaxed);
        if self.is_cancelled.load(Ordering::Relaxed) {
            return Err(Error::Backup("The backup was stopped before it was complete.".to_owned()));
        }
        Ok(())
    }

    /// The task that makes it stops soon, and leaves nothing.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// What is being done, how much of it is done, and of how much: rows, or bytes while checking.
    pub fn read(&self) -> (Stage, u64, u64) {
        let stage = match self.stage.load(Ordering::Relaxed) {
            0 => Stage::Reading,
            1 => Stage::Checking,
            _ => Stage::Restoring,
        };
        (stage, self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}
