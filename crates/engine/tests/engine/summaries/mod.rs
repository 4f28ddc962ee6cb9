//! Titles and summaries.

pub mod compaction;
mod titles;
