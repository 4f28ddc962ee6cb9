//! Looking for words in what agents remember of the person and in what was said in that person's conversations.

use async_trait::async_trait;
use domain::{KnowledgeStore, MessageId, Role, Timestamp};

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallQuery {
    pub words: String,
    /// Entries, and messages, that are wanted at most.
    pub most: u32,
    /// Also what others had a say in, and what waits for the person.
    pub include_untrusted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundEntry {
    pub store: KnowledgeStore,
    pub number: u64,
    pub updated_at: Timestamp,
    /// Of a page.
    pub title: Option<String>,
    /// One line of it.
    pub line: String,
    /// It is not in force before its person keeps it.
    pub waits: bool,
    /// Others had a say in it.
    pub is_untrusted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMessage {
    pub id: MessageId,
    pub at: Timestamp,
    pub role: Role,
    /// One line of it.
    pub line: String,
    /// Others had a say in it.
    pub is_untrusted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// The best first.
    pub entries: Vec<FoundEntry>,
    /// The newest first, one of each conversation.
    pub messages: Vec<FoundMessage>,
    /// Entries and messages that have the words and were left out, because others had a say in them or they wait for the person.
    pub left_out: u64,
    /// `false`: it took too long, and not everything was looked through.
    pub is_complete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecallError {
    #[error("there is no word in it")]
    NoWord,
    #[error("{0}")]
    Broken(String),
}

/// What it gives carries its own label.
#[async_trait]
pub trait PastSearch: Send + Sync {
    async fn look_for(&self, query: RecallQuery) -> Result<Recalled, RecallError>;
}
