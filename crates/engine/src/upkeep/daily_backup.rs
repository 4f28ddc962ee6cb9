//! Backups that the program makes by itself.

use crate::{
    background_job::{BackgroundJob, NextRun},
    engine::Engine,
    error::Result,
};
use async_trait::async_trait;
use domain::{NodeId, Timestamp};
use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};
use store::{
    Tx,
    nodes::{self, NodeRow},
};

/// How often it is asked whether it is time; oftener where backups come often.
const LOOK: Duration = Duration::from_secs(60);
const SHORTEST: Duration = Duration::from_millis(10);
/// A house that has no backup gets its first one when it has been open for this long.
const SETTLED_MS: i64 = 10 * 60_000;
/// After a failure the next attempt waits for this long.
const AGAIN_MS: i64 = 60 * 60_000;

pub(crate) struct DailyBackup {
    opened: Timestamp,
    /// When the last attempt failed; none when it did not.
    failed: Mutex<Option<Timestamp>>,
}

impl DailyBackup {
    pub(crate) fn new(opened: Timestamp) -> Self {
        Self { opened, failed: Mutex::default() }
    }
}

#[async_trait]
impl BackgroundJob for DailyBackup {
    fn name(&self) -> &'static str {
        "daily backup"
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        let Some(every) = period(engine) else { return Ok(()) };
        let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
        let newest = engine.newest_backup().await;
        let failed = *self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if is_due(engine.now(), self.opened, newest, failed, every) && engine.makes_backups().await? {
            let failed = backup(engine).await.err();
            *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = failed;
        }
        Ok(())
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        match period(engine) {
            Some(every) => NextRun::Every(LOOK.min(every / 4).max(SHORTEST)),
            None => NextRun::WhenWoken,
        }
    }
}

impl Engine {
    /// Of the nodes that make backups by themselves the one with the smallest id makes those of all, as long as it is alive.
    async fn makes_backups(&self) -> Result<bool> {
        if !self.has_other_nodes() {
            return Ok(true);
        }
        let (node, now) = (self.inner.node, self.now());
        let nodes = self.store().read(move |tx: &mut Tx| nodes::list(tx, now)).await?;
        Ok(maker(&nodes).is_none_or(|first| first == node))
    }
}

/// The node that makes the backups of all.
fn maker(nodes: &[NodeRow]) -> Option<NodeId> {
    nodes.iter().filter(|known| !known.is_silent() && known.backs_up).map(|known| known.id).min()
}

/// How often backups are made; none where they are not made by themselves.
fn period(engine: &Engine) -> Option<Duration> {
    let settings = &engine.inner.settings.backups;
    settings.every.filter(|_| settings.is_daily())
}

async fn backup(engine: &Engine) -> std::result::Result<(), Timestamp> {
    match engine.make_backup(None).await {
        Ok(_) => {
            engine.thin_out_backups().await;
            Ok(())
        }
        Err(error) => {
            tracing::error!(%error, "the backup that was due could not be made; it is tried again in an hour");
            Err(engine.now())
        }
    }
}

fn is_due(
    now: Timestamp,
    opened: Timestamp,
    newest: Option<Timestamp>,
    failed: Option<Timestamp>,
    every: i64,
) -> bool {
    let is_retry = failed.is_none_or(|at| now >= at.plus_millis(AGAIN_MS.min(every)));
    // A newest backup of the future was made under a clock that went wrong; it must not hold up all others.
    let newest = newest.filter(|at| *at <= now);
    let due = newest.map_or(opened.plus_millis(SETTLED_MS.min(every)), |at| at.plus_millis(every));
    is_retry && now >= due
}

#[cfg(test)]
#[path = "daily_backup_tests.rs"]
mod tests;
