//! What a dead or silent process left: leases, sweeps, turns that cannot be read, stops and retries.

pub(crate) mod lease;
pub(crate) mod stop_and_retry;
pub(crate) mod sweep;
pub(crate) mod unreadable_turn;
