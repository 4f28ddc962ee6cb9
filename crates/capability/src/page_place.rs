//! Places for those who convert a page: it costs many times its size meanwhile.

use tokio::sync::{Semaphore, SemaphorePermit};

/// Pages that are converted at the same time, for everybody in the house.
const AT_ONCE: usize = 2;
static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);

/// Waits for a place. It is given back when what it was for has ended, also when its caller no longer waits for that.
pub async fn place() -> Option<SemaphorePermit<'static>> {
    PLACES.acquire().await.ok()
}
