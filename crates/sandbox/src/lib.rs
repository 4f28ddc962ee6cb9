//! How untrusted things reach the world, and how they run.
//!
//! This crate owns two walls. [`egress`] is the only way out for tools: it reads an address once, resolves it once,
//! looks at every address it got, and connects to exactly those; every redirect goes through the same door.
//! [`process`] runs a command in a cage of its own.
//!
//! What it must never do: decide *whether* something may happen. The gate decides; this crate holds what was decided
//! against a model, a page or a program that tries everything else. It knows no agents, no sessions and no database.
//!
//! Start reading at [`egress::Egress::fetch`] and at [`process::Cage::start`].

pub mod egress;
mod error;
pub mod process;

pub use error::{Error, Refusal};
