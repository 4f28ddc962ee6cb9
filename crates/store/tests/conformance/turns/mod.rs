//! Turns and what belongs to them.

pub mod approvals;
pub mod calls;
pub mod errands;
pub mod inbox;
pub mod nodes;
pub mod opening;
pub mod questions;
pub mod turns;
pub mod waiting;
