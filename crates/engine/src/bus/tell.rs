//! How a room tells other nodes something, and hears what they tell, without knowing the way there.

use crate::{
    bus::{neighbours::Neighbours, node_note::NodeNote, outbox::Outbox},
    engine::Engine,
    faults::guards_off::{bus_is_off, notes_are_off},
};
use domain::SessionId;
use std::{
    collections::HashSet,
    sync::{Arc, OnceLock, atomic::AtomicU64},
};
use store::NodeBus;
use uuid::Uuid;

/// What a room does with the notes of other nodes. It is asked in the task that hears them, and must not wait.
pub(crate) trait NoteTaker: Send + Sync {
    fn take(&self, engine: &Engine, from: Uuid, note: &NodeNote);

    /// Notes may have been missed.
    fn gap(&self, engine: &Engine);
}

/// Where the live pieces that other nodes want come from.
pub(crate) trait LiveSource: Send + Sync {
    /// What of these sessions was not given before, as JSON, each piece with the node that wants it.
    fn pieces(&self, engine: &Engine, sessions: HashSet<SessionId>) -> Vec<(Uuid, String)>;

    /// What was given may not have reached anyone.
    fn begin_again(&self, engine: &Engine);
}

#[derive(Default)]
pub(crate) struct BusState {
    /// Set once, when the engine starts on PostgreSQL.
    way: OnceLock<(Uuid, NodeBus)>,
    pub(crate) outbox: Outbox,
    pub(super) neighbours: Neighbours,
    pub(super) takers: OnceLock<Vec<Box<dyn NoteTaker>>>,
    pub(super) live: OnceLock<Box<dyn LiveSource>>,
    /// How many sealed notes this node has sent. One count for all of them: who hears them goes by a number that grows, and there is
    /// nothing to keep of nodes that have gone.
    pub(super) sealed: AtomicU64,
}

impl BusState {
    /// The name of this process among the nodes, and the way to the others.
    pub(super) fn way(&self) -> Option<&(Uuid, NodeBus)> {
        self.way.get()
    }

    /// The name of this process among the nodes.
    pub(crate) fn own_name(&self) -> Option<Uuid> {
        self.way.get().map(|(name, _)| *name)
    }

    pub(crate) fn is_alone(&self) -> bool {
        self.neighbours.is_alone()
    }

    /// This node does not even hear itself.
    pub(crate) fn is_deaf(&self) -> bool {
        self.neighbours.is_deaf()
    }

    /// Has what was not told to be looked for? Also by a node that hears nothing, not even itself.
    pub(crate) fn has_to_look(&self) -> bool {
        !self.is_alone() || self.is_deaf()
    }

    /// Tells all other nodes, if there are any.
    pub(crate) fn tell(&self, note: NodeNote) {
        if !self.is_alone() && !notes_are_off() {
            self.outbox.add(note);
        }
    }
}

impl Engine {
    /// Called once, when the engine starts. `false` on SQLite, where there are no other nodes.
    pub(crate) fn open_bus(&self, takers: Vec<Box<dyn NoteTaker>>, live: Box<dyn LiveSource>) -> bool {
        let Some(way) = self.store().bus().filter(|_| !bus_is_off()) else { return false };
        let bus = self.bus();
        // Only the first call counts.
        drop((bus.way.set((self.inner.ids.uuid(), way)), bus.takers.set(takers), bus.live.set(live)));
        true
    }

    pub(crate) fn bus(&self) -> Arc<BusState> {
        self.state::<BusState>()
    }

    /// Tells all other nodes, if there are any. Nothing is told before its transaction has committed.
    pub(crate) fn tell(&self, note: NodeNote) {
        self.bus().tell(note);
    }
}
