//! The worker of one turn: it asks the machine what to do, and does it.

mod apply_input;
mod commit;
pub(crate) mod hooks;
pub(crate) mod plan;
mod plan_call;
mod plan_message;
mod resume;
mod run_loop;
mod signals;
mod worker;
pub(crate) mod write_plan;

pub(crate) use worker::Worker;
