//! What this process does for its people beside other nodes of the same database: whether there are others, and what they are to
//! be told. It tells nothing itself: the engine, which knows the way, takes it from here.

use crate::People;
use domain::NodeId;
use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Notify;

#[derive(Default)]
pub(crate) struct OtherNodes {
    /// Set where there may be other nodes.
    node: OnceLock<NodeId>,
    /// Others were alive when they were last looked for.
    others: AtomicBool,
    ended: AtomicBool,
    settled: AtomicBool,
    short: AtomicBool,
    stirred: Notify,
}

/// What other nodes have to hear of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeopleNews {
    /// A proof counts no more, or a person's role is another: what goes on with it has to end there, too.
    pub ended: bool,
    /// There is an owner.
    pub settled: bool,
    /// A person has too few slots here, and other nodes may have some that they do not need.
    pub short: bool,
}

impl OtherNodes {
    pub(crate) fn has_others(&self) -> bool {
        self.others.load(Ordering::Relaxed)
    }

    pub(crate) fn node(&self) -> Option<NodeId> {
        self.node.get().copied()
    }

    /// Wakes the task that keeps up with the other nodes.
    pub(crate) fn stir(&self) {
        if self.has_others() {
            self.stirred.notify_one();
        }
    }

    pub(crate) fn note_ended(&self) {
        self.ended.store(true, Ordering::Relaxed);
        self.stir();
    }

    pub(crate) fn note_short(&self) {
        self.short.store(true, Ordering::Relaxed);
        self.stir();
    }

    pub(crate) fn note_settled(&self) {
        self.settled.store(true, Ordering::Relaxed);
        self.stir();
    }
}

impl People {
    /// This process is a node of a database that may have others. There are some until the first look says that there are none.
    pub fn join_nodes(&self, node: NodeId) {
        // Only the first call counts.
        let _ = self.inner.other_nodes.node.set(node);
        self.note_others(true);
    }

    /// Whether other nodes are alive.
    pub fn note_others(&self, there: bool) {
        let before = self.inner.other_nodes.others.swap(there, Ordering::Relaxed);
        if there && !before {
            // They do not know what people have open here.
            self.inner.other_nodes.stir();
        }
    }

    /// Returns when there is something to do because of other nodes.
    pub async fn stirred(&self) {
        self.inner.other_nodes.stirred.notified().await;
    }

    /// What other nodes have to hear of since the last call.
    pub fn take_news(&self) -> PeopleNews {
        let other_nodes = &self.inner.other_nodes;
        PeopleNews {
            ended: other_nodes.ended.swap(false, Ordering::Relaxed),
            settled: other_nodes.settled.swap(false, Ordering::Relaxed),
            short: other_nodes.short.swap(false, Ordering::Relaxed),
        }
    }

    /// Another node says that there is an owner.
    pub fn hear_settled(&self) {
        self.inner.setup.close();
    }
}
