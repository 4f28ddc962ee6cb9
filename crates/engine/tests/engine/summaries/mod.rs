//! Titles and summaries.

pub mod compaction;
mod compaction_failures;
mod compaction_meanwhile;
mod compaction_views;
mod flush;
mod titles;
