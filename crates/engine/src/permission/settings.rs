//! What can be set about approvals.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct ApprovalSettings {
    /// How long a person may take to say yes; no answer by then is a no.
    pub expiry: Duration,
}

impl Default for ApprovalSettings {
    fn default() -> Self {
        Self { expiry: Duration::from_secs(24 * 3_600) }
    }
}
