//! What people type with a slash before it.

mod run;

pub(crate) use self::run::run;
