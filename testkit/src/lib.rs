//! What the tests of all crates share: the outside world, played by a script.
//!
//! It owns the fakes and nothing of the product: the only thing a test may fake is the model ([`model`]); everything else
//! is the real thing, made temporary. It is never part of the program.

pub mod client;
pub mod collector;
pub mod counting;
pub mod holding;
mod left_out;
pub mod model;
pub mod postgres;
pub mod program;
pub mod sse;
pub mod wake_count;

pub use left_out::{left_out, shorter_without};
