//! The audit log: makes its entries (who did what, and whose matter it is), and lists those that a person may read.

use crate::{engine::Engine, error::Result};
use domain::UserId;
use people::Principal;
use serde_json::Value;
use store::{
    Page, Paged, Tx,
    audit::{Action, AuditEntry},
};

impl Engine {
    /// The audit log, newest first: of oneself; for admins of everybody, or of the one they ask for.
    pub async fn audit(
        &self,
        who: &Principal,
        wanted: Option<UserId>,
        page: Page,
    ) -> Result<Paged<AuditEntry>> {
        let whose = if who.role.is_admin() { wanted } else { Some(who.user_id) };
        let store = self.store().clone();
        let read = move |tx: &mut Tx| store::audit::list(tx, store.vault(), whose, page);
        Ok(self.store().read(read).await?)
    }

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
