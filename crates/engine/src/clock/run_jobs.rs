//! The one loop of all background jobs: each has a task of its own, which the shutdown waits for.

use crate::{
    background_job::{BackgroundJob, NextRun},
    clock::jobs,
    engine::Engine,
    error::{Error, Result},
    faults::crash_points::unless_cut_off,
    store_retry::Patience,
};
use futures_util::FutureExt as _;
use std::{panic::AssertUnwindSafe, time::Duration};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;

/// The tasks of the jobs. Not among the tasks of the engine, which have to end before the halt: some jobs go on until then.
#[derive(Default)]
struct Jobs(TaskTracker);

impl Engine {
    /// Starts every job that runs in this process.
    pub(crate) fn start_jobs(&self) {
        for job in jobs::all(self) {
            if self.inner.settings.turn.takes_up || job.terms().everywhere {
                let span = tracing::info_span!("job", name = job.name());
                self.state::<Jobs>().0.spawn(repeat(self.clone(), job).instrument(span));
            }
        }
    }

    /// Waits until no job runs any more. They end with the halt at the latest.
    pub(crate) async fn join_jobs(&self) {
        let jobs = self.state::<Jobs>();
        jobs.0.close();
        jobs.0.wait().await;
    }
}

async fn repeat(engine: Engine, job: Box<dyn BackgroundJob>) {
    let terms = job.terms();
    let ends = if terms.until_halt { &engine.inner.halt } else { &engine.inner.draining };
    let woken = terms.woken_by.map(|what| engine.woken(what));
    let mut insists = terms.insists_at_start;
    loop {
        let begun = Instant::now();
        let ran = match std::mem::take(&mut insists) {
            true => insist(&engine, job.as_ref()).await,
            false => run(&engine, job.as_ref()).await,
        };
        let least = if ran.is_err() { terms.after_failure } else { Duration::ZERO };
        let due = match job.next_run(&engine).await {
            NextRun::Every(period) => Some((begun + period).max(Instant::now() + least)),
            NextRun::In(pause) => Some(Instant::now() + pause.max(least)),
            NextRun::WhenWoken => None,
        };
        tokio::select! {
            () = ends.cancelled() => return,
            () = notified(woken.as_deref()) => {}
            () = reached(due) => {}
        }
    }
}

/// A mistake in one run does not end the job.
async fn run(engine: &Engine, job: &dyn BackgroundJob) -> Result<()> {
    let ran = AssertUnwindSafe(job.run(engine)).catch_unwind().await;
    let ran = unless_cut_off(ran).unwrap_or(Err(Error::Internal));
    if let Err(error) = &ran {
        tracing::warn!(%error, job = job.name(), "a background job failed; it is tried again");
    }
    ran
}

/// Runs it until the database could.
async fn insist(engine: &Engine, job: &dyn BackgroundJob) -> Result<()> {
    let mut patience = Patience::default();
    loop {
        match run(engine, job).await {
            Err(Error::Store(error)) if error.is_transient() => {
                if !patience.wait(engine, &error).await {
                    return Ok(());
                }
            }
            ran => return ran,
        }
    }
}

async fn notified(wake_up: Option<&Notify>) {
    match wake_up {
        Some(wake_up) => wake_up.notified().await,
        None => std::future::pending().await,
    }
}

async fn reached(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[path = "run_jobs_tests.rs"]
mod tests;
