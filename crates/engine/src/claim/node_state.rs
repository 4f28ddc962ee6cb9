//! What this process knows of its own life as a node: whether it beats, whether others do, and whom it may judge.
//!
//! A node that was away itself knows nothing of the others: when a database comes back after a minute, every lease is over, and each node
//! has to be given the time to say that it is alive.

use crate::{bus::node_note::NodeNote, engine::Engine};
use domain::Timestamp;
use std::{
    sync::{
        Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use store::nodes::Beat;
use tokio_util::sync::CancellationToken;

/// A lease has to be over for this long before its node counts as dead.
const GRACE_MS: i64 = 3_000;
/// So many beats in a row have to succeed before others are judged.
const BEATS_TO_JUDGE: u32 = 3;
/// So long before its lease is over, by its own measure, a node lets go of its turns.
const LET_GO_BEFORE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct NodeState {
    beats: Mutex<Beats>,
    /// Cancelled when another process is this node.
    superseded: CancellationToken,
    started_at: OnceLock<Timestamp>,
    /// Cancelled when this node goes down and others go on with what it has.
    leaving: CancellationToken,
    /// The database says that turns of this node run.
    owning: AtomicBool,
}

#[derive(Default)]
struct Beats {
    /// Good ones since the start, or since the last that failed.
    in_a_row: u32,
    /// When the last good one began.
    last: Option<Instant>,
    /// How many other nodes it saw alive.
    others: u64,
}

impl NodeState {
    fn beats(&self) -> MutexGuard<'_, Beats> {
        self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note_start(&self, now: Timestamp) {
        self.started_at.get_or_init(|| now);
    }

    pub(crate) fn started_at(&self) -> Option<Timestamp> {
        self.started_at.get().copied()
    }

    fn note_beat(&self, begun: Instant, others: u64) {
        let mut beats = self.beats();
        *beats = Beats { in_a_row: beats.in_a_row.saturating_add(1), last: Some(begun), others };
    }

    pub(crate) fn note_failure(&self) {
        self.beats().in_a_row = 0;
    }

    pub(crate) fn leave(&self) {
        self.leaving.cancel();
    }

    /// What the last beat found.
    pub(crate) fn note_owning(&self, owning: bool) {
        self.owning.store(owning, Ordering::Relaxed);
    }

    /// Had this node turns that run when it beat last, by the database?
    pub(crate) fn owns_turns(&self) -> bool {
        self.owning.load(Ordering::Relaxed)
    }

    pub(crate) fn may_judge(&self) -> bool {
        self.beats().in_a_row >= BEATS_TO_JUDGE
    }

    /// When others may take this node's turns: its lease is as good as over then, and there were others to take them.
    fn robbed_after(&self, lease: Duration) -> Option<Instant> {
        let beats = self.beats();
        let limit = lease.saturating_sub(LET_GO_BEFORE.min(lease / 3));
        (beats.others > 0).then_some(beats.last).flatten().map(|last| last + limit)
    }
}

impl Engine {
    /// This node has said that it is alive, and saw so many others.
    pub(crate) fn note_beat(&self, begun: Instant, others: u64) {
        let state = self.state::<NodeState>();
        state.note_beat(begun, others);
        let end = state.robbed_after(self.inner.settings.turn.lease);
        *self.inner.robbed_after.lock().unwrap_or_else(PoisonError::into_inner) = end;
    }

    /// Nodes whose lease ended before this are dead, as far as this one may judge them.
    pub(crate) fn dead_before(&self) -> Timestamp {
        match self.state::<NodeState>().may_judge() {
            true => self.lease_time().plus_millis(-self.grace_ms()),
            false => Timestamp::from_millis(0),
        }
    }

    fn grace_ms(&self) -> i64 {
        GRACE_MS.min(self.lease_ms())
    }

    pub(crate) fn beat(&self) -> Beat {
        Beat {
            node: self.inner.node,
            boot: self.inner.identity.boot.clone(),
            lease_ms: self.lease_ms(),
            clock: self.inner.clock.of_machine(),
            grace_ms: self.grace_ms(),
            // A command that ends soon takes no work, either: no server may leave its turns to it.
            draining: self.is_draining() || !self.inner.settings.turn.takes_up,
            backs_up: self.inner.settings.turn.takes_up && self.inner.settings.backups.is_daily(),
        }
    }

    /// Cancelled when this node goes down beside others, which go on with what it has: who reads here has to read there.
    pub fn leaving(&self) -> CancellationToken {
        self.state::<NodeState>().leaving.clone()
    }

    /// The others are told to look for what this node has left, if it leaves.
    pub(crate) fn left_to_others(&self) {
        if self.leaving().is_cancelled() {
            self.tell(NodeNote::Free);
        }
    }

    /// Another process is this node: nothing more is done here.
    pub(crate) fn give_way(&self) {
        self.inner.draining.cancel();
        self.inner.halt.cancel();
        self.state::<NodeState>().superseded.cancel();
    }

    pub(crate) fn has_given_way(&self) -> bool {
        self.state::<NodeState>().superseded.is_cancelled()
    }

    /// Returns when another process has become this node. What runs here has been let go of by then.
    pub async fn superseded(&self) {
        self.state::<NodeState>().superseded.cancelled().await;
    }
}
