//! The loop as a pure machine: `step(state, input) -> (state, effects)`.
//!
//! This crate decides what happens in a turn and does none of it. It has no clock, no randomness, no I/O and no
//! async: whatever happened comes in as an [`Input`], whatever should be done goes out as [`Effect`]s, in order.
//! The [`State`] is serialisable after each step and is exactly what recovery loads, so a crash, a replay, a limit
//! or a stop is a sequence of inputs that a test can feed in milliseconds.
//!
//! What it must never do: depend on anything but `domain`; refuse an input with a panic. An input that does not fit
//! the state (a late result, a second stop) changes nothing.
//!
//! Start reading at [`step()`].

mod effect;
mod input;
mod loop_guard;
mod recover;
mod retry_policy;
mod state;
mod step;

pub use effect::{Effect, LimitKind, Notice, Settlement};
pub use input::{Decision, Failure, Input, NewCall, Retry};
pub use loop_guard::{Outcome, POINTED_OUT, STOPPED};
pub use retry_policy::{Again, Policy};
pub use state::{CallState, Phase, Progress, State};
pub use step::step;

#[cfg(test)]
mod exhaustive_tests;
#[cfg(test)]
mod failure_tests;
#[cfg(test)]
mod ledger_tests;
#[cfg(test)]
mod loop_guard_tests;
#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod recover_tests;
#[cfg(test)]
mod scene_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod world_tests;
