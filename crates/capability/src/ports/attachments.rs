//! The port to the texts of the files that came with the messages of a session. Which session, and whose, is fixed when the
//! port is made.

use crate::ToolError;
use async_trait::async_trait;
use domain::{ReadText, UploadId};

/// A file that came with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFile {
    pub id: UploadId,
    pub name: String,
    pub text: ReadText,
    /// The titles of its parts, and the character that each begins at.
    pub parts: Vec<(String, u64)>,
}

#[async_trait]
pub trait Attachments: Send + Sync {
    /// The names of all, the newest first.
    async fn names(&self) -> Result<Vec<String>, ToolError>;

    /// The newest file of that name or with that id.
    async fn find(&self, name: &str) -> Result<Option<SentFile>, ToolError>;

    /// Characters of its text from one of them on.
    async fn excerpt(&self, id: UploadId, from: u64, chars: u64) -> Result<String, ToolError>;
}
