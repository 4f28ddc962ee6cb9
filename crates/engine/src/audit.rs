//! Makes the entries of the audit log: who did what, and whose matter it is.

use crate::engine::Engine;
use domain::UserId;
use serde_json::Value;
use store::audit::{Action, AuditEntry};

impl Engine {
    /// An entry of now. `user` may read it.
    pub(crate) fn entry(
        &self,
        actor: String,
        user: Option<UserId>,
        action: Action,
        subject: impl ToString,
        detail: Value,
    ) -> AuditEntry {
        AuditEntry::new(self.now(), actor, user, action, subject, detail)
    }
}
