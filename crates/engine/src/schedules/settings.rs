//! What can be set of schedules.

/// How many schedules there may be, and how many run.
#[derive(Clone, Debug)]
pub struct ScheduleSettings {
    /// Turns of schedules that a node runs at once; what is due beyond waits, the longest overdue first.
    pub at_once: u64,
    /// Schedules of one person that come.
    pub per_person: u64,
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        Self { at_once: 4, per_person: 100 }
    }
}
