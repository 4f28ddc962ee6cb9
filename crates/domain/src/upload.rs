//! A file that a person handed in, and what was read of it.

use crate::UploadId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Upload {
    pub id: UploadId,
    /// As its owner calls it; never a path.
    pub name: String,
    pub mime_type: String,
    /// In bytes.
    pub size: u64,
    /// What was read of it; absent for pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<ReadText>,
}

impl Upload {
    /// Is it a picture of a kind that models understand?
    pub fn is_image(&self) -> bool {
        matches!(self.mime_type.as_str(), "image/png" | "image/jpeg" | "image/gif" | "image/webp")
    }
}

/// What was read of a file that is no picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadText {
    /// What the file is by its bytes, for instance `pdf` or `word`.
    pub kind: String,
    /// The same in words, for instance `PDF`.
    pub noun: String,
    /// What one part is called: `page`, `sheet`, `slide`, `chapter` or `section`; absent where a file is one piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// How many parts it has.
    pub parts: u64,
    /// How many characters were read.
    pub chars: u64,
    /// The file holds more than is read of any file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Why nothing was read, in words for its person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A file of a message, as the agent was told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttachedFile {
    pub upload_id: UploadId,
    pub name: String,
    /// What the file is by its bytes, for instance `pdf` or `word`.
    pub kind: String,
    /// The same in words, for instance `PDF`.
    pub noun: String,
    /// What one part is called: `page`, `sheet`, `slide`, `chapter` or `section`; absent where a file is one piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// How many parts it has.
    pub parts: u64,
    /// How many characters it has.
    pub chars: u64,
    /// In how many of the parts the agent was told something; the first ones.
    pub read_parts: u64,
    /// How many characters the agent was told, from the beginning. It can ask for the rest.
    pub read_chars: u64,
    /// About what that takes of a model's window, in tokens.
    #[serde(default)]
    pub read_tokens: u64,
    /// The file holds more than is read of any file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Why nothing was read, in words for its person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// What goes with the words of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MessageAttachment {
    Picture(UploadId),
    File(Box<AttachedFile>),
}

impl MessageAttachment {
    pub fn upload_id(&self) -> UploadId {
        match self {
            Self::Picture(id) => *id,
            Self::File(file) => file.upload_id,
        }
    }
}

impl From<UploadId> for MessageAttachment {
    fn from(id: UploadId) -> Self {
        Self::Picture(id)
    }
}
