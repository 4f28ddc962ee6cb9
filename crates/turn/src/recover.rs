//! What becomes of a turn whose process died.

use crate::{
    CallState, Effect, Notice, Phase, Progress, Settlement, State,
    step::{abandon, boundary, end},
};
use domain::{CallId, CallStatus, StopReason, TurnOutcome};

/// Goes on from the stored state. The rows of the calls are the truth about them: a call may have begun or
/// settled after the state was written.
pub(crate) fn recover(state: &mut State, stalls: u32, rows: &[(CallId, CallStatus)], out: &mut Vec<Effect>) {
    state.parked = false;
    if state.message_open() && !state.committed {
        if stalls >= state.policy.stalls {
            out.push(Effect::Say(Notice::NoProgress));
            return end(state, TurnOutcome::Failed, out);
        }
        state.attempt = 1;
        // Hooks see the new text and may ask again.
        state.round_wanted = false;
        state.phase = Phase::Prompting;
        out.extend([
            Effect::RestartMessage { attempt: stalls.saturating_add(1), again: None },
            Effect::BuildPrompt,
        ]);
        return;
    }
    if state.message_open() {
        // The committed prefix becomes the message; what it had proposed is settled below.
        out.push(Effect::StoreMessage { stop: StopReason::Interrupted });
        state.phase = Phase::Acting;
    }
    resume_calls(state, rows, out);
    // Waiting for a person is no lack of progress, however often the house is restarted meanwhile.
    let stuck = |call: &CallState| matches!(call.progress, Progress::Pending | Progress::Running);
    if stalls >= state.policy.stalls && state.calls.iter().any(stuck) {
        return give_up(state, out);
    }
    boundary(state, out);
}

fn resume_calls(state: &mut State, rows: &[(CallId, CallStatus)], out: &mut Vec<Effect>) {
    for call in &mut state.calls {
        if call.progress == Progress::Settled {
            continue;
        }
        let row = rows.iter().find(|(id, _)| *id == call.id).map(|(_, status)| *status);
        match row {
            Some(CallStatus::Ok | CallStatus::Error | CallStatus::Denied | CallStatus::Unknown) => {
                call.progress = Progress::Settled;
            }
            Some(CallStatus::Waiting) => call.progress = Progress::Waiting,
            Some(CallStatus::Running) if call.class.runs_again() => {
                call.progress = Progress::Running;
                out.push(Effect::RunCall { call: call.id });
            }
            Some(CallStatus::Running) => {
                // THREAT[turn-02]: it may have had its effect; running it again could do it twice.
                call.progress = Progress::Settled;
                out.push(Effect::SettleCall { call: call.id, settlement: Settlement::Unknown });
            }
            Some(CallStatus::Pending) | None => {
                call.progress = Progress::Pending;
                out.push(Effect::DecideCall { call: call.id });
            }
        }
    }
}

/// Recovered too often: whatever has not settled is settled without being run.
fn give_up(state: &mut State, out: &mut Vec<Effect>) {
    out.retain(Effect::is_durable);
    for call in &mut state.calls {
        abandon(call, out);
    }
    out.push(Effect::Say(Notice::NoProgress));
    end(state, TurnOutcome::Failed, out);
}
