//! What can be set about prompts.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct PromptSettings {
    /// What the house adds to every agent's prompt.
    pub custom: String,
    /// How long one hook may take.
    pub hook_time: Duration,
}

impl Default for PromptSettings {
    fn default() -> Self {
        Self { custom: String::new(), hook_time: Duration::from_secs(2) }
    }
}
