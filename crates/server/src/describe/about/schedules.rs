//! What agents do at their times.

use super::About;

pub(super) const ALL: &[About] = &[
    About::new("GET", "/v1/schedules", "List your schedules").detail("The oldest first."),
    About::new("POST", "/v1/schedules", "Have an agent do something at its times")
        .detail(
            "At each due time the agent gets the note as a message: in the session `session_id` (`here`), in a new session for each run \
             (`fresh`) or in one session for all of them (`own`); the last two need `agent_id`. Each due time ends in one outcome, also \
             where the server was not running. While a run works or waits for you, the next one is left out. A run has no more rights than \
             the agent has now. A long note counts as written by others unless `typed` is true. Of a `reminder` the note is shown in the session \
             `session_id` as a message of the server; no model is asked.",
        )
        .codes(&["agent_archived", "agent_gone", "agent_not_shared", "bad_schedule", "session_archived", "too_many_schedules"]),
    About::new("POST", "/v1/schedules/preview", "See when something would be due")
        .detail("Nothing is stored.")
        .codes(&["bad_schedule"]),
    About::new("GET", "/v1/schedules/{id}", "One schedule"),
    About::new("PATCH", "/v1/schedules/{id}", "Change a schedule")
        .detail("What is absent stays as it is. Its later runs have the rights that the agent has now.")
        .codes(&["agent_gone", "bad_schedule"]),
    About::new("DELETE", "/v1/schedules/{id}", "Delete a schedule").detail("The sessions of its runs stay."),
    About::new("POST", "/v1/schedules/{id}/pause", "Pause a schedule")
        .detail("A run that is at work goes on.")
        .codes(&["schedule_over"]),
    About::new("POST", "/v1/schedules/{id}/resume", "Resume a schedule")
        .detail("It comes again from now on. What was due meanwhile is left out.")
        .codes(&["schedule_over", "too_many_schedules"]),
    About::new("GET", "/v1/schedules/{id}/runs", "What came of its due times").detail("The newest first."),
];
