//! Connections from their beginning to their end, and what every request passes.

pub(crate) mod detached;
mod head_limit;
pub(crate) mod patient;
pub(crate) mod pipeline;
pub(crate) mod revocable;
pub(crate) mod rewrite;
pub(crate) mod serve;
