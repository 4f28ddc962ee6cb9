//! How many searches run at the same time, in files and in conversations, so that they leave readers of the database for
//! everything else.

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

/// There are a few more readers than that.
const SEARCHES: usize = 2;

pub(crate) struct SearchSlots(Semaphore);

impl Default for SearchSlots {
    fn default() -> Self {
        Self(Semaphore::new(SEARCHES))
    }
}

impl SearchSlots {
    /// A slot, as soon as one is free.
    pub(crate) async fn acquire(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.0.acquire().await
    }
}
