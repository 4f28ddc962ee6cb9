//! The tables: one module for each, with its rows and every statement that touches it.
//!
//! A module here knows how its rows are found, written and encrypted. It never decides what happens next, and it never
//! answers with a row of another person. The crate gives them under their own names: `store::sessions`, not
//! `store::table::sessions`. Start at [`sessions`].

pub mod abilities;
pub mod agents;
pub mod api_keys;
pub mod approvals;
pub mod audit;
pub mod calls;
pub mod chat_sessions;
pub mod compactions;
pub mod errands;
pub mod house;
pub mod idempotency;
pub mod inbox;
pub mod kept;
pub mod knowledge;
pub mod log;
pub mod messages;
pub mod money;
pub mod numbers;
pub mod providers;
pub mod questions;
pub mod rules;
pub mod schedules;
pub mod session_files;
pub mod sessions;
pub mod sign_in;
pub mod titles;
pub mod turns;
pub mod uploads;
pub mod users;
