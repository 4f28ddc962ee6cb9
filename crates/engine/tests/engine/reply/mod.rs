//! What an agent writes, read while it streams.

mod assertions;
pub mod markup;
