//! The sign of life of a node where there may be others: one small statement a second, on a connection that waits for no other work.
//!
//! Turns have no lease of their own there; their owner's counts. So renewal takes no lock of a turn's row, and costs the same for one
//! turn and for a thousand.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    claim::node_state::NodeState,
    engine::Engine,
    error::Result,
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};
use store::{
    Tx,
    nodes::{self, Beaten, NodeRow},
};

const OFTEN: Duration = Duration::from_secs(1);
/// A process that is alive beats at least twice in this time.
const WATCHED: Duration = Duration::from_millis(2_500);

#[derive(Default)]
pub(crate) struct BeatOfNode {
    waiting: LeftWork,
    due: LeftWork,
}

/// Work that beats have seen and that no node seems to do. What begins or ends may look like it for a moment: it has to be seen twice in
/// a row. What stays is left to the regular search more and more, as nothing helps it at once.
#[derive(Default)]
struct LeftWork {
    in_a_row: AtomicU32,
}

impl LeftWork {
    /// Is it to be done here now?
    fn is_left(&self, seen: bool) -> bool {
        if !seen {
            self.in_a_row.store(0, Ordering::Relaxed);
            return false;
        }
        let times = self.in_a_row.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        times > 1 && times.is_power_of_two()
    }
}

#[async_trait]
impl BackgroundJob for BeatOfNode {
    fn name(&self) -> &'static str {
        "beat"
    }

    fn terms(&self) -> JobTerms {
        JobTerms { everywhere: true, until_halt: true, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        if !engine.has_other_nodes() {
            return Ok(());
        }
        // Before it beats: a process that stood still for longer than its lease has lost its turns, although it beats again.
        engine.let_go_if_robbed();
        let (begun, beat) = (Instant::now(), engine.beat());
        let beat = engine.store().urgent(move |tx: &mut Tx| nodes::beat(tx, &beat));
        // A beat that takes longer has failed. Another one has time before the lease is over; over a slow wire a beat takes its time.
        match tokio::time::timeout(engine.inner.settings.turn.lease / 3, beat).await {
            Ok(Ok(Some(beaten))) => self.heed(engine, begun, beaten),
            Ok(Ok(None)) => engine.find_place().await?,
            failed => {
                engine.state::<NodeState>().note_failure();
                engine.let_go_if_robbed();
                if let Ok(Err(error)) = failed
                    && !error.is_transient()
                {
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        match engine.has_other_nodes() {
            true => NextRun::Every(OFTEN.min(engine.inner.settings.turn.lease / 3)),
            false => NextRun::WhenWoken,
        }
    }
}

impl BeatOfNode {
    fn heed(&self, engine: &Engine, begun: Instant, beaten: Beaten) {
        let Beaten { others, orphaning, unowned, owning, waiting, due, .. } = beaten;
        let state = engine.state::<NodeState>();
        engine.note_beat(begun, others);
        engine.people().note_others(others > 0);
        state.note_owning(owning);
        // What a node gave up as it went is taken up also where its note was lost; nothing is to be judged there.
        let waiting = self.waiting.is_left(waiting);
        if unowned || waiting || (orphaning > 0 && state.may_judge()) {
            engine.wake(WakeUp::LeftTurns);
        }
        if self.due.is_left(due) {
            engine.wake(WakeUp::LeftErrands);
        }
    }
}

impl Engine {
    /// This process is the node from now on. Called once, before any turn is claimed.
    pub(crate) async fn register_node(&self) -> Result<()> {
        if !self.has_other_nodes() {
            return Ok(());
        }
        let (beat, node) = (self.beat(), self.inner.identity.clone());
        let register = move |tx: &mut Tx| nodes::register(tx, &beat, &node.name, &node.version);
        Ok(self.store().urgent(register).await?)
    }

    /// The node goes in good order, after it has given up its turns.
    pub(crate) async fn leave_nodes(&self) {
        let node = self.inner.identity.clone();
        let leave = move |tx: &mut Tx| nodes::leave(tx, node.id, &node.boot);
        if self.has_other_nodes()
            && let Err(error) = self.store().urgent(leave).await
        {
            tracing::warn!(%error, "could not say that this server stops; the others notice it by themselves");
        }
    }

    /// The row of this process is not there. Where the database has forgotten the node, it is told again. Where another process has its
    /// place, this one goes only if that one is alive: a database that was failed over to may have forgotten only the last start, and
    /// have the process before, which is dead.
    async fn find_place(&self) -> Result<()> {
        let Some(other) = self.own_row().await? else { return self.register_node().await };
        tokio::time::sleep(WATCHED).await;
        match self.own_row().await? {
            Some(now) if now.boot != self.inner.identity.boot && now.seen_at != other.seen_at => {
                tracing::error!(node = %now.id, "another process has become this node; this one stops");
                self.give_way();
                Ok(())
            }
            _ => self.register_node().await,
        }
    }

    async fn own_row(&self) -> Result<Option<NodeRow>> {
        let (node, now) = (self.inner.node, self.now());
        let known = self.store().urgent(move |tx: &mut Tx| nodes::list(tx, now)).await?;
        Ok(known.into_iter().find(|known| known.id == node))
    }

    /// Lets go of every turn here when others may have them by now. Those that are still this node's are taken up again.
    fn let_go_if_robbed(&self) {
        if self.any_running() && self.is_cut_off() {
            tracing::warn!(
                "this server could not say for too long that it is alive; it lets go of its turns"
            );
            self.lose_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_stays_is_looked_at_less_and_less_often() {
        let left = LeftWork::default();
        let looked: Vec<u32> = (1..=20).filter(|_| left.is_left(true)).collect();
        assert_eq!(looked, [2, 4, 8, 16]);
        assert!(!left.is_left(false));
        assert!(!left.is_left(true), "it may have begun just now");
        assert!(left.is_left(true));
    }
}
