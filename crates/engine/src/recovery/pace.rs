//! How fast a node takes up what others left: so many a second, and on PostgreSQL in an order of its own.
//!
//! Each turn that is taken up asks for its conversation and its model. A thousand of them at once would leave nothing of this node for the
//! people who talk to it; and several nodes that took them in one order would meet at each.

use crate::engine::Engine;
use futures_util::{Stream, stream};
use std::{
    hash::{DefaultHasher, Hash, Hasher as _},
    time::Duration,
};
use tokio::time::{MissedTickBehavior, interval};

/// A hundred a second.
const ONE: Duration = Duration::from_millis(10);
/// Turns that are taken up at the same time: enough to share commits, and few enough to leave connections for people. Each of them
/// waits in the line of everything else that asks the database, so that a busy one is asked less often.
pub(super) const AT_ONCE: usize = 4;
/// What is taken before it is looked again what is left: others take, too.
const AT_A_LOOK: usize = 100;

/// Each of these, not before it may be taken.
pub(super) fn paced<T>(found: Vec<T>) -> impl Stream<Item = T> {
    let mut ticks = interval(ONE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    stream::unfold((ticks, found.into_iter()), |(mut ticks, mut found)| async move {
        let next = found.next()?;
        ticks.tick().await;
        Some((next, (ticks, found)))
    })
}

impl Engine {
    /// Those that come first: where there are other nodes, in the order of this one; alone, as they are.
    pub(super) fn first_of<T, K: Hash>(&self, mut found: Vec<T>, named: impl Fn(&T) -> K) -> Vec<T> {
        if self.has_other_nodes() {
            sort_for(&self.inner.identity.boot, &mut found, named);
        }
        found.truncate(AT_A_LOOK);
        found
    }
}

/// The same list, in another order for each node.
fn sort_for<T, K: Hash>(boot: &str, found: &mut [T], named: impl Fn(&T) -> K) {
    found.sort_by_cached_key(|one| {
        let mut place = DefaultHasher::new();
        (boot, named(one)).hash(&mut place);
        place.finish()
    });
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;
