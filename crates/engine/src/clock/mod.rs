//! The background jobs: which there are, and the loop that runs them.

pub(crate) mod jobs;
pub(crate) mod run_jobs;
