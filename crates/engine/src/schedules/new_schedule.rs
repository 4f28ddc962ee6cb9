//! What a person asks for when they make or change a schedule, and whether it can be.

use crate::error::{Error, Result};
use domain::{AgentId, MissedRuns, RunPlace, ScheduleKind, SchedulePlan, SessionId, Timestamp, When};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a note names the conversation of a run.
const NAME_CHARS: usize = 40;
/// The longest note, in characters.
const NOTE_CHARS: usize = 8_000;

/// A schedule that a person makes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSchedule {
    pub when: When,
    /// Absent: a run.
    #[serde(default)]
    pub kind: ScheduleKind,
    /// What the agent is told at each due time, or what is shown.
    #[schemars(length(min = 1, max = 8000))]
    pub note: String,
    /// `here` needs `session_id`, the others `agent_id`.
    pub place: RunPlace,
    #[serde(default)]
    pub session_id: Option<SessionId>,
    #[serde(default)]
    pub agent_id: Option<AgentId>,
    /// Absent: the newest of the times that were missed is made up for.
    #[serde(default)]
    pub missed: Option<MissedRuns>,
    /// How often it runs at most; absent: without end.
    #[serde(default)]
    pub max_runs: Option<u64>,
    /// True: the client saw the note typed. Otherwise a long one counts as written by others.
    #[serde(default)]
    pub typed: bool,
}

impl NewSchedule {
    pub(super) fn plan(&self) -> SchedulePlan {
        SchedulePlan {
            when: self.when.clone(),
            note: self.note.clone(),
            place: self.place,
            missed: self.missed.unwrap_or(MissedRuns::One),
            max_runs: self.max_runs,
        }
    }
}

/// What of a schedule is to be another; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScheduleChange {
    pub when: Option<When>,
    #[schemars(length(min = 1, max = 8000))]
    pub note: Option<String>,
    pub missed: Option<MissedRuns>,
    pub max_runs: Option<u64>,
    /// True: the client saw the note typed.
    pub typed: bool,
}

impl ScheduleChange {
    pub(crate) fn of(self, before: SchedulePlan) -> SchedulePlan {
        SchedulePlan {
            when: self.when.unwrap_or(before.when),
            note: self.note.unwrap_or(before.note),
            place: before.place,
            missed: self.missed.unwrap_or(before.missed),
            max_runs: self.max_runs.or(before.max_runs),
        }
    }
}

/// When something would be due.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PreviewedWhen {
    pub when: When,
}

/// What a person is shown of a schedule before they make it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SchedulePreview {
    /// When it is due, in words, with the place whose clock is meant.
    pub description: String,
    /// The next times, at most five, the earliest first.
    pub times: Vec<Timestamp>,
}

pub(crate) fn check(plan: &SchedulePlan, now: Timestamp, home: &str) -> Result<()> {
    if plan.note.trim().is_empty() {
        return Err(Error::invalid("bad_schedule", "note: Say what the agent is to do."));
    }
    if plan.note.chars().nth(NOTE_CHARS).is_some() {
        return Err(Error::invalid("bad_schedule", format!("note: It may have {NOTE_CHARS} characters.")));
    }
    // It is shown to people, and each run begins with it.
    let misleads = |c: char| domain::is_misleading(c) && !matches!(c, '\n' | '\r' | '\t');
    if plan.note.chars().any(misleads) {
        let detail = "note: It contains a character that is invisible or turns the direction of text. Type that part again by hand.";
        return Err(Error::invalid("bad_schedule", detail));
    }
    if plan.max_runs == Some(0) {
        return Err(Error::invalid("bad_schedule", "max_runs: It must be at least 1."));
    }
    check_when(&plan.when, now, home)
}

pub(super) fn check_when(when: &When, now: Timestamp, home: &str) -> Result<()> {
    when.check(now, home).map_err(|problem| Error::invalid("bad_schedule", format!("when: {problem}")))
}

/// How a note begins.
pub(crate) fn name_of(note: &str) -> String {
    let line = note.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let name: String = line.chars().filter(|c| !domain::is_misleading(*c)).take(NAME_CHARS).collect();
    if name.is_empty() { "Schedule".to_owned() } else { name }
}
