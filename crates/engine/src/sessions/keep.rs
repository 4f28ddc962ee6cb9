//! Keeping conversations in order: several at once are pinned, moved, archived and deleted.
//!
//! What a person deletes is in no list from that moment on and goes for good a minute later: until then they can take it
//! back. The time is a row, so it goes on whether their window is open or not, and across a restart.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::node_note::SessionNews,
    engine::Engine,
    error::{Error, Result},
    sessions::SessionChange,
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use domain::{Change, FolderId, KeepAction, KeepOutcome, KeptSession, SessionId, UserId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use store::{Conflict, Tx, sessions as rows};

/// How long a deletion can be taken back.
pub const UNDO_MS: i64 = 60 * 1_000;
/// At once.
const MOST: usize = 100;
/// Sessions that one transaction looks for.
const BATCH: u32 = 50;
const LONGEST: Duration = Duration::from_secs(60);
const SHORTEST: Duration = Duration::from_millis(10);
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

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
        let change = |change: SessionChange| self.change_session(user, id, change);
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

    /// Deletes it so that it can be taken back for a while.
    async fn delete_soon(&self, user: UserId, id: SessionId) -> Result<()> {
        let (engine, delete_at) = (self.clone(), self.now().plus_millis(UNDO_MS));
        self.undisturbed(async move {
            match engine.store().write(move |tx| rows::mark_deleted(tx, user, id, delete_at)).await {
                Ok(true) => {
                    engine.hint_session(user, id, SessionNews::Deleted);
                    engine.wake(WakeUp::Deletion);
                    Ok(())
                }
                Ok(false) => Err(Error::NotFound("session")),
                Err(error) => Err(super::sessions::busy(error.into())),
            }
        })
        .await
    }

    async fn take_deletion_back(&self, user: UserId, id: SessionId) -> Result<()> {
        let now = self.now();
        if !self.store().write(move |tx| rows::take_back(tx, user, id, now)).await? {
            return Err(Error::NotFound("session"));
        }
        self.hint_session(user, id, SessionNews::Created);
        Ok(())
    }

    /// Lets go of what was deleted long enough ago. Gives how many sessions went.
    pub async fn empty_bin(&self) -> Result<u64> {
        let mut all = 0_u64;
        loop {
            let now = self.now();
            let due = self.store().read(move |tx| rows::due(tx, now, BATCH)).await?;
            let full = due.len() == BATCH as usize;
            let mut gone = 0_u64;
            for (user, id) in due {
                match self.store().write(move |tx| rows::delete(tx, user, id)).await {
                    // One that is not there went with the session it worked for.
                    Ok(was_there) => gone = gone.saturating_add(u64::from(was_there)),
                    // An input came at the same moment: its turn ends first.
                    Err(store::Error::Conflict(Conflict::SessionAtWork)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            all = all.saturating_add(gone);
            if !full || gone == 0 {
                return Ok(all);
            }
        }
    }
}

pub(crate) fn unknown_folder() -> Error {
    Error::invalid("unknown_folder", "This folder does not exist any more. Choose another one.")
}

/// Deletes for good what people have deleted and not taken back.
pub(crate) struct EmptyBin;

#[async_trait]
impl BackgroundJob for EmptyBin {
    fn name(&self) -> &'static str {
        "deletion"
    }

    fn terms(&self) -> JobTerms {
        let woken_by = Some(WakeUp::Deletion);
        JobTerms { woken_by, after_failure: AFTER_TROUBLE, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        engine.empty_bin().await.map(drop)
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        let next = engine.store().read(|tx: &mut Tx| rows::next_deletion(tx)).await;
        let Ok(Some(next)) = next else { return NextRun::In(LONGEST) };
        let left = next.as_millis().saturating_sub(engine.now().as_millis());
        // What is due and still there is at work.
        let left = if left <= 0 { AFTER_TROUBLE } else { Duration::from_millis(left.unsigned_abs()) };
        NextRun::In(left.clamp(SHORTEST, LONGEST))
    }
}
