//! The background jobs: which there are, and the loop that runs them.
//!
//! **Owns** the list of jobs and the moment of each one's next run.
//! **Must never** run two of one job at once on this node, or poll where a job can be woken.
//! **Start at** [`jobs`], then [`run_jobs`].

pub(crate) mod jobs;
pub(crate) mod run_jobs;
