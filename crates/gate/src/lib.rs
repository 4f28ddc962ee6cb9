//! The gate: the one place that decides whether a call runs.
//!
//! ```text
//! known and granted ─▶ rights of all agents and people concerned ─▶ arguments ─▶ labels ─▶ approval ─▶ run
//! ```
//!
//! Money is held back where it is spent, when a model is asked (`crates/engine/src/budget/payer.rs`); using a model whose
//! price is not known passes here like a call ([`virtual_tools`]).
//!
//! [`decide()`] is pure: what it looks at was read from the database just now ([`Circumstances`]), never taken from a prompt,
//! and the same circumstances always get the same verdict. It is asked before a call runs for the first time, and again
//! when a person has answered: a right that was taken away meanwhile is gone, and an approval holds only for the arguments that
//! were shown, and not for private data and untrusted content that came together afterwards.
//!
//! THREAT[gate-01] Whatever a model writes can only ever be a call. Nothing in it grants anything.
//!
//! What it must never do: read a store, a clock or a prompt; know what a tool does beyond its [`ToolFacts`].
//!
//! Start reading at [`decide()`].

mod approval_covers;
pub mod argument_digest;
mod argument_policy;
mod decide;
pub mod rules;
pub mod shown_arguments;
mod shown_blanks;
mod shown_label;
mod site;
pub mod virtual_tools;
mod why;

pub use decide::{ASKED_AT_ONCE, Circumstances, Party, Scopes, ToolFacts, Verdict, Wanted, decide};
pub use site::{Site, host};
pub use why::{AskedBy, Why};
