//! The transitions.

use crate::{
    CallState, Decision, Effect, Failure, Input, LimitKind, NewCall, Notice, Phase, Progress, Settlement,
    State, recover::recover,
};
use domain::{CallId, EffectClass, ResultStatus, StopReason, TurnOutcome, Usage};

/// One step of the machine. Inputs that do not fit the state leave it as it is and want nothing done.
pub fn step(mut state: State, input: Input) -> (State, Vec<Effect>) {
    let mut effects = Vec::new();
    let out = &mut effects;
    match (state.phase, input) {
        // A turn that failed may be begun again; it goes on from the transcript it has.
        (Phase::New | Phase::Ended(TurnOutcome::Failed | TurnOutcome::Limit), Input::Begin) => {
            begin(&mut state, out);
        }
        (Phase::Ended(_) | Phase::New, _) => {}
        (_, Input::Cancelled) => stop(&mut state, StopReason::Cancelled, None, out),
        (_, Input::Deadline) => stop(&mut state, StopReason::Interrupted, Some(LimitKind::WallSeconds), out),
        (_, Input::Recovered { stalls, calls }) => recover(&mut state, stalls, &calls, out),
        (_, Input::Steered(inputs)) => state.steering = state.steering.saturating_add(inputs),
        (_, Input::RoundWanted) => state.round_wanted = true,
        (_, Input::CallDecided { call, decision }) => decided(&mut state, call, decision, out),
        (_, Input::CallCompared { call, digest }) => state.compare(call, digest),
        (_, Input::CallDone { call, status }) => done(&mut state, call, status, out),
        (Phase::Prompting, Input::PromptReady) if !state.parked => ask(&mut state, 0, out),
        // A model that is asked again costs again, so the money may run out there too.
        (Phase::Prompting | Phase::Asking, Input::BudgetRefused) if !state.committed => {
            limit(&mut state, LimitKind::Budget, out);
        }
        (Phase::Prompting | Phase::Asking, Input::PriceApprovalNeeded)
            if !state.committed && !state.parked =>
        {
            state.phase = Phase::Prompting;
            state.parked = true;
            out.extend([Effect::AskPriceApproval, Effect::Park]);
        }
        // It may have been days: what was to be told is old, and readers have forgotten that a message is open.
        (Phase::Prompting, Input::PriceApprovalAnswered) if state.parked => {
            state.parked = false;
            let attempt = state.attempt;
            out.extend([Effect::RestartMessage { attempt, again: None }, Effect::BuildPrompt]);
        }
        (Phase::Asking, Input::CallProposed(call)) => proposed(&mut state, call, out),
        (Phase::Asking, Input::ModelDone { stop, calls, usage }) => {
            model_done(&mut state, stop, calls, usage, out);
        }
        (Phase::Asking, Input::ModelFailed(failure)) => model_failed(&mut state, failure, out),
        _ => {}
    }
    // Nothing outside is asked for before everything durable is: one transaction, then the world.
    effects.sort_by_key(|effect| !effect.is_durable());
    (state, effects)
}

fn begin(state: &mut State, out: &mut Vec<Effect>) {
    // Usage is the turn's, also over a retry; the limits count anew because a person asked for it.
    let usage = state.usage;
    *state = State::new(state.limits, state.policy);
    state.usage = usage;
    state.output_tokens_before = usage.output_tokens;
    open_message(state, out);
}

fn open_message(state: &mut State, out: &mut Vec<Effect>) {
    state.step = state.step.saturating_add(1);
    state.attempt = 1;
    state.committed = false;
    state.round_wanted = false;
    state.calls.clear();
    state.phase = Phase::Prompting;
    out.extend([Effect::OpenMessage, Effect::BuildPrompt]);
}

fn ask(state: &mut State, delay_ms: u64, out: &mut Vec<Effect>) {
    state.phase = Phase::Asking;
    out.push(Effect::AskModel {
        attempt: state.attempt,
        delay_ms,
        max_output_tokens: state.output_tokens_left(),
    });
}

fn proposed(state: &mut State, call: NewCall, out: &mut Vec<Effect>) {
    if state.calls.iter().any(|known| known.id == call.id) {
        return;
    }
    state.committed = true;
    out.push(Effect::StoreIntent { call: call.id });
    admit(state, call, out);
}

/// A stored call goes to the gate, unless the message has made too many.
fn admit(state: &mut State, call: NewCall, out: &mut Vec<Effect>) {
    let full = state.calls.len() >= state.limits.calls_per_step as usize;
    let progress = if full { Progress::Settled } else { Progress::Pending };
    state.calls.push(CallState { id: call.id, class: call.class, progress, rounds: 0 });
    out.push(if full {
        Effect::SettleCall { call: call.id, settlement: Settlement::TooMany }
    } else {
        Effect::DecideCall { call: call.id }
    });
}

fn model_done(state: &mut State, stop: StopReason, calls: Vec<NewCall>, usage: Usage, out: &mut Vec<Effect>) {
    state.usage = state.usage.plus(usage);
    state.phase = Phase::Acting;
    out.push(Effect::StoreMessage { stop });
    for call in calls {
        if !state.calls.iter().any(|known| known.id == call.id) {
            admit(state, call, out);
        }
    }
    boundary(state, out);
}

fn model_failed(state: &mut State, failure: Failure, out: &mut Vec<Effect>) {
    if state.committed {
        // THREAT[turn-01]: begun again, the model could repeat a call that already had its effect.
        state.phase = Phase::Acting;
        out.push(Effect::StoreMessage { stop: StopReason::Interrupted });
        return boundary(state, out);
    }
    let Some(again) = state.policy.again(state.attempt, failure) else {
        out.push(Effect::Say(Notice::Failure));
        return end(state, TurnOutcome::Failed, out);
    };
    state.attempt = state.attempt.saturating_add(1);
    state.round_wanted = false;
    out.push(Effect::RestartMessage { attempt: state.attempt, again: Some(again) });
    ask(state, again.delay_ms, out);
}

fn decided(state: &mut State, id: CallId, decision: Decision, out: &mut Vec<Effect>) {
    let Some(call) = state.call_mut(id) else { return };
    if !matches!(call.progress, Progress::Pending | Progress::Waiting) {
        return;
    }
    match decision {
        Decision::Run => {
            call.progress = Progress::Running;
            state.parked = false;
            out.push(Effect::RunCall { call: id });
        }
        Decision::Deny => {
            call.progress = Progress::Settled;
            state.parked = false;
            out.push(Effect::SettleCall { call: id, settlement: Settlement::Denied });
            boundary(state, out);
        }
        Decision::Wait => {
            // Of a call that waits already, something else is asked from now on.
            call.progress = Progress::Waiting;
            out.push(Effect::AwaitAnswer { call: id });
            boundary(state, out);
        }
    }
}

fn done(state: &mut State, id: CallId, status: ResultStatus, out: &mut Vec<Effect>) {
    let Some(call) = state.call_mut(id) else { return };
    // A question is answered without ever running, so a waiting call may be done too.
    if !matches!(call.progress, Progress::Running | Progress::Waiting) {
        return;
    }
    call.progress = Progress::Settled;
    state.parked = false;
    out.push(Effect::SettleCall { call: id, settlement: Settlement::Result(status) });
    boundary(state, out);
}

/// Between two steps: wait, go on, or end.
pub(crate) fn boundary(state: &mut State, out: &mut Vec<Effect>) {
    if state.phase != Phase::Acting {
        return;
    }
    if !state.all_settled() {
        let waits = |call: &CallState| matches!(call.progress, Progress::Waiting | Progress::Settled);
        if state.calls.iter().all(waits) && !state.parked {
            state.parked = true;
            out.push(Effect::Park);
        }
        return;
    }
    if state.calls.is_empty() && state.steering == 0 && !state.round_wanted {
        return end(state, TurnOutcome::Completed, out);
    }
    if state.step >= state.limits.steps {
        return limit(state, LimitKind::Steps, out);
    }
    if state.output_tokens_left() == 0 {
        return limit(state, LimitKind::OutputTokens, out);
    }
    // A person has said something new: it is no longer the same circle.
    if state.goes_in_circles() && state.steering == 0 {
        return limit(state, LimitKind::Repetition, out);
    }
    if state.steering > 0 {
        state.steering = 0;
        state.outcomes.clear();
        out.push(Effect::TakeSteering);
    }
    open_message(state, out);
}

fn limit(state: &mut State, kind: LimitKind, out: &mut Vec<Effect>) {
    out.push(Effect::Say(Notice::Limit(kind)));
    end(state, TurnOutcome::Limit, out);
}

pub(crate) fn end(state: &mut State, outcome: TurnOutcome, out: &mut Vec<Effect>) {
    state.phase = Phase::Ended(outcome);
    state.parked = false;
    out.push(Effect::End(outcome));
}

/// Ends the turn now: the text so far becomes the message, every call gets its result.
fn stop(state: &mut State, reason: StopReason, limit_kind: Option<LimitKind>, out: &mut Vec<Effect>) {
    if state.message_open() {
        out.push(Effect::StoreMessage { stop: reason });
        state.phase = Phase::Acting;
    }
    for call in &mut state.calls {
        abandon(call, out);
    }
    match limit_kind {
        Some(kind) => limit(state, kind, out),
        None => end(state, TurnOutcome::Cancelled, out),
    }
}

/// Settles a call that will not be run any further.
pub(crate) fn abandon(call: &mut CallState, out: &mut Vec<Effect>) {
    // What only looks, or commits together with its result, has left no trace; anything else may have.
    let harmless = matches!(call.class, EffectClass::Read | EffectClass::Txn);
    let settlement = match call.progress {
        Progress::Settled => return,
        Progress::Running if !harmless => Settlement::Unknown,
        _ => Settlement::Stopped,
    };
    call.progress = Progress::Settled;
    out.push(Effect::SettleCall { call: call.id, settlement });
}
