//! How many requests really went out.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

/// Counts the requests that one question took, whatever becomes of its answer: an answer that pauses is asked to go on, and a
/// prompt that is refused for its pictures is sent without them. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct RequestCount(Arc<AtomicU32>);

impl RequestCount {
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// There was no connection that it could have gone out on.
    pub(crate) fn take_back(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
