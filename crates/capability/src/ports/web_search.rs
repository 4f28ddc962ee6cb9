//! The port to the search service of this house. Which one that is, and its key, stay behind it.

use crate::ToolError;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// One page that was found, in the same form from every search service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    pub title: String,
    pub url: String,
    pub snippet: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResults {
    pub hits: Vec<Hit>,
    /// What the searcher says in its own words, where it does.
    pub answer: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// In words for the model.
    #[error("{0}")]
    Failed(String),
    /// For the log.
    #[error("{0}")]
    Internal(String),
}

impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Failed(words) => Self::Failed(words),
            SearchError::Internal(detail) => Self::Internal(detail),
        }
    }
}

#[async_trait]
pub trait WebSearch: Send + Sync {
    /// At most `limit` hits.
    async fn search(&self, query: &str, limit: usize) -> Result<SearchResults, SearchError>;
}
