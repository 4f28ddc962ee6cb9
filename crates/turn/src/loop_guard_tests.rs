//! Going round in circles: pointed out, then stopped.

use crate::{
    Decision, Effect, Input, LimitKind, Phase, Policy, STOPPED, Settlement, State, scene_tests::*, step,
};
use domain::{EffectClass, Limits, ResultStatus, TurnOutcome};

fn patient() -> State {
    State::new(Limits { steps: 50, ..Limits::default() }, Policy::default())
}

/// One message that makes this call, which comes to this outcome.
fn round(number: u32, digest: u64) -> Vec<Input> {
    vec![
        Input::PromptReady,
        model_done(&[read(number)]),
        decided(number, Decision::Run),
        compared(number, digest),
        finished(number, ResultStatus::Ok),
    ]
}

fn rounds(digests: &[u64]) -> State {
    let numbered = digests.iter().zip(1..).flat_map(|(digest, number)| round(number, *digest));
    play(patient(), &std::iter::once(Input::Begin).chain(numbered).collect::<Vec<_>>())
}

#[test]
fn the_same_outcome_five_times_ends_the_turn() {
    let four = rounds(&[7; 4]);
    assert_eq!(four.phase, Phase::Prompting);
    let before = play(four, &round(5, 7)[..4]);
    assert_eq!(before.rounds_of(id(5)), STOPPED);
    let (after, effects) = step(before, finished(5, ResultStatus::Ok));
    let expected = vec![answered(5), say_limit(LimitKind::Repetition), Effect::End(TurnOutcome::Limit)];
    assert_eq!((after.phase, effects), (ended(TurnOutcome::Limit), expected));
}

#[test]
fn other_outcomes_in_between_do_not_hide_it() {
    assert_eq!(rounds(&[7, 1, 7, 2, 7, 3, 7, 4, 7]).phase, ended(TurnOutcome::Limit));
    assert_eq!(rounds(&[1, 2, 3, 4, 5, 6, 7, 8, 9]).phase, Phase::Prompting);
}

#[test]
fn equal_calls_of_one_message_are_one_round() {
    let calls: Vec<_> = (1..=8).map(|number| call(number, EffectClass::Read)).collect();
    let mut inputs = vec![Input::Begin, Input::PromptReady, model_done(&calls)];
    for number in 1..=8 {
        inputs.extend([
            decided(number, Decision::Run),
            compared(number, 7),
            finished(number, ResultStatus::Ok),
        ]);
    }
    let state = play(patient(), &inputs);
    assert_eq!(state.phase, Phase::Prompting, "one message that reads the same eight times is no circle");
    assert_eq!(play(state, &round(9, 7)[..4]).rounds_of(id(9)), 2);
}

#[test]
fn a_call_that_is_refused_again_and_again_is_a_circle_too() {
    let mut state = play(patient(), &[Input::Begin]);
    let mut last = Vec::new();
    for number in 1..=STOPPED {
        state = play(state, &[Input::PromptReady, model_done(&[read(number)]), compared(number, 7)]);
        (state, last) = step(state, decided(number, Decision::Deny));
    }
    let expected = vec![
        settle(STOPPED, Settlement::Denied),
        say_limit(LimitKind::Repetition),
        Effect::End(TurnOutcome::Limit),
    ];
    assert_eq!(last, expected);
}

#[test]
fn whoever_speaks_up_breaks_the_circle() {
    let before = play(rounds(&[7; 4]), &round(5, 7)[..4]);
    let state = play(before, &[Input::Steered(1), finished(5, ResultStatus::Ok)]);
    assert_eq!(state.phase, Phase::Prompting);
    assert_eq!(play(state, &round(6, 7)[..4]).rounds_of(id(6)), 1);
}

#[test]
fn a_retry_counts_anew() {
    let state = play(rounds(&[7; 5]), &[Input::Begin]);
    assert_eq!(state.phase, Phase::Prompting);
    assert_eq!(play(state, &round(6, 7)[..4]).rounds_of(id(6)), 1);
}
