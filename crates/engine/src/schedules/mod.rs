//! What agents do at their times.
//!
//! **Owns** the schedules of people, and the firing of what is due: exactly once by any number of nodes, none of which leads. That a run
//! ends with its turn is written by the worker, in the same transaction.
//! **Must never** give a run more rights than its agent had when its person made the schedule, or leave a due time without an outcome.
//! **Start at** [`fire_due`].

pub(crate) mod fire_due;
mod firing;
pub(crate) mod manage;
pub(crate) mod new_schedule;
mod reckon;
pub(crate) mod settings;
