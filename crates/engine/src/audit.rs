//! The audit log: what is written down about people's matters, and who may read it.

use crate::{engine::Engine, error::Result};
use domain::UserId;
use people::Principal;
use serde_json::Value;
use store::{Page, Paged, Tx, audit::AuditEntry};

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
        let read = async move |tx: &mut Tx| store::audit::list(tx, store.vault(), whose, page).await;
        Ok(self.store().read(read).await?)
    }

    /// An entry about a person's matter.
    pub(crate) fn entry(
        &self,
        actor: String,
        user_id: Option<UserId>,
        action: &str,
        subject: impl ToString,
        detail: Value,
    ) -> AuditEntry {
        let at = self.now();
        AuditEntry { at, user_id, actor, action: action.to_owned(), subject: subject.to_string(), detail }
    }
}
