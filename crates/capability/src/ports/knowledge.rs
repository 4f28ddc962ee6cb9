//! What agents remember of the person whose conversation it is.

use async_trait::async_trait;
use domain::{EntryText, KnowledgeStore, Timestamp, knowledge::EntryRefusal};
use serde::{Deserialize, Serialize};

/// The words of an entry, as an agent writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDraft {
    pub title: Option<String>,
    pub body: String,
    /// Until when it counts; none leaves what there is.
    pub until: Option<Timestamp>,
}

/// What was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryWritten {
    pub number: u64,
    /// It is not in force before its person keeps it.
    pub waits: bool,
    /// Where it waits: others had a say in it. Otherwise its person wrote or kept what would be changed.
    pub is_untrusted: bool,
}

/// The entries of one store that are in force, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnowledgeListing {
    pub entries: Vec<(u64, EntryText)>,
    /// All that are in force.
    pub total: u64,
    /// That wait for their person.
    pub waiting: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KnowledgeError {
    #[error(transparent)]
    Refused(#[from] EntryRefusal),
    /// The call is told in these words.
    #[error("{0}")]
    Unknown(String),
    #[error("{0}")]
    Broken(String),
}

/// Everything it gives carries its own label. What waits for its person is given only where it is asked for by its number.
#[async_trait]
pub trait Knowledge: Send + Sync {
    /// A new entry, or other words for the one of this number.
    async fn write(
        &self,
        store: KnowledgeStore,
        number: Option<u64>,
        draft: EntryDraft,
    ) -> Result<EntryWritten, KnowledgeError>;

    async fn delete(&self, store: KnowledgeStore, number: u64) -> Result<EntryWritten, KnowledgeError>;

    async fn read(&self, store: KnowledgeStore, number: u64) -> Result<EntryText, KnowledgeError>;

    async fn list(&self, store: KnowledgeStore, most: u32) -> Result<KnowledgeListing, KnowledgeError>;
}
