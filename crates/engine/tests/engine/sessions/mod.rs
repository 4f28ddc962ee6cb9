//! Forks and searches.

mod fork;
mod search;
