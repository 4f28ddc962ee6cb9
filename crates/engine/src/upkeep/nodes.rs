//! The servers that work on this database, as admins see them. `majordomo doctor` reads the same rows.

use crate::{claim::node_state::NodeState, engine::Engine, error::Result};
use domain::{NodeId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{
    Tx,
    nodes::{self, NodeRow},
};

/// A server that works on this database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HouseNode {
    pub id: NodeId,
    /// Of its machine.
    pub name: String,
    pub version: String,
    pub status: NodeStatus,
    pub started_at: Timestamp,
    pub seen_at: Timestamp,
    /// How many replies it works on.
    pub running_turns: u64,
    /// How far its clock is ahead of the database's, in milliseconds; null where the server's own clock counts.
    pub clock_ahead_ms: Option<i64>,
    /// True: a person should set its clock.
    pub clock_is_off: bool,
    /// How long its lease lasts, in milliseconds, below 0: it is over; null where there is one server.
    pub lease_left_ms: Option<i64>,
    /// True for the server that answers this request.
    pub is_this: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    Serving,
    /// It takes no new work, and stops when the others have what it had.
    Leaving,
    /// It did not say for a while that it is there, nor that it stops. Others continue its replies.
    Silent,
}

impl HouseNode {
    fn of(row: NodeRow, this: NodeId) -> Self {
        let status = match (row.is_silent(), row.is_leaving()) {
            (true, _) => NodeStatus::Silent,
            (false, true) => NodeStatus::Leaving,
            (false, false) => NodeStatus::Serving,
        };
        Self {
            status,
            clock_is_off: row.is_clock_off(),
            id: row.id,
            is_this: row.id == this,
            name: row.name,
            version: row.version,
            started_at: row.started_at,
            seen_at: row.seen_at,
            running_turns: row.turns,
            clock_ahead_ms: Some(row.ahead_ms),
            lease_left_ms: Some(row.lease_left_ms),
        }
    }
}

impl Engine {
    /// Those that have been there longest first. A server that has its database to itself is the only one.
    pub async fn nodes(&self) -> Result<Vec<HouseNode>> {
        if !self.has_other_nodes() {
            return Ok(vec![self.only_node()]);
        }
        let (this, now) = (self.inner.node, self.now());
        let rows = self.store().read(move |tx: &mut Tx| nodes::list(tx, now)).await?;
        Ok(rows.into_iter().map(|row| HouseNode::of(row, this)).collect())
    }

    fn only_node(&self) -> HouseNode {
        let (node, now) = (&self.inner.identity, self.now());
        HouseNode {
            id: node.id,
            name: node.name.clone(),
            version: node.version.clone(),
            status: if self.is_draining() { NodeStatus::Leaving } else { NodeStatus::Serving },
            started_at: self.state::<NodeState>().started_at().unwrap_or(now),
            seen_at: now,
            running_turns: u64::try_from(self.running_turns()).unwrap_or(u64::MAX),
            clock_ahead_ms: None,
            clock_is_off: false,
            lease_left_ms: None,
            is_this: true,
        }
    }
}
