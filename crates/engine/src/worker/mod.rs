//! The worker of one turn: it asks the machine what to do, and does it.

pub(crate) mod commit;
pub(crate) mod commit_refusal;
pub(crate) mod hooks;
pub(crate) mod plan;
mod worker;

pub(crate) use worker::*;
