//! A turn from its beginning to its end.

mod history;
mod hooks;
mod interruptions;
mod plain;
mod shutdown;
pub mod statements;
mod steering;
mod stopping;
mod tree;
