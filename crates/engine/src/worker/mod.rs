//! The worker of one turn.
//!
//! **Owns** the loop that hears inputs, asks the machine, carries out its effects, and commits what must be durable
//! in one transaction.
//! **Must never** write without its epoch, or publish before the commit.
//! **Start at** [`run_loop`], then [`commit`].

mod apply_input;
mod build_prompt;
mod commit;
pub(crate) mod commit_refusal;
mod hand_over;
pub(crate) mod hooks;
pub(crate) mod plan;
mod plan_call;
mod plan_message;
pub(crate) mod prompt_preview;
mod resume;
mod run_loop;
pub(crate) mod settle_run;
mod signals;
mod worker;
pub(crate) mod write_plan;

pub(crate) use worker::Worker;
