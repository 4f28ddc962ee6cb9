//! What agents remember of people.
//!
//! **Owns** what each person's agents are told of them ([`told_cache`]).
//! **Must never** tell one person's knowledge to another, or have words count that others had a say in before their person kept
//! them.
//! **Start at** [`entries`] for people and [`told_cache`] for prompts; what agents write down comes through `crates/engine/src/ports/knowledge.rs`.

pub(crate) mod entries;
pub(crate) mod search;
pub mod settings;
pub(crate) mod told_cache;
