//! What an agent does at its times: a schedule, and what came of each of its due times.

pub mod when;

use crate::{AgentId, Label, ScheduleId, SessionId, Timestamp, TurnId, TurnOutcome, UserId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use when::When;

/// So many failed runs, one after the other, stop a schedule.
pub const STOPS_AFTER: u64 = 10;
/// From so many failed runs on, the next one waits longer than the plan says.
const SLOWS_AFTER: u64 = 3;
const DAY_MS: i64 = 86_400_000;

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident as $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$about])* $variant,)+
        }

        impl $name {
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            pub fn parse(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

named! {
    /// Whether a schedule comes.
    ScheduleState {
        Active as "active",
        /// A person has paused it, or it came with a backup.
        Paused as "paused",
        /// It failed too often, one run after the other.
        Stopped as "stopped",
        /// It has come for the last time.
        Ended as "ended",
    }
}

named! {
    /// What happens at the due times of a schedule.
    #[derive(Default)]
    ScheduleKind {
        /// Its agent acts on the note.
        #[default]
        Run as "run",
        /// The note is shown in its conversation. No model is asked.
        Reminder as "reminder",
    }
}

named! {
    /// In which conversation a schedule runs.
    RunPlace {
        /// In the one for which it was made.
        Here as "here",
        /// In a new one for each run.
        Fresh as "fresh",
        /// In one that is there for its runs only.
        Own as "own",
    }
}

named! {
    /// What becomes of due times that are over because the server was not running.
    MissedRuns {
        /// They are left out.
        Skip as "skip",
        /// The newest of them is made up for.
        One as "one",
    }
}

named! {
    /// What came of one due time.
    RunOutcome {
        Running as "running",
        /// It waits for its person.
        Waiting as "waiting",
        Completed as "completed",
        Failed as "failed",
        /// It reached a limit or a budget.
        Limit as "limit",
        Cancelled as "cancelled",
        /// The run before was still at work.
        SkippedOverlap as "skipped_overlap",
        /// The server was not running at that time.
        SkippedMissed as "skipped_missed",
    }
}

impl From<TurnOutcome> for RunOutcome {
    fn from(outcome: TurnOutcome) -> Self {
        match outcome {
            TurnOutcome::Completed => Self::Completed,
            TurnOutcome::Failed => Self::Failed,
            TurnOutcome::Cancelled => Self::Cancelled,
            TurnOutcome::Limit => Self::Limit,
        }
    }
}

/// What an agent does, when and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SchedulePlan {
    pub when: When,
    /// What the agent is told at each due time.
    #[schemars(length(max = 8000))]
    pub note: String,
    pub place: RunPlace,
    pub missed: MissedRuns,
    /// How often it runs at most; null: without end.
    #[serde(default)]
    pub max_runs: Option<u64>,
}

/// A plan of a person, and how it goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Schedule {
    pub id: ScheduleId,
    /// Whose it is; not part of the public object.
    #[serde(skip_serializing)]
    pub user_id: UserId,
    /// A small number for its person, which no other schedule of theirs has had.
    pub number: u64,
    pub kind: ScheduleKind,
    pub agent_id: AgentId,
    /// Where it runs; null: each run has a conversation of its own, or that conversation was deleted.
    pub session_id: Option<SessionId>,
    #[serde(flatten)]
    pub plan: SchedulePlan,
    pub state: ScheduleState,
    /// Grows with each change of the plan.
    pub revision: u64,
    /// The next due time; null: it does not come.
    pub next_at: Option<Timestamp>,
    /// Runs that failed since the last one that did not.
    pub failures: u64,
    /// How often it has run.
    pub runs: u64,
    /// Of what it was made of; each run begins with it.
    pub label: Label,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Schedule {
    /// Has it run as often as it may?
    pub fn is_used_up(&self) -> bool {
        self.plan.max_runs.is_some_and(|most| self.runs >= most)
    }
}

/// One due time of a schedule, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScheduleRun {
    pub due_at: Timestamp,
    pub fired_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// Null: no turn came of it.
    pub turn_id: Option<TurnId>,
    pub session_id: Option<SessionId>,
    pub outcome: RunOutcome,
    /// Why it could not run, for programs.
    pub code: Option<String>,
    /// How many due times before it were left out, because the server was not running.
    pub missed: u64,
}

/// Does the next run wait longer than the plan says, after so many failures?
pub const fn slows(failures: u64) -> bool {
    failures >= SLOWS_AFTER
}

/// How long the next run waits at least, in milliseconds, after so many failures of a schedule that comes with this period.
pub fn pause_after(failures: u64, period_ms: i64) -> i64 {
    if !slows(failures) {
        return 0;
    }
    let doublings = u32::try_from(failures.saturating_sub(2)).unwrap_or(u32::MAX).min(32);
    period_ms.max(0).saturating_mul(1_i64 << doublings).min(DAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_make_the_next_run_wait_longer_and_a_day_at_most() {
        let minute = 60_000;
        let pauses: Vec<i64> = [0, 2, 3, 4, 9, 100, u64::MAX].map(|n| pause_after(n, minute)).to_vec();
        assert_eq!(pauses, [0, 0, 2 * minute, 4 * minute, 128 * minute, DAY_MS, DAY_MS]);
        assert_eq!(pause_after(50, i64::MAX), DAY_MS);
        assert_eq!(pause_after(5, -1), 0);
    }

    #[test]
    fn a_name_is_the_same_everywhere() {
        for outcome in [RunOutcome::Running, RunOutcome::SkippedOverlap, RunOutcome::SkippedMissed] {
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.as_str());
            assert_eq!(RunOutcome::parse(outcome.as_str()), Some(outcome));
        }
    }
}
