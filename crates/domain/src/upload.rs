//! A file that a person handed in.

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
}

impl Upload {
    /// Is it a picture of a kind that models understand?
    pub fn is_image(&self) -> bool {
        matches!(self.mime_type.as_str(), "image/png" | "image/jpeg" | "image/gif" | "image/webp")
    }
}
