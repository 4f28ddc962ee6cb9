//! The sign of life of a process that has its database to itself: one statement renews the leases of all turns that run here. Where
//! there may be other nodes, [`beat`](super::beat) is the sign.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    engine::Engine,
    error::Result,
};
use async_trait::async_trait;
use std::time::Duration;

const SHORTEST: Duration = Duration::from_millis(10);

pub(crate) struct RenewLeases;

#[async_trait]
impl BackgroundJob for RenewLeases {
    fn name(&self) -> &'static str {
        "lease renewal"
    }

    /// Turns that are given time to end keep their lease.
    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        // An idle program writes nothing.
        if !engine.any_running() {
            return Ok(());
        }
        if !engine.has_other_nodes() {
            let (node, clock) = (engine.inner.node, engine.clone());
            let renew = move |tx: &mut store::Tx| store::turns::renew(tx, node, clock.lease_until());
            let stopped = engine.store().write(renew).await?;
            stopped.into_iter().for_each(|turn| engine.signal_stop(turn));
        }
        engine.signal_answers();
        Ok(())
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        NextRun::Every((engine.inner.settings.turn.lease / 3).max(SHORTEST))
    }
}
