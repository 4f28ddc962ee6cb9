//! What waits for a person for a limited time only: when it is over, the default answers a question, and an approval is
//! a no.
//!
//! The time is a row, so it goes on while the program does not run; this task only looks when the next one is due.

use crate::{engine::Engine, error::Result};
use domain::{AnsweredBy, QuestionId, UserId};
use std::time::Duration;

/// Looked at least this often: another node may have asked.
const LONGEST: Duration = Duration::from_secs(30);

pub(crate) fn spawn(engine: &Engine) {
    let engine = engine.clone();
    // Not tracked: it has nothing to finish, and it ends with the draining.
    tokio::spawn(async move {
        loop {
            if let Err(error) = engine.expire_questions().await {
                tracing::warn!(%error, "questions whose time is over could not be settled; it is tried again");
            }
            if let Err(error) = engine.expire_approvals().await {
                tracing::warn!(%error, "approvals whose time is over could not be settled; it is tried again");
            }
            if let Err(error) = engine.expire_errands().await {
                tracing::warn!(%error, "errands whose time is over could not be settled; it is tried again");
            }
            let pause = pause(&engine).await.unwrap_or(LONGEST);
            tokio::select! {
                () = engine.inner.draining.cancelled() => return,
                () = engine.inner.question_clock.notified() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    });
}

async fn pause(engine: &Engine) -> Result<Duration> {
    let read = async |tx: &mut store::Tx| {
        let due = [
            store::questions::next_due(tx).await?,
            store::approvals::next_due(tx).await?,
            store::errands::next_expiry(tx).await?,
        ];
        Ok(due.into_iter().flatten().min())
    };
    let next = engine.store().read(read).await?;
    let left = next.map(|next| next.as_millis().saturating_sub(engine.now().as_millis()));
    let left = left.map(|left| Duration::from_millis(u64::try_from(left).unwrap_or(0)));
    Ok(left.unwrap_or(LONGEST).clamp(Duration::from_millis(10), LONGEST))
}

impl Engine {
    /// Settles every question whose time is over. Says how many.
    pub async fn expire_questions(&self) -> Result<usize> {
        let now = self.now();
        let due = self.store().read(async move |tx| store::questions::due(tx, now).await).await?;
        let mut settled = 0;
        for (id, user) in due {
            settled += usize::from(self.expire(id, user).await?);
        }
        Ok(settled)
    }

    async fn expire(&self, id: QuestionId, user: UserId) -> Result<bool> {
        let question = self.question(user, id).await?;
        let answer = question.default.clone().unwrap_or_default();
        self.settle_question(user, question, answer, AnsweredBy::Timeout).await
    }
}
