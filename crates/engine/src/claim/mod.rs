//! How a turn becomes ours: its first transaction, and the record that a worker goes on from.

pub(crate) mod input_refusal;
pub(crate) mod opening;
pub(crate) mod record;
pub(crate) mod running;
