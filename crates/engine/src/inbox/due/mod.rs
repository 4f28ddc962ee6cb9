//! Fires what is due: exactly once by any number of nodes, none of which leads. That a run ends with its turn is written by the worker, in
//! the same transaction. No due time is left without an outcome.

pub(crate) mod fire_due;
mod fire_one;
mod reckon;
mod reminder;
