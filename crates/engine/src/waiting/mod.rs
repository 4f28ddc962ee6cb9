//! What a parked turn waits for: questions, approvals, errands, and the end of their time.

pub(crate) mod approvals;
pub(crate) mod errand_delivery;
pub(crate) mod expiry;
pub(crate) mod questions;
pub(crate) mod waits_for;
