//! What waits for a person for a limited time only: when it is over, the default answers a question, and an approval is
//! a no.
//!
//! The time is a row, so it goes on while the program does not run; this job only looks when the next one is due.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    engine::Engine,
    error::{Error, Result},
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use domain::{AnsweredBy, QuestionId, UserId};
use std::time::Duration;

/// Looked at least this often: another node may have asked.
const LONGEST: Duration = Duration::from_secs(30);
const SHORTEST: Duration = Duration::from_millis(10);
/// What could not be settled is not tried again sooner.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

pub(crate) struct Expire;

#[async_trait]
impl BackgroundJob for Expire {
    fn name(&self) -> &'static str {
        "expiry"
    }

    fn terms(&self) -> JobTerms {
        let woken_by = Some(WakeUp::Expires);
        JobTerms { woken_by, after_failure: AFTER_TROUBLE, ..JobTerms::default() }
    }

    /// One kind that cannot be settled holds up no other.
    async fn run(&self, engine: &Engine) -> Result<()> {
        let settled =
            [engine.expire_questions().await, engine.expire_approvals().await, engine.expire_errands().await];
        settled.into_iter().try_for_each(|settled| settled.map(drop))
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        NextRun::In(pause(engine).await.unwrap_or(LONGEST).max(SHORTEST))
    }
}

async fn pause(engine: &Engine) -> Result<Duration> {
    let read = |tx: &mut store::Tx| {
        let due = [
            store::questions::next_due(tx)?,
            store::approvals::next_due(tx)?,
            store::errands::next_expiry(tx)?,
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
        let due = self.store().read(move |tx| store::questions::due(tx, now)).await?;
        let mut tally = SettledCount::default();
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
pub(crate) struct SettledCount {
    settled: usize,
    trouble: Option<Error>,
}

impl SettledCount {
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
