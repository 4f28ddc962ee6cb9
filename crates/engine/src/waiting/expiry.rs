//! What waits for a person for a limited time only: when it is over, the default answers a question, and an approval is
//! a no.
//!
//! The time is a row, so it goes on while the program does not run; this task only looks when the next one is due.

use crate::{
    engine::Engine,
    error::{Error, Result},
    wake_ups::WakeUp,
};
use domain::{AnsweredBy, QuestionId, UserId};
use std::time::Duration;

/// Looked at least this often: another node may have asked.
const LONGEST: Duration = Duration::from_secs(30);
const SHORTEST: Duration = Duration::from_millis(10);
/// What could not be settled is not tried again sooner.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

pub(crate) fn spawn(engine: &Engine) {
    let engine = engine.clone();
    // Not tracked: it has nothing to finish, and it ends with the draining.
    tokio::spawn(async move {
        let woken = engine.woken(WakeUp::Expires);
        loop {
            let settled = [
                ("questions", engine.expire_questions().await),
                ("approvals", engine.expire_approvals().await),
                ("errands", engine.expire_errands().await),
            ];
            let mut least = SHORTEST;
            for (what, settled) in settled {
                if let Err(error) = settled {
                    tracing::warn!(%error, what, "what is over could not be settled; it is tried again");
                    least = AFTER_TROUBLE;
                }
            }
            let pause = pause(&engine).await.unwrap_or(LONGEST).max(least);
            tokio::select! {
                () = engine.inner.draining.cancelled() => return,
                () = woken.notified() => {}
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
    Ok(left.unwrap_or(LONGEST).min(LONGEST))
}

impl Engine {
    /// Settles every question whose time is over. Says how many.
    pub async fn expire_questions(&self) -> Result<usize> {
        let now = self.now();
        let due = self.store().read(async move |tx| store::questions::due(tx, now).await).await?;
        let mut tally = Tally::default();
        for (id, user) in due {
            tally.add(self.expire(id, user).await);
        }
        tally.told()
    }

    async fn expire(&self, id: QuestionId, user: UserId) -> Result<bool> {
        let question = self.question(user, id).await?;
        let answer = question.default.clone().unwrap_or_default();
        self.settle_question(user, question, answer, AnsweredBy::Timeout).await
    }
}

/// How many were settled. One that cannot be holds up no other, and is told at the end.
#[derive(Default)]
pub(crate) struct Tally {
    settled: usize,
    trouble: Option<Error>,
}

impl Tally {
    pub(crate) fn add(&mut self, settled: Result<bool>) {
        match settled {
            Ok(settled) => self.settled += usize::from(settled),
            Err(error) => self.trouble = self.trouble.take().or(Some(error)),
        }
    }

    pub(crate) fn told(self) -> Result<usize> {
        self.trouble.map_or(Ok(self.settled), Err)
    }
}
