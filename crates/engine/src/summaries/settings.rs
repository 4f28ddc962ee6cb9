//! What can be set about titles and summaries.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct SummarySettings {
    /// How long a model may take for a summary.
    pub time: Duration,
    /// Ask the model for titles of sessions without a name.
    pub titles: bool,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self { time: Duration::from_secs(120), titles: false }
    }
}
