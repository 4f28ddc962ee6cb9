//! What a dead or silent process left.
//!
//! **Owns** taking over turns whose lease is over, renewing leases, the beat of this node, letting go of turns that another node has, leaving
//! turns to other nodes, turns that cannot be read, stops and retries.
//! **Must never** run an effect again whose outcome is unknown.
//! **Start at** [`takeover`].

pub(crate) mod heartbeat;
pub(crate) mod lease;
mod lost_ceiling;
pub(crate) mod lost_turns;
mod pace;
mod pauses;
pub(crate) mod shutdown_beside_others;
pub(crate) mod stop_and_retry;
pub(crate) mod takeover;
pub(crate) mod turn_signals;
mod unopened_turn;
pub(crate) mod unreadable_turn;
pub(crate) mod waiting_turn;
