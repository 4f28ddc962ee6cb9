//! Requests that wait for the end of one turn, wherever it runs. A node that goes down beside others lets them wait while there is time.

use crate::engine::Engine;
use tokio_util::task::{TaskTracker, task_tracker::TaskTrackerToken};

#[derive(Default)]
struct AwaitedTurns(TaskTracker);

impl Engine {
    /// Held by a request for as long as it waits.
    pub fn awaits_turn(&self) -> TaskTrackerToken {
        self.state::<AwaitedTurns>().0.token()
    }

    /// Returns when none waits any more.
    pub(crate) async fn none_awaited(&self) {
        let waiting = self.state::<AwaitedTurns>();
        waiting.0.close();
        waiting.0.wait().await;
    }
}
