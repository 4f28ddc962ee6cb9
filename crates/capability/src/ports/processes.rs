//! The port to programs. Each runs in a cage of its own, with the session's files and nothing else of the house.

use crate::ToolError;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The program and its arguments.
    pub command: Vec<String>,
    pub input: Vec<u8>,
    /// Where it starts, among the session's files; the root is empty.
    pub folder: String,
    pub time: Duration,
    /// The hosts that it may reach; no network when there are none.
    pub hosts: Vec<String>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    Code(i32),
    TimedOut,
    OutOfMemory,
    TooManyFiles,
    Cancelled,
}

/// A file that was not kept, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotKept {
    pub path: String,
    pub why: String,
}

/// What came of a run. Its files are where they belong already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    pub end: RunEnd,
    /// Head and tail of it, with a line in the place of what was left out.
    pub output: String,
    pub errors: String,
    /// How many characters of the two came in turn, beginning with the output; people are shown them so.
    #[serde(default)]
    pub order: Vec<u32>,
    pub took_ms: u64,
    pub written: Vec<String>,
    pub deleted: Vec<String>,
    pub not_kept: Vec<NotKept>,
    /// The session's files have no room for what it wrote: nothing of it was kept.
    pub no_room: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// In words for the model.
    #[error("{0}")]
    Failed(String),
    /// For the log. Nothing has run.
    #[error("{0}")]
    Internal(String),
    /// It ran, and what it left could not be kept: in words for the model, with what it said.
    #[error("{0}")]
    Unknown(String),
}

impl From<ProcessError> for ToolError {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::Failed(words) => Self::Failed(words),
            ProcessError::Internal(detail) => Self::Internal(detail),
            ProcessError::Unknown(words) => Self::Unknown(words),
        }
    }
}

#[async_trait]
pub trait Processes: Send + Sync {
    /// Runs it to its end. What it says is told to readers meanwhile. A caller that stops waiting ends everything in it.
    async fn run(&self, run: Run) -> Result<Ran, ProcessError>;
}
