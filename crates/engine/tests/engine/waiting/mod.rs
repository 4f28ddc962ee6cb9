//! What a parked turn waits for.

mod approvals;
mod questions;
mod workplace;
