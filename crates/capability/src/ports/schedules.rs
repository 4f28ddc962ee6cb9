//! What agents of the person do later, at their times.

use async_trait::async_trait;
use domain::{MissedRuns, RunPlace, Schedule, ScheduleKind, ScheduleRun, ScheduleState, Timestamp, When};
use serde::{Deserialize, Serialize};

/// A schedule, as an agent makes it for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleDraft {
    pub when: When,
    pub kind: ScheduleKind,
    pub note: String,
    pub place: RunPlace,
    pub missed: MissedRuns,
    pub max_runs: Option<u64>,
}

/// What an agent changes of a schedule; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleEdit {
    pub when: Option<When>,
    pub note: Option<String>,
    pub missed: Option<MissedRuns>,
    pub max_runs: Option<u64>,
}

/// How a schedule is after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleWritten {
    pub number: u64,
    pub state: ScheduleState,
    pub next_at: Option<Timestamp>,
    /// When it comes, in words.
    pub description: String,
}

/// The schedules of the person, oldest first, each with when it comes in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleListing {
    pub schedules: Vec<(Schedule, String)>,
    /// All that there are.
    pub total: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    #[error("there is no such schedule")]
    NotFound,
    /// It was not made or changed, for this reason.
    #[error("{0}")]
    Refused(String),
    /// The call is told in these words.
    #[error("{0}")]
    Unknown(String),
    #[error("{0}")]
    Broken(String),
}

/// Those of the session's person only. What it gives carries the label of the notes.
#[async_trait]
pub trait Schedules: Send + Sync {
    async fn create(&self, draft: ScheduleDraft) -> Result<ScheduleWritten, ScheduleError>;

    async fn change(&self, number: u64, edit: ScheduleEdit) -> Result<ScheduleWritten, ScheduleError>;

    async fn resume(&self, number: u64) -> Result<ScheduleWritten, ScheduleError>;

    async fn pause(&self, number: u64) -> Result<ScheduleWritten, ScheduleError>;

    async fn delete(&self, number: u64) -> Result<(), ScheduleError>;

    async fn list(&self, most: u32) -> Result<ScheduleListing, ScheduleError>;

    /// The newest first.
    async fn runs(&self, number: u64, most: u32) -> Result<Vec<ScheduleRun>, ScheduleError>;
}
