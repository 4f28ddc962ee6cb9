//! Changes several conversations at once: they are pinned, moved, archived, deleted or brought back.

use crate::{
    engine::Engine,
    error::{Error, Result},
    sessions::{SessionChange, folders::unknown_folder},
};
use domain::{Change, FolderId, KeepAction, KeepOutcome, KeptSession, SessionId, UserId};
use schemars::JsonSchema;
use serde::Deserialize;

/// At once.
const MOST: usize = 100;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepMany {
    #[schemars(length(min = 1, max = 100))]
    pub ids: Vec<SessionId>,
    pub action: KeepAction,
    /// Where `move` moves them; null or absent: out of any folder.
    #[serde(default)]
    pub folder_id: Option<FolderId>,
}

impl Engine {
    /// Does the same to each of them, and says what came of each: one that is at work holds up no other.
    pub async fn keep_sessions(&self, user: UserId, many: KeepMany) -> Result<Vec<KeptSession>> {
        let KeepMany { mut ids, action, folder_id } = many;
        if ids.is_empty() || ids.len() > MOST {
            let detail = format!("ids: Choose at least one conversation, and at most {MOST} at once.");
            return Err(Error::invalid("bad_ids", detail));
        }
        if let Some(folder) = folder_id {
            self.folder(user, folder).await.map_err(|error| match error {
                Error::NotFound(_) => unknown_folder(),
                other => other,
            })?;
        }
        let mut seen = std::collections::HashSet::new();
        ids.retain(|id| seen.insert(*id));
        let mut kept = Vec::with_capacity(ids.len());
        for id in ids {
            let outcome = match self.keep(user, id, action, folder_id).await {
                Ok(()) => KeepOutcome::Done,
                Err(Error::NotFound(_)) => KeepOutcome::NotFound,
                Err(Error::Conflict { code: "session_busy", .. }) => KeepOutcome::Busy,
                Err(other) => return Err(other),
            };
            kept.push(KeptSession { id, outcome });
        }
        Ok(kept)
    }

    async fn keep(
        &self,
        user: UserId,
        id: SessionId,
        action: KeepAction,
        folder: Option<FolderId>,
    ) -> Result<()> {
        let change = async |change: SessionChange| {
            let session = self.session(user, id).await?;
            self.change_checked(user, session, change).await
        };
        match action {
            KeepAction::Pin | KeepAction::Unpin => {
                let pinned = Some(action == KeepAction::Pin);
                change(SessionChange { pinned, ..SessionChange::default() }).await.map(drop)
            }
            KeepAction::Move => {
                let folder_id = folder.map_or(Change::Reset, Change::Set);
                change(SessionChange { folder_id, ..SessionChange::default() }).await.map(drop)
            }
            KeepAction::Archive | KeepAction::Unarchive => {
                self.archive_session(user, id, action == KeepAction::Archive).await.map(drop)
            }
            KeepAction::Delete => self.delete_soon(user, id).await,
            KeepAction::Restore => self.take_deletion_back(user, id).await,
        }
    }
}
