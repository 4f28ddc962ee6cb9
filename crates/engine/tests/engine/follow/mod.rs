//! What clients follow.

mod mirrors;
mod overview;
mod readers;
