//! What clients follow.

mod overview;
mod readers;
