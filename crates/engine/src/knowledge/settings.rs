//! How much agents remember.

use store::knowledge::KnowledgeLimits;

#[derive(Clone, Copy, Debug)]
pub struct KnowledgeSettings {
    /// Tokens that it may have in a prompt.
    pub memory_tokens: u64,
    pub limits: KnowledgeLimits,
}

impl Default for KnowledgeSettings {
    fn default() -> Self {
        Self { memory_tokens: 2_000, limits: KnowledgeLimits::default() }
    }
}
