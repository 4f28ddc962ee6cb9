//! Asking the store again whether the proofs that open streams and long requests began with still count.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    engine::Engine,
    error::Result,
    faults::guards_off::looks_are_off,
    wake_ups::WakeUp,
};
use async_trait::async_trait;

pub(crate) struct RecheckRevocations;

#[async_trait]
impl BackgroundJob for RecheckRevocations {
    fn name(&self) -> &'static str {
        "revocation recheck"
    }

    fn terms(&self) -> JobTerms {
        let woken_by = Some(WakeUp::Ended);
        JobTerms { everywhere: true, until_halt: true, woken_by, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        Ok(engine.people().recheck().await?)
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        match looks_are_off() {
            true => NextRun::WhenWoken,
            false => NextRun::Every(engine.inner.settings.people.recheck),
        }
    }
}
