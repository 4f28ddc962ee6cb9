//! What became of this node's turns elsewhere: another node took one over, or a person stopped one there. And which of them have no worker
//! here, although this node has them: the COMMIT of their transaction had no answer, and was stored.
//!
//! The epoch keeps a worker that lost its turn from writing anything, but it would not know before its next commit, and would ask the
//! model until then. Only PostgreSQL has other nodes.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    claim::node_state::NodeState,
    engine::Engine,
    error::Result,
    faults::guards_off::looks_are_off,
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use domain::TurnId;
use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use store::{
    Tx,
    turns::{self, Held},
};

const OFTEN: Duration = Duration::from_millis(500);
/// With every so manieth look the calls that wait for a person look for an answer that was given elsewhere, and not heard of.
const ANSWERS: u32 = 4;

#[derive(Default)]
pub(crate) struct LookForLostTurns {
    /// The turns of this node that had no worker at the last look.
    unworked: Mutex<HashSet<TurnId>>,
    looks: AtomicU32,
}

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
        if here.is_empty() && !engine.state::<NodeState>().owns_turns() {
            return Ok(());
        }
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        if looks.is_multiple_of(ANSWERS) && !looks_are_off() && engine.bus().has_to_look() {
            engine.signal_answers();
        }
        let node = engine.inner.node;
        let held = match engine.store().urgent(move |tx: &mut Tx| turns::held(tx, node)).await {
            // Nothing is known: that is no reason to let go.
            Err(error) if error.is_transient() => return Ok(()),
            held => held?,
        };
        self.look_for_unworked(engine, &held);
        let held: HashMap<TurnId, Held> = held.into_iter().map(|held| (held.turn_id, held)).collect();
        for (turn, epoch) in here {
            match held.get(&turn) {
                Some(held) if held.epoch == epoch && held.stops && !looks_are_off() => {
                    engine.signal_stop(turn);
                }
                Some(held) if held.epoch == epoch => {}
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

impl LookForLostTurns {
    /// A turn that has no worker in two looks, and that no transaction of this node is about to claim, is taken up as an abandoned one.
    fn look_for_unworked(&self, engine: &Engine, held: &[Held]) {
        let has_none = |held: &&Held| {
            !engine.is_claiming(held.session_id) && !engine.has_worker(held.turn_id, held.session_id)
        };
        let now: HashSet<TurnId> = held.iter().filter(has_none).map(|held| held.turn_id).collect();
        let mut before = self.unworked.lock().unwrap_or_else(PoisonError::into_inner);
        if now.iter().any(|turn| before.contains(turn)) {
            engine.wake(WakeUp::LeftTurns);
        }
        *before = now;
    }
}
