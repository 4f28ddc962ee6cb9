//! What agents do at their times: the plans of people.
//!
//! **Owns** the schedules of people: how they are made, changed, paused, resumed and deleted.
//! **Must never** give a run more rights than its agent had when its person made the schedule, or make the label of a schedule better on
//! the word of an agent.
//! **Start at** [`manage`] for people and [`write`] for both; what agents do comes through `crates/engine/src/ports/schedules.rs`.
//! What is due is fired by `crates/engine/src/inbox/due`.

pub(crate) mod manage;
pub(crate) mod new_schedule;
pub(crate) mod settings;
pub(crate) mod write;
