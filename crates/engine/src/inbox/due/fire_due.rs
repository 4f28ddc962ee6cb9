//! The job that fires what is due. It runs on every node; which of them fires a due time is decided by the transaction that does.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    engine::Engine,
    error::{Error, Result},
    waiting::expiry::SettledCount,
    wake_ups::WakeUp,
    worker::settle_run,
};
use async_trait::async_trait;
use domain::{RunOutcome, ScheduleId, Timestamp, UserId};
use std::time::Duration;
use store::{
    Tx,
    schedules::{self, OpenRun},
};

/// Looked at least this often: another node may have changed a schedule, or the clock may have been set.
const LONGEST: Duration = Duration::from_secs(30);
/// So many reminders are shown at one look, where there is no room for runs.
const REMINDERS: u32 = 100;
const SHORTEST: Duration = Duration::from_millis(10);
/// What could not be fired is not tried again sooner.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

pub(crate) struct FireDue;

#[async_trait]
impl BackgroundJob for FireDue {
    fn name(&self) -> &'static str {
        "schedules"
    }

    fn terms(&self) -> JobTerms {
        let woken_by = Some(WakeUp::Due);
        JobTerms { woken_by, after_failure: AFTER_TROUBLE, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        let settled = engine.settle_left_runs().await.map(drop);
        engine.fire_due().await?;
        settled
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        NextRun::In(pause(engine).await.unwrap_or(LONGEST))
    }
}

/// Until the next one is due. Where this node has as many turns as it may, one that ends wakes it.
async fn pause(engine: &Engine) -> Result<Duration> {
    let next = engine.store().read(schedules::next_due).await?;
    let left = next.map(|next| next.as_millis().saturating_sub(engine.now().as_millis()));
    Ok(match left {
        Some(..=0) if engine.room_for_runs().await? == 0 => {
            let reminder = engine.store().read(schedules::next_reminder).await?;
            until(engine, reminder)
        }
        _ => until(engine, next),
    })
}

fn until(engine: &Engine, next: Option<Timestamp>) -> Duration {
    let left = next.map(|next| next.as_millis().saturating_sub(engine.now().as_millis()));
    left.map_or(LONGEST, |left| {
        Duration::from_millis(u64::try_from(left).unwrap_or(0)).clamp(SHORTEST, LONGEST)
    })
}

impl Engine {
    /// Fires what is due, as far as this node has room for it. Says how many due times got their row.
    pub async fn fire_due(&self) -> Result<usize> {
        let now = self.now();
        // First without counting what runs: mostly nothing is due.
        let first: Vec<_> = self.store().read(move |tx: &mut Tx| schedules::due(tx, now, 1)).await?;
        if first.is_empty() {
            return Ok(0);
        }
        let room = u32::try_from(self.room_for_runs().await?).unwrap_or(u32::MAX);
        let read = move |tx: &mut Tx| match room {
            0 => schedules::due_reminders(tx, now, REMINDERS),
            room => schedules::due(tx, now, room),
        };
        let due = self.store().read(read).await?;
        let mut tally = SettledCount::default();
        for (id, user) in due {
            tally.add(self.fire(id, user).await);
        }
        tally.told()
    }

    /// One that cannot be fired holds up no other.
    async fn fire(&self, id: ScheduleId, user: UserId) -> Result<bool> {
        let engine = self.clone();
        match self.undisturbed(async move { Box::pin(engine.fire_one(id, user)).await }).await {
            // It would be the first to be due at every look, and hold up what is due later.
            Err(Error::Store(error)) if error.is_unreadable() => {
                tracing::error!(%error, schedule = %id, "a schedule cannot be read; it is stopped");
                let now = self.now();
                self.store().write(move |tx: &mut Tx| schedules::stop(tx, id, now)).await?;
                Ok(true)
            }
            fired => fired,
        }
    }

    /// How many more turns of schedules this node may run.
    pub(super) async fn room_for_runs(&self) -> Result<u64> {
        let node = self.inner.node;
        let running = self.store().read(move |tx: &mut Tx| store::turns::count_scheduled(tx, node)).await?;
        Ok(self.inner.settings.schedules.at_once.saturating_sub(running))
    }

    /// Gives an outcome to runs whose turn was ended by something that knows nothing of schedules. Says how many.
    pub async fn settle_left_runs(&self) -> Result<usize> {
        let left = self.store().read(schedules::open_runs_ended).await?;
        let mut tally = SettledCount::default();
        for run in left {
            tally.add(self.settle_left(run).await);
        }
        tally.told()
    }

    async fn settle_left(&self, run: OpenRun) -> Result<bool> {
        let (engine, key, now) = (self.clone(), self.store().data_key(run.user_id).await?, self.now());
        let outcome = run.outcome.map_or(RunOutcome::Failed, RunOutcome::from);
        let settle = move |tx: &mut Tx| settle_run::settle_run(tx, &engine, &key, run.turn_id, outcome, now);
        self.store().write(settle).await?;
        Ok(true)
    }
}
