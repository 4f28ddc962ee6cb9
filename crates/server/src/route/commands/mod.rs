//! What people type with a slash before it.

pub(crate) mod help;
mod run;
pub(crate) mod saved_prompts;

pub(crate) use self::run::run;
