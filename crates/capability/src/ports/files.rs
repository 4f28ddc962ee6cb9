//! The port to the files of a session. Which session, and whose, is fixed when the port is made.

use crate::ToolError;
use async_trait::async_trait;
use domain::{FileInfo, FilePath, FileRefusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a port to files did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error(transparent)]
    Refused(#[from] FileRefusal),
    /// A pattern that is wrong, or that would take too much.
    #[error("{0}")]
    Pattern(String),
    /// For the log. Nothing was changed.
    #[error("{0}")]
    Broken(String),
    /// It is not known whether it was changed.
    #[error("{0}")]
    Unknown(String),
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Broken(detail) => Self::Internal(detail),
            FileError::Unknown(words) => Self::Unknown(words),
            told => Self::Failed(told.to_string()),
        }
    }
}

/// A file with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    pub info: FileInfo,
    pub content: Vec<u8>,
}

/// What is in a folder, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The first ones.
    pub entries: Vec<FileInfo>,
    /// How many there are.
    pub total: usize,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    pub info: FileInfo,
    /// It was not there before.
    pub created: bool,
}

/// What to look for in all files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grep {
    /// A regular expression, tried on each line.
    pub pattern: String,
    /// Only in files whose path fits; `*` and `?` stand for anything within a name, `**` for anything.
    pub path_pattern: Option<String>,
    /// No more matches than this.
    pub most: usize,
}

/// A line that fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    pub path: FilePath,
    /// Counted from 1.
    pub line_number: u64,
    /// Cut if it is very long.
    pub line: String,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    pub matches: Vec<Match>,
    /// There is more, or not everything was looked at.
    pub truncated: bool,
    /// Files that were not looked into: they are binary or very large.
    pub skipped: usize,
}

#[async_trait]
pub trait Files: Send + Sync {
    async fn stat(&self, path: &FilePath) -> Result<Option<FileInfo>, FileError>;

    async fn read(&self, path: &FilePath) -> Result<FoundFile, FileError>;

    /// At most `most` entries.
    async fn list(&self, folder: &FilePath, most: usize) -> Result<Listing, FileError>;

    async fn grep(&self, grep: Grep) -> Result<Matches, FileError>;

    /// Writes a file and the folders it is in. Done once, however often the call runs.
    async fn write(&self, path: &FilePath, content: Vec<u8>) -> Result<WrittenFile, FileError>;

    /// Says how many files and folders went. Done once, however often the call runs.
    async fn delete(&self, path: &FilePath, recursive: bool) -> Result<u64, FileError>;
}
