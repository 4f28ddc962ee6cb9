//! Work that agents give to agents.

pub mod colleagues;
