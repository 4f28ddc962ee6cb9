//! What a dead or silent process left.
//!
//! **Owns** sweeping for turns whose lease is over, renewing leases, turns that cannot be read, stops and retries.
//! **Must never** run an effect again whose outcome is unknown.
//! **Start at** [`sweep`].

pub(crate) mod lease;
pub(crate) mod stop_and_retry;
pub(crate) mod sweep;
pub(crate) mod turn_signals;
pub(crate) mod unreadable_turn;
