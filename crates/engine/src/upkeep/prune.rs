//! Dropping what nothing refers to any more: old idempotency keys, unfinished forks, rules whose time is over, proposals
//! that no person answered, unused uploads, what nodes counted together.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    engine::Engine,
    error::{Error, Result},
};
use async_trait::async_trait;
use store::Tx;

/// Idempotency keys are kept this long.
const KEEP_INPUTS_MS: i64 = 7 * 24 * 3_600 * 1_000;
/// What an agent wants to remember waits for its person for this long.
const KEEP_PROPOSALS_MS: i64 = 30 * 24 * 3_600 * 1_000;
/// How many times a turn's lease passes between two runs: an hour with the usual one.
const LEASES: u32 = 240;

pub(crate) struct Prune;

#[async_trait]
impl BackgroundJob for Prune {
    fn name(&self) -> &'static str {
        "prune"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, ..JobTerms::default() }
    }

    /// What cannot be dropped holds up nothing else; it is tried again with the next run.
    async fn run(&self, engine: &Engine) -> Result<()> {
        let (store, now) = (engine.store(), engine.now());
        let before = now.plus_millis(-KEEP_INPUTS_MS);
        let inputs = move |tx: &mut Tx| store::inbox::prune(tx, before);
        let keys = move |tx: &mut Tx| store::idempotency::prune(tx, before);
        let rules = move |tx: &mut Tx| store::rules::prune(tx, now);
        let waiting_since = now.plus_millis(-KEEP_PROPOSALS_MS);
        let proposals = move |tx: &mut Tx| store::knowledge::drop_old_proposals(tx, waiting_since);
        let counted_until = engine.lease_time();
        let attempts = move |tx: &mut Tx| store::attempts::prune(tx, counted_until);
        let dropped = [
            ("old inputs", store.write(inputs).await.map(drop).map_err(Error::from)),
            ("old idempotency keys", store.write(keys).await.map(drop).map_err(Error::from)),
            ("unfinished forks", engine.drop_unfinished_forks().await),
            ("rules whose time is over", store.write(rules).await.map(drop).map_err(Error::from)),
            ("old proposals", store.write(proposals).await.map(drop).map_err(Error::from)),
            ("attempts to sign in", store.write(attempts).await.map(drop).map_err(Error::from)),
            ("slots of nodes that are gone", engine.prune_slots().await),
            ("unused uploads", engine.prune_uploads().await),
        ];
        for (what, dropped) in dropped {
            if let Err(error) = dropped {
                tracing::warn!(%error, what, "prune: something could not be dropped; it is tried again");
            }
        }
        Ok(())
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        NextRun::Every(engine.inner.settings.turn.lease * LEASES)
    }
}

impl Engine {
    async fn prune_slots(&self) -> Result<()> {
        if self.has_other_nodes() {
            self.store().write(store::slots::prune).await?;
        }
        Ok(())
    }
}
