//! A model that fails, a person who stops, a clock that runs out, a turn that is run again.

use crate::{
    Again, Decision, Effect, Failure, Input, LimitKind, Notice, Phase, Policy, Retry, Settlement, State,
    scene_tests::*, step,
};
use domain::{EffectClass, Limits, ResultStatus, StopReason, TurnOutcome};

fn gives_up() -> Vec<Effect> {
    vec![Effect::Say(Notice::Failure), Effect::End(TurnOutcome::Failed)]
}

fn tries_again(attempt: u32, delay_ms: u64) -> Vec<Effect> {
    let again = Some(Again { of: Policy::default().attempts, delay_ms });
    vec![Effect::RestartMessage { attempt, again }, ask(attempt, delay_ms)]
}

/// All waits of a message for which a model fails in this way each time.
fn waits(policy: Policy, failure: Failure) -> Vec<u64> {
    (1..).map_while(|attempt| policy.again(attempt, failure)).map(|again| again.delay_ms).collect()
}

const fn fails(retry: Retry) -> Failure {
    Failure { retry, retry_after_ms: None }
}

#[test]
fn a_provider_that_is_away_is_bridged_for_a_minute_and_a_half() {
    let patient = waits(Policy::default(), fails(Retry::Patiently));
    assert_eq!(patient, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    assert!(patient.iter().sum::<u64>() >= Policy::PATIENCE_MS);
    // Whatever it says about how soon it is back.
    for asked in [0, 1, 500] {
        let failure = Failure { retry_after_ms: Some(asked), ..fails(Retry::Patiently) };
        assert_eq!(waits(Policy::default(), failure), patient);
    }
    let slow = Failure { retry_after_ms: Some(20_000), ..fails(Retry::Patiently) };
    assert_eq!(waits(Policy::default(), slow), [20_000, 20_000, 20_000, 20_000, 20_000, 30_000, 30_000]);
}

#[test]
fn patience_can_be_set_and_is_kept_to() {
    for seconds in [0, 1, 7, 60, 90, 600, 3_600] {
        let policy = Policy::default().patient_for(seconds * 1_000);
        let waited: u64 = waits(policy, fails(Retry::Patiently)).iter().sum();
        assert!(waited >= seconds * 1_000 && waited < seconds * 1_000 + 30_000, "{seconds} s: {waited} ms");
    }
    assert!(waits(Policy::default().patient_for(0), fails(Retry::Patiently)).is_empty());
}

#[test]
fn what_costs_or_was_waited_for_is_not_asked_for_so_often() {
    let often = |retry| waits(Policy::default(), fails(retry)).len();
    assert_eq!([Retry::Never, Retry::Once, Retry::Few, Retry::Patiently].map(often), [0, 1, 3, 7]);
    let of = |retry| Policy::default().again(1, fails(retry)).map(|again| again.of);
    assert_eq!([Retry::Once, Retry::Few, Retry::Patiently].map(of), [Some(2), Some(4), Some(8)]);
    let impatient = Policy { attempts: 2, ..Policy::default() };
    assert_eq!(waits(impatient, fails(Retry::Few)), [1_000]);
}

#[test]
fn a_failing_model_is_asked_again_more_and_more_patiently() {
    let after = |failures: usize| then(asking(), &vec![failed(true, None); failures]);
    let again = |name, failures, attempt, delay| {
        row(name, after(failures), failed(true, None), Phase::Asking, tries_again(attempt, delay))
    };
    check(vec![
        again("first", 0, 2, 1_000),
        again("second", 1, 3, 2_000),
        again("third", 2, 4, 4_000),
        again("seventh", 6, 8, 30_000),
        row("eighth", after(7), failed(true, None), ended(TurnOutcome::Failed), gives_up()),
        row("hopeless", asking(), failed(false, None), ended(TurnOutcome::Failed), gives_up()),
        row("hopeless with a wait", asking(), failed(false, Some(1)), ended(TurnOutcome::Failed), gives_up()),
    ]);
}

#[test]
fn a_provider_that_names_its_wait_is_believed_up_to_a_point() {
    let again = |name, wait, delay| {
        row(name, asking(), failed(true, Some(wait)), Phase::Asking, tries_again(2, delay))
    };
    let over = ended(TurnOutcome::Failed);
    check(vec![
        again("at once", 0, 1_000),
        again("seven seconds", 7_000, 7_000),
        again("as long as we may", 90_000, 90_000),
        row("longer", asking(), failed(true, Some(90_001)), over, gives_up()),
        row("for ever", asking(), failed(true, Some(u64::MAX)), over, gives_up()),
    ]);
}

#[test]
fn extreme_policies_do_not_overflow() {
    let policy = Policy {
        attempts: u32::MAX,
        first_delay_ms: u64::MAX,
        longest_pause_ms: 0,
        longest_delay_ms: 0,
        stalls: 3,
    };
    let mut state = play(State::new(limits(), policy), &asking());
    state.attempt = u32::MAX - 1;
    let (after, effects) = step(state, failed(true, None));
    let again = Some(Again { of: u32::MAX, delay_ms: u64::MAX });
    let restart = Effect::RestartMessage { attempt: u32::MAX, again };
    assert_eq!(effects, [restart, ask(u32::MAX, u64::MAX)]);
    assert_eq!(step(after, failed(true, None)).1, gives_up());
}

#[test]
fn each_message_has_its_own_attempts() {
    let second = then(
        asking(),
        &[failed(true, None), model_done(&[read(1)]), decided(1, Decision::Deny), Input::PromptReady],
    );
    let first_wait = tries_again(2, 1_000);
    check(vec![row("anew", second, failed(true, None), Phase::Asking, first_wait)]);
}

#[test]
fn a_message_with_an_intent_is_never_begun_again() {
    let interrupted = store(StopReason::Interrupted);
    let pending = then(asking(), &[proposed(read(1))]);
    let settled = then(pending.clone(), &[decided(1, Decision::Deny)]);
    let waiting = then(pending.clone(), &[decided(1, Decision::Wait)]);
    for retryable in [true, false] {
        let breaks = failed(retryable, Some(0));
        check(vec![
            row(
                "its call goes on",
                pending.clone(),
                breaks.clone(),
                Phase::Acting,
                vec![interrupted.clone()],
            ),
            row(
                "its call waits",
                waiting.clone(),
                breaks.clone(),
                Phase::Acting,
                vec![interrupted.clone(), Effect::Park],
            ),
            row(
                "its call has settled: the model is told",
                settled.clone(),
                breaks,
                Phase::Prompting,
                [vec![interrupted.clone()], opens()].concat(),
            ),
        ]);
    }
}

#[test]
fn the_message_after_one_with_an_intent_may_be_begun_again() {
    let second =
        then(asking(), &[proposed(read(1)), decided(1, Decision::Deny), model_done(&[]), Input::PromptReady]);
    check(vec![row("anew", second, failed(true, None), Phase::Asking, tries_again(2, 1_000))]);
}

/// How a stopped call is settled, by where it was and what it is.
fn stopped(class: EffectClass, running: bool) -> Settlement {
    match class {
        EffectClass::Idem | EffectClass::Effect if running => Settlement::Unknown,
        _ => Settlement::Stopped,
    }
}

/// The input, the reason the open message gets, and the effects that end the turn.
fn ways_to_stop() -> [(Input, StopReason, TurnOutcome, Vec<Effect>); 2] {
    let limit = vec![say_limit(LimitKind::WallSeconds), Effect::End(TurnOutcome::Limit)];
    [
        (
            Input::Cancelled,
            StopReason::Cancelled,
            TurnOutcome::Cancelled,
            vec![Effect::End(TurnOutcome::Cancelled)],
        ),
        (Input::Deadline, StopReason::Interrupted, TurnOutcome::Limit, limit),
    ]
}

#[test]
fn a_stop_or_the_deadline_in_every_phase_with_every_class() {
    for (input, reason, outcome, last) in ways_to_stop() {
        let open = || store(reason);
        let over = ended(outcome);
        let stops = |name, given, effects: Vec<Effect>| {
            row(name, given, input.clone(), over, [effects, last.clone()].concat())
        };
        check(vec![
            stops("while the prompt is built", vec![Input::Begin], vec![open()]),
            stops("while the model writes", asking(), vec![open()]),
            stops("while it waits to ask again", then(asking(), &[failed(true, None)]), vec![open()]),
        ]);
        for class in CLASSES {
            let writing = then(asking(), &[proposed(call(1, class))]);
            let writing_runs = then(writing.clone(), &[decided(1, Decision::Run)]);
            let calm = || settle(1, stopped(class, false));
            let busy = || settle(1, stopped(class, true));
            check(vec![
                stops("call undecided, model writing", writing, vec![open(), calm()]),
                stops("call running, model writing", writing_runs, vec![open(), busy()]),
                stops("call undecided", acting(&[call(1, class)]), vec![calm()]),
                stops("call running", running(class), vec![busy()]),
                stops("call waiting", parked(class), vec![calm()]),
            ]);
        }
    }
}

#[test]
fn a_stop_keeps_the_results_there_are() {
    let given = then(
        acting(&[read(1), call(2, EffectClass::Effect)]),
        &[decided(1, Decision::Run), decided(2, Decision::Run), finished(1, ResultStatus::Ok)],
    );
    let effects = vec![settle(2, Settlement::Unknown), Effect::End(TurnOutcome::Cancelled)];
    check(vec![row("only the other", given, Input::Cancelled, ended(TurnOutcome::Cancelled), effects)]);
}

#[test]
fn a_stop_leaves_steering_for_the_next_turn() {
    let (after, effects) = step(play(fresh(), &then(asking(), &[Input::Steered(3)])), Input::Cancelled);
    assert_eq!(effects, [store(StopReason::Cancelled), Effect::End(TurnOutcome::Cancelled)]);
    assert_eq!(after.steering, 3);
}

#[test]
fn a_failed_turn_is_run_again_with_all_its_limits() {
    let start = State::new(Limits { steps: 2, output_tokens: 500, ..limits() }, Policy::default());
    let used = [wrote(400, &[read(1)]), decided(1, Decision::Deny), Input::PromptReady, Input::Steered(1)];
    let over = play(start.clone(), &then(then(asking(), &used), &[failed(false, None)]));
    assert_eq!((over.phase, over.step), (ended(TurnOutcome::Failed), 2));
    let (again, effects) = step(over, Input::Begin);
    assert_eq!(effects, opens());
    assert_eq!((again.step, again.attempt, again.steering, again.calls.len()), (1, 1, 0, 0));
    // The bill is the turn's, the limit is this run's.
    assert_eq!((again.usage.output_tokens, again.output_tokens_left()), (400, 500));
    let (_, effects) = step(again, Input::PromptReady);
    assert_eq!(effects, [Effect::AskModel { attempt: 1, delay_ms: 0, max_output_tokens: 500 }]);
}

#[test]
fn what_may_be_run_again_and_what_not() {
    let limit = then(asking(), &[Input::Deadline]);
    let stopped = then(asking(), &[Input::Cancelled]);
    let completed = then(asking(), &[model_done(&[])]);
    check(vec![
        row("a limit", limit, Input::Begin, Phase::Prompting, opens()),
        row("stopped stays stopped", stopped, Input::Begin, ended(TurnOutcome::Cancelled), vec![]),
        row("done is done", completed, Input::Begin, ended(TurnOutcome::Completed), vec![]),
    ]);
}
