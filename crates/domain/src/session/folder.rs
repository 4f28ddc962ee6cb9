//! A folder of conversations, with what agents are told in all of them.

use crate::{FolderId, SessionId, Source, Timestamp, Upload, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person says of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FolderText {
    #[schemars(example = &"Kitchen")]
    pub name: String,
    /// What the agent is told in every conversation of the folder.
    #[serde(default)]
    #[schemars(example = &"We are four people, and one of us eats no nuts.")]
    pub instructions: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Folder {
    pub id: FolderId,
    /// Whose folder it is; not part of the public object.
    #[serde(skip_serializing)]
    pub user_id: UserId,
    #[serde(flatten)]
    pub text: FolderText,
    /// Grows with every change. A change that names an older one is refused.
    pub version: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A file of a folder: agents are told of it in every conversation there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FolderFile {
    #[serde(flatten)]
    pub upload: Upload,
    /// You made it yourself, so that what it says counts as your own words.
    pub own: bool,
}

/// How its person keeps a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Keeping {
    /// It stands above the others.
    #[serde(default)]
    pub pinned: bool,
    /// The folder it is in.
    #[serde(default)]
    pub folder_id: Option<FolderId>,
    /// Where its first message came from; null before there is one.
    #[serde(default)]
    pub source: Option<Source>,
    /// The first version of the conversation, where it has several.
    #[serde(default)]
    pub version_of: Option<SessionId>,
    /// It is in no list: another version of the conversation is, or it was made to try an agent.
    #[serde(default)]
    pub hidden: bool,
    /// When it really goes, where its person has deleted it; not part of the public object.
    #[serde(skip)]
    pub delete_at: Option<Timestamp>,
    /// The folder's words, where they were read with it; not part of the public object.
    #[serde(skip)]
    pub folder: Option<Box<FolderText>>,
    /// The folder has files, where that was read with it; not part of the public object.
    #[serde(skip)]
    pub folder_has_files: bool,
    /// How often what is known of its person was changed, where that was read with it; not part of the public object.
    #[serde(skip)]
    pub knowledge_version: u64,
}

/// What is done to several sessions at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeepAction {
    Pin,
    Unpin,
    /// Into the folder `folder_id`, or out of any.
    Move,
    Archive,
    Unarchive,
    /// It is in no list any more, and is deleted a minute later.
    Delete,
    /// Takes back a deletion that is not a minute old.
    Restore,
}

/// What came of it for one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeepOutcome {
    Done,
    /// A reply is running in it.
    Busy,
    NotFound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KeptSession {
    pub id: SessionId,
    pub outcome: KeepOutcome,
}
