//! The syntax, as agents write it.

mod elements;
mod told;
