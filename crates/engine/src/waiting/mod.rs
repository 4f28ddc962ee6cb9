//! What a parked turn waits for.
//!
//! **Owns** answers to questions and approvals, errands that come back, and the end of their time.
//! **Must never** count an answer twice, or keep a worker for a turn that waits.
//! **Start at** [`approvals`], then [`continue_turn`].

pub(crate) mod approvals;
pub(crate) mod continue_turn;
pub(crate) mod errand_delivery;
pub(crate) mod expiry;
pub(crate) mod questions;
pub(crate) mod settle_refusal;
pub(crate) mod waits_for;
