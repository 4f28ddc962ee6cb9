//! What the program does by itself, beside what people ask for. A job is one file in its room and one line in
//! `clock/jobs.rs`; one loop runs them all.

use crate::{engine::Engine, error::Result, wake_ups::WakeUp};
use async_trait::async_trait;
use std::time::Duration;

#[async_trait]
pub(crate) trait BackgroundJob: Send + Sync {
    fn name(&self) -> &'static str;

    fn terms(&self) -> JobTerms {
        JobTerms::default()
    }

    /// Runs once. An error is logged, and the job runs again when it is due.
    async fn run(&self, engine: &Engine) -> Result<()>;

    /// Asked after each run.
    async fn next_run(&self, engine: &Engine) -> NextRun;
}

/// When a job runs again, unless it is woken before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextRun {
    /// This long after the last run began.
    Every(Duration),
    /// This long from now.
    In(Duration),
    /// Not before it is woken.
    WhenWoken,
}

/// Where a job runs, and until when.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JobTerms {
    /// Also in a process that takes up no turns, such as a command that only lists something.
    pub(crate) everywhere: bool,
    /// It goes on while turns that run are given time to end; other jobs end when no new work is taken.
    pub(crate) until_halt: bool,
    /// A first run that the database could not do is tried again soon, until it can.
    pub(crate) insists_at_start: bool,
    pub(crate) woken_by: Option<WakeUp>,
    /// After a failure it does not run again sooner, unless it is woken.
    pub(crate) after_failure: Duration,
}
