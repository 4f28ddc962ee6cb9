//! Going down beside other nodes: what runs here ends, or is left to them.
//!
//! A worker gives its turn up where nothing is lost by it, between two steps ([`crate::worker`]); what has not come so far when the time
//! is over is given up as it is. Alone, and on SQLite, there is no other node that could go on: everything stays for the next start.

use crate::{claim::node_state::NodeState, engine::Engine};
use std::time::Duration;
use store::{
    Tx,
    nodes::{self, Beaten},
};

/// Other nodes serve meanwhile, so that a reply may take longer to end than where people wait for the next start.
pub(crate) const BESIDE_OTHERS: u32 = 3;
/// For what asks the database on the way down.
const PATIENCE: Duration = Duration::from_secs(2);

impl Engine {
    /// Says that this node takes no new work; finds out whether others do. `true`: they get what runs here.
    pub(crate) async fn begin_drain(&self) -> bool {
        if !self.has_other_nodes() {
            return false;
        }
        let beat = self.beat();
        let said = self.store().urgent(move |tx: &mut Tx| nodes::beat(tx, &beat));
        let others = match tokio::time::timeout(PATIENCE, said).await {
            Ok(Ok(Some(Beaten { helping, .. }))) => helping,
            _ => 0,
        };
        if others > 0 {
            tracing::info!(others, "other servers take over what runs here");
            self.state::<NodeState>().leave();
        }
        others > 0
    }

    /// The time is over: what still runs is given up, while the others can be told of it.
    pub(crate) async fn leave_the_rest(&self) {
        self.lose_all();
        // A task that waits for the database ends with the halt, and what it holds is given up after that.
        let given_up = async {
            self.inner.tasks.wait().await;
            self.release_turns().await;
            self.left_to_others();
        };
        if tokio::time::timeout(PATIENCE, given_up).await.is_err() {
            tracing::debug!("what runs here is given up after the halt; the others find it with a beat");
        }
    }

    /// Gives up every turn of this node.
    pub(crate) async fn release_turns(&self) {
        let node = self.inner.node;
        fail::fail_point!("release_before_commit");
        if let Err(error) = self.store().write(move |tx| store::turns::release(tx, node)).await {
            tracing::warn!(%error, "could not give up the leases; they expire by themselves");
        }
        fail::fail_point!("release_after_commit");
    }
}
