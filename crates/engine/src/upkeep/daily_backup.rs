//! Backups that nobody has to think of.

use crate::engine::Engine;
use domain::Timestamp;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval};

/// How often it is asked whether it is time; oftener where backups come often.
const LOOK: Duration = Duration::from_secs(60);
/// A house that has no backup gets its first one when it has been open for this long.
const SETTLED_MS: i64 = 10 * 60_000;
/// After a failure the next attempt waits for this long.
const AGAIN_MS: i64 = 60 * 60_000;

pub(crate) fn spawn(engine: &Engine) {
    let settings = &engine.inner.settings.backups;
    let (Some(every), Some(_)) = (settings.every, &settings.folder) else { return };
    let look = LOOK.min(every / 4).max(Duration::from_millis(10));
    let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
    let (engine, opened) = (engine.clone(), engine.now());
    // Not tracked: what it has begun is, and it ends with the draining.
    tokio::spawn(async move {
        let mut ticks = interval(look);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut failed = None;
        loop {
            tokio::select! {
                () = engine.inner.draining.cancelled() => return,
                _ = ticks.tick() => {}
            }
            let newest = engine.newest_backup().await;
            if is_due(engine.now(), opened, newest, failed, every) {
                failed = backup(&engine).await.err();
            }
        }
    });
}

async fn backup(engine: &Engine) -> Result<(), Timestamp> {
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
