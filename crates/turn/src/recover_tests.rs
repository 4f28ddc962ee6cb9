//! Recovery in every phase, with every status a row may have and every effect class.

use crate::{
    Decision, Effect, Input, LimitKind, Notice, Phase, Policy, Settlement, State, scene_tests::*, step,
};
use domain::{CallStatus, EffectClass, Limits, ResultStatus, StopReason, TurnOutcome};

const SETTLED: [CallStatus; 4] = [CallStatus::Ok, CallStatus::Error, CallStatus::Denied, CallStatus::Unknown];

fn no_progress() -> Vec<Effect> {
    vec![Effect::Say(Notice::NoProgress), Effect::End(TurnOutcome::Failed)]
}

#[test]
fn a_message_without_an_intent_is_begun_again() {
    let again = |attempt| vec![Effect::RestartMessage { attempt, again: None }, Effect::BuildPrompt];
    let second_attempt = then(asking(), &[failed(true, None)]);
    let crashes = then(asking(), &[recovered(1, &[]), Input::PromptReady]);
    check(vec![
        row("while prompting", vec![Input::Begin], recovered(1, &[]), Phase::Prompting, again(2)),
        row("while asking", asking(), recovered(1, &[]), Phase::Prompting, again(2)),
        row("while asking once more", second_attempt, recovered(1, &[]), Phase::Prompting, again(2)),
        row("for the second time", crashes, recovered(2, &[]), Phase::Prompting, again(3)),
    ]);
}

#[test]
fn a_message_that_never_gets_anywhere_is_given_up() {
    let over = ended(TurnOutcome::Failed);
    check(vec![
        row("while prompting", vec![Input::Begin], recovered(3, &[]), over, no_progress()),
        row("while asking", asking(), recovered(3, &[]), over, no_progress()),
        row("counted on", asking(), recovered(u32::MAX, &[]), over, no_progress()),
    ]);
}

/// What recovery wants for the one call of a stored message, and whether it is settled after it.
fn judged(row: CallStatus, class: EffectClass) -> (Vec<Effect>, bool) {
    match row {
        CallStatus::Pending => (vec![decide(1)], false),
        CallStatus::Waiting => (vec![Effect::Park], false),
        CallStatus::Running if class == EffectClass::Effect => (vec![settle(1, Settlement::Unknown)], true),
        CallStatus::Running => (vec![run(1)], false),
        CallStatus::Ok | CallStatus::Error | CallStatus::Denied | CallStatus::Unknown => (vec![], true),
    }
}

const STATUSES: [CallStatus; 7] = [
    CallStatus::Pending,
    CallStatus::Waiting,
    CallStatus::Running,
    CallStatus::Ok,
    CallStatus::Error,
    CallStatus::Denied,
    CallStatus::Unknown,
];

#[test]
fn the_rows_are_the_truth_whatever_the_state_remembers() {
    for class in CLASSES {
        for status in STATUSES {
            let (wants, settled) = judged(status, class);
            let phase = if settled { Phase::Prompting } else { Phase::Acting };
            let stored = if settled { [wants, opens()].concat() } else { wants };
            let open = [vec![store(StopReason::Interrupted)], stored.clone()].concat();
            let back = || recovered(1, &[(1, status)]);
            let writing = then(asking(), &[proposed(call(1, class))]);
            let writing_runs = then(writing.clone(), &[decided(1, Decision::Run)]);
            check(vec![
                row("undecided", acting(&[call(1, class)]), back(), phase, stored.clone()),
                row("running", running(class), back(), phase, stored.clone()),
                row("waiting", parked(class), back(), phase, stored),
                row("undecided, model writing", writing, back(), phase, open.clone()),
                row("running, model writing", writing_runs, back(), phase, open),
            ]);
        }
    }
}

#[test]
fn a_call_without_a_row_goes_back_to_the_gate() {
    check(vec![row("no row", running(EffectClass::Read), recovered(1, &[]), Phase::Acting, vec![decide(1)])]);
}

#[test]
fn a_settled_call_is_not_touched_again() {
    for status in STATUSES {
        let given = then(acting(&[read(1), read(2)]), &[decided(1, Decision::Deny)]);
        let back = recovered(1, &[(1, status), (2, CallStatus::Pending)]);
        check(vec![row("only the other", given, back, Phase::Acting, vec![decide(2)])]);
    }
}

#[test]
fn parallel_calls_are_judged_each_by_its_own_row() {
    let given = then(
        acting(&[read(1), call(2, EffectClass::Effect)]),
        &[decided(1, Decision::Run), decided(2, Decision::Run)],
    );
    let back = recovered(1, &[(1, CallStatus::Running), (2, CallStatus::Running)]);
    let effects = vec![settle(2, Settlement::Unknown), run(1)];
    check(vec![row("durable first", given.clone(), back.clone(), Phase::Acting, effects)]);
    let last = then(given, &[back]);
    let goes_on = [vec![answered(1)], opens()].concat();
    check(vec![row("and then on", last, finished(1, ResultStatus::Ok), Phase::Prompting, goes_on)]);
}

#[test]
fn a_recovered_call_that_may_run_again_settles_once() {
    let given = then(running(EffectClass::Idem), &[recovered(1, &[(1, CallStatus::Running)])]);
    let over = [vec![answered(1)], opens()].concat();
    check(vec![row("its result", given, finished(1, ResultStatus::Ok), Phase::Prompting, over)]);
}

#[test]
fn calls_that_never_get_anywhere_are_settled_unrun() {
    for class in CLASSES {
        let harmless = matches!(class, EffectClass::Read | EffectClass::Txn);
        let busy = if harmless { Settlement::Stopped } else { Settlement::Unknown };
        let over = |settlement| [vec![settle(1, settlement)], no_progress()].concat();
        let failed = ended(TurnOutcome::Failed);
        let open = [vec![store(StopReason::Interrupted)], over(Settlement::Stopped)].concat();
        let pending = || recovered(3, &[(1, CallStatus::Pending)]);
        check(vec![
            row("undecided", acting(&[call(1, class)]), pending(), failed, over(Settlement::Stopped)),
            row("model writing", then(asking(), &[proposed(call(1, class))]), pending(), failed, open),
        ]);
        if class.runs_again() {
            let back = recovered(3, &[(1, CallStatus::Running)]);
            check(vec![row("running", running(class), back, failed, over(busy))]);
        }
    }
}

#[test]
fn settling_is_progress_however_often_it_was_recovered() {
    for status in SETTLED {
        let back = recovered(9, &[(1, status)]);
        check(vec![row("settled", running(EffectClass::Read), back, Phase::Prompting, opens())]);
    }
    let unknown = [vec![settle(1, Settlement::Unknown)], opens()].concat();
    let back = recovered(9, &[(1, CallStatus::Running)]);
    check(vec![row("unknown", running(EffectClass::Effect), back, Phase::Prompting, unknown)]);
}

#[test]
fn a_parked_turn_survives_any_number_of_restarts() {
    let mut state = play(fresh(), &parked(EffectClass::Effect));
    for stalls in 1..=50 {
        let (after, effects) = step(state, recovered(stalls, &[(1, CallStatus::Waiting)]));
        assert_eq!(effects, [Effect::Park]);
        assert!(after.parked);
        state = after;
    }
    assert_eq!(step(state, decided(1, Decision::Run)).1, [run(1)]);
}

#[test]
fn one_that_waits_does_not_save_one_that_never_gets_anywhere() {
    let given = then(acting(&[read(1), read(2)]), &[decided(1, Decision::Wait), decided(2, Decision::Run)]);
    let back = recovered(3, &[(1, CallStatus::Waiting), (2, CallStatus::Running)]);
    let calls = vec![settle(1, Settlement::Stopped), settle(2, Settlement::Stopped)];
    check(vec![row("both", given, back, ended(TurnOutcome::Failed), [calls, no_progress()].concat())]);
}

#[test]
fn a_broken_last_message_reaches_the_step_limit() {
    let start = State::new(Limits { steps: 1, ..limits() }, Policy::default());
    let given = then(asking(), &[proposed(call(1, EffectClass::Effect))]);
    let effects = vec![
        store(StopReason::Interrupted),
        settle(1, Settlement::Unknown),
        say_limit(LimitKind::Steps),
        Effect::End(TurnOutcome::Limit),
    ];
    let back = recovered(1, &[(1, CallStatus::Running)]);
    check_from(
        &start,
        vec![row("no feedback step is left", given, back, ended(TurnOutcome::Limit), effects)],
    );
}

#[test]
fn a_stop_after_recovery_tells_the_truth_about_what_had_begun() {
    let stored = then(acting(&[call(1, EffectClass::Idem)]), &[recovered(1, &[(1, CallStatus::Running)])]);
    let effects = vec![settle(1, Settlement::Unknown), Effect::End(TurnOutcome::Cancelled)];
    check(vec![row("stop", stored, Input::Cancelled, ended(TurnOutcome::Cancelled), effects)]);
}
