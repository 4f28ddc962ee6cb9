//! The worker of one turn: it asks the machine what to do, and does it.

pub(crate) mod build_prompt;
pub(crate) mod commit;
pub(crate) mod hooks;
pub(crate) mod plan;
pub(crate) mod prompt_preview;
mod worker;

pub(crate) use worker::*;
