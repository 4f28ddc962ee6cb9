//! What became of this node's turns elsewhere: another node took one over, or a person stopped one there.
//!
//! The epoch keeps a worker that lost its turn from writing anything, but it would not know before its next commit, and would ask the
//! model until then. Only PostgreSQL has other nodes.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    engine::Engine,
    error::Result,
};
use async_trait::async_trait;
use domain::TurnId;
use std::{collections::HashMap, time::Duration};
use store::{Tx, turns};

const OFTEN: Duration = Duration::from_millis(500);

pub(crate) struct LookForLostTurns;

#[async_trait]
impl BackgroundJob for LookForLostTurns {
    fn name(&self) -> &'static str {
        "lost turns"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        // Before the database is asked: what begins after this is not looked for.
        let here = engine.worked_on();
        if here.is_empty() {
            return Ok(());
        }
        let node = engine.inner.node;
        let held = match engine.store().urgent(move |tx: &mut Tx| turns::held(tx, node)).await {
            // Nothing is known: that is no reason to let go.
            Err(error) if error.is_transient() => return Ok(()),
            held => held?,
        };
        let held: HashMap<TurnId, (u64, bool)> =
            held.into_iter().map(|(turn, epoch, stops)| (turn, (epoch, stops))).collect();
        for (turn, epoch) in here {
            match held.get(&turn) {
                Some((same, true)) if *same == epoch => engine.signal_stop(turn),
                Some((same, false)) if *same == epoch => {}
                // One that has just ended or waits for a person has no worker that would hear this.
                _ => engine.signal_lost(turn, epoch),
            }
        }
        Ok(())
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        match engine.has_other_nodes() {
            true => NextRun::Every(OFTEN),
            false => NextRun::WhenWoken,
        }
    }
}
