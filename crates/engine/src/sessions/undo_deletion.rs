//! Undoing a deletion: what a person deletes is in no list from that moment on and goes for good a minute later. Until then they
//! can take it back. The time is a row, so it goes on whether their window is open or not, and across a restart.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::node_note::SessionNews,
    engine::Engine,
    error::{Error, Result},
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use domain::{SessionId, UserId};
use std::time::Duration;
use store::{Conflict, Tx, sessions as rows};

/// How long a deletion can be taken back.
pub const UNDO_MS: i64 = 60 * 1_000;
/// Sessions that one transaction looks for.
const BATCH: u32 = 50;
const LONGEST: Duration = Duration::from_secs(60);
const SHORTEST: Duration = Duration::from_millis(10);
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

impl Engine {
    /// Deletes it so that it can be taken back for a while.
    pub(super) async fn delete_soon(&self, user: UserId, id: SessionId) -> Result<()> {
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

    pub(super) async fn take_deletion_back(&self, user: UserId, id: SessionId) -> Result<()> {
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
