//! What people type with a slash before it.

mod run;
pub(crate) mod saved_prompts;

pub(crate) use self::run::run;
