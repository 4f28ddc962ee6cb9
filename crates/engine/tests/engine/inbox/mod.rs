//! How messages come in.

mod idempotency;
mod queue;
pub mod versions;
