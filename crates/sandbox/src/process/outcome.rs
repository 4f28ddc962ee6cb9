//! What came of a run.

use super::output::{Captured, Order};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself. A command that was ended by a signal has 128 and the signal's number, as in a shell.
    Code(i32),
    TimedOut,
    OutOfMemory,
    TooManyFiles,
    /// Its caller no longer waited for it.
    Cancelled,
}

/// A file that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Written { path: String, bytes: Vec<u8> },
    Deleted { path: String },
}

/// Something in the folder of the run that does not come back, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub path: String,
    pub why: &'static str,
}

#[derive(Debug)]
pub struct ProcessOutcome {
    pub exit: Exit,
    pub took: Duration,
    pub output: Captured,
    pub errors: Captured,
    /// In which order the two were heard.
    pub order: Order,
    pub changes: Vec<Change>,
    pub left_out: Vec<LeftOut>,
}
