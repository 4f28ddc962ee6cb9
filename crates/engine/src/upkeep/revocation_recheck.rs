//! Asking the store again whether the proofs that open streams and long requests began with still count.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    engine::Engine,
    error::Result,
};
use async_trait::async_trait;

pub(crate) struct RecheckRevocations;

#[async_trait]
impl BackgroundJob for RecheckRevocations {
    fn name(&self) -> &'static str {
        "revocation recheck"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        engine.recheck().await
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        NextRun::Every(engine.inner.settings.people.recheck)
    }
}
