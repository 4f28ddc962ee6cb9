//! Crash points: named places at which a test can end the process, just before and just after each durable transition.
//!
//! They exist only with the feature `crash-points`; in every other build they are nothing. A test names one (the `fail`
//! crate reads `FAILPOINTS`, or a test registers a callback), lets the program run into it, starts the program again and
//! checks that nothing is lost or doubled. Before a commit the world must look as if the step had never been tried, after
//! it as if it had been done.

/// Every crash point of this crate.
pub const CRASH_POINTS: &[&str] = &[
    // An input, its turn and the start of that turn if the session is free.
    "accept_before_commit",
    "accept_after_commit",
    // One step of a turn: messages, results, events, its end, and the start of the turn that waited behind it.
    "turn_before_commit",
    "turn_after_commit",
    // The mark that a call which must not run twice has begun.
    "begin_before_commit",
    "begin_after_commit",
    // What a request may cost is held back.
    "reserve_before_commit",
    "reserve_after_commit",
    // A tool, on both sides of its effect.
    "tool_before_run",
    "tool_after_run",
    // Taking over a turn that has no worker.
    "claim_before_commit",
    "claim_after_commit",
    // A person presses stop.
    "cancel_before_commit",
    "cancel_after_commit",
    // A person answers a question, or its time is over.
    "answer_before_commit",
    "answer_after_commit",
    // A person says yes or no to a request, or its time is over.
    "approval_before_commit",
    "approval_after_commit",
    // An answer is kept beside its message.
    "prompt_before_commit",
    "prompt_after_commit",
    // A call in the text, before the text is complete; and the mark that it waits for a person.
    "intent_before_commit",
    "intent_after_commit",
    "park_before_commit",
    "park_after_commit",
    // A failed turn is run once more.
    "retry_before_commit",
    "retry_after_commit",
    // A turn that waits in an idle session is started.
    "waiting_before_commit",
    "waiting_after_commit",
    // One that cannot start is ended.
    "unstartable_before_commit",
    "unstartable_after_commit",
    // A due time of a schedule is fired.
    "fire_before_commit",
    "fire_after_commit",
    // A turn is left to another node, between two of its steps.
    "handover_before_commit",
    "handover_after_commit",
    // The leases are given up at the end of an orderly shutdown.
    "release_before_commit",
    "release_after_commit",
    // A file has come whole and becomes visible.
    "upload_before_commit",
    "upload_after_commit",
    // A call changes a file of its session, together with its receipt.
    "file_before_commit",
    "file_after_commit",
    // What a program run left behind: its files and its result.
    "run_before_commit",
    "run_after_commit",
    // An answer is delivered to the agent that waits for it, or its time is over; and the mark that a turn which no agent
    // waits for is to stop. That an errand is given is one step of a turn.
    "deliver_before_commit",
    "deliver_after_commit",
    "errand_stop_before_commit",
    "errand_stop_after_commit",
    // A message to another agent, together with its receipt.
    "send_before_commit",
    "send_after_commit",
    // Something is remembered, changed, deleted or undone, by a call together with its receipt, or by a person; a person answers what
    // waits, and removes an entry for good.
    "knowledge_before_commit",
    "knowledge_after_commit",
    "review_before_commit",
    "review_after_commit",
    "purge_before_commit",
    "purge_after_commit",
    // A call makes, changes, pauses, resumes or deletes a schedule, together with its receipt.
    "schedule_before_commit",
    "schedule_after_commit",
    // The words of a reminder are shown.
    "reminder_before_commit",
    "reminder_after_commit",
    // A session is copied.
    "fork_between_pieces",
    "fork_before_commit",
    "fork_after_commit",
    // One of the tries for a title is taken, and a title is given.
    "title_try_before_commit",
    "title_try_after_commit",
    "title_before_commit",
    "title_after_commit",
    // A request for a summary is noted, its cost is, and the summary becomes what models are told.
    "summary_call_before_commit",
    "summary_call_after_commit",
    "summary_cost_before_commit",
    "summary_cost_after_commit",
    "compaction_before_commit",
    "compaction_after_commit",
    // The master key is changed, in steps.
    "rotation_key_written",
    "rotation_begun",
    "rotation_step",
    "rotation_finished",
    "rotation_retired",
    "rotation_promoted",
];

/// What a test unwinds with when it ends a task at a crash point.
pub struct CutOff;

/// Ends the task if a test has cut it off, rather than taking that for a mistake of the tool it was running.
pub(crate) fn unless_cut_off<T>(result: std::thread::Result<T>) -> std::thread::Result<T> {
    match result {
        Err(cause) if cause.is::<CutOff>() => std::panic::resume_unwind(cause),
        other => other,
    }
}

#[cfg(test)]
#[path = "crash_points_tests.rs"]
mod tests;
