//! The road of a turn on which nothing breaks: messages, calls, people, limits, steering.

use crate::{Decision, Effect, Input, LimitKind, Phase, Policy, Settlement, State, scene_tests::*, step};
use domain::{EffectClass, Limits, ResultStatus, StopReason, TurnOutcome, Usage};

#[test]
fn a_plain_turn() {
    let done = vec![store(StopReason::Completed), Effect::End(TurnOutcome::Completed)];
    check(vec![
        row("it begins with a prompt", vec![], Input::Begin, Phase::Prompting, opens()),
        row("the model is asked", vec![Input::Begin], Input::PromptReady, Phase::Asking, vec![ask(1, 0)]),
        row("it ends", asking(), model_done(&[]), ended(TurnOutcome::Completed), done),
    ]);
}

#[test]
fn a_message_cut_by_its_length_ends_the_turn_as_it_is() {
    let cut = Input::ModelDone { stop: StopReason::Length, calls: vec![], usage: Usage::ZERO };
    let effects = vec![store(StopReason::Length), Effect::End(TurnOutcome::Completed)];
    check(vec![row("length", asking(), cut, ended(TurnOutcome::Completed), effects)]);
}

#[test]
fn calls_that_come_with_the_end() {
    let two = acting(&[read(1), read(2)]);
    let run_both = then(two.clone(), &[decided(1, Decision::Run), decided(2, Decision::Run)]);
    let second_done = then(run_both.clone(), &[finished(2, ResultStatus::Ok)]);
    check(vec![
        row(
            "both go to the gate after the message is stored",
            asking(),
            model_done(&[read(1), read(2)]),
            Phase::Acting,
            vec![store(StopReason::ToolUse), decide(1), decide(2)],
        ),
        row("one is allowed", two, decided(2, Decision::Run), Phase::Acting, vec![run(2)]),
        row(
            "the second is done first",
            run_both,
            finished(2, ResultStatus::Ok),
            Phase::Acting,
            vec![answered(2)],
        ),
        row(
            "the last one done asks the model again",
            second_done,
            finished(1, ResultStatus::Error),
            Phase::Prompting,
            [vec![settle(1, Settlement::Result(ResultStatus::Error))], opens()].concat(),
        ),
    ]);
}

#[test]
fn calls_that_come_while_the_model_writes() {
    let one = then(asking(), &[proposed(read(1))]);
    let all_done = then(one.clone(), &[decided(1, Decision::Run), finished(1, ResultStatus::Ok)]);
    check(vec![
        row(
            "its intent is stored before the gate hears of it",
            asking(),
            proposed(read(1)),
            Phase::Asking,
            vec![intent(1), decide(1)],
        ),
        row("the same call twice is one call", one.clone(), proposed(read(1)), Phase::Asking, vec![]),
        row("it runs meanwhile", one.clone(), decided(1, Decision::Run), Phase::Asking, vec![run(1)]),
        row(
            "it settles meanwhile",
            then(one.clone(), &[decided(1, Decision::Run)]),
            finished(1, ResultStatus::Ok),
            Phase::Asking,
            vec![answered(1)],
        ),
        row(
            "denied meanwhile",
            one.clone(),
            decided(1, Decision::Deny),
            Phase::Asking,
            vec![settle(1, Settlement::Denied)],
        ),
        row(
            "waiting meanwhile parks nothing",
            one.clone(),
            decided(1, Decision::Wait),
            Phase::Asking,
            vec![asks(1)],
        ),
        row(
            "the end names it again, with another",
            one,
            model_done(&[read(1), read(2)]),
            Phase::Acting,
            vec![store(StopReason::ToolUse), decide(2)],
        ),
        row(
            "the end finds all settled",
            all_done,
            model_done(&[]),
            Phase::Prompting,
            [vec![store(StopReason::Completed)], opens()].concat(),
        ),
    ]);
}

#[test]
fn people_are_waited_for() {
    let mixed = then(acting(&[read(1), read(2)]), &[decided(1, Decision::Wait)]);
    let both_wait = then(mixed.clone(), &[decided(2, Decision::Wait)]);
    let denied = settle(1, Settlement::Denied);
    let waiting = || parked(EffectClass::Effect);
    check(vec![
        row(
            "alone",
            acting(&[read(1)]),
            decided(1, Decision::Wait),
            Phase::Acting,
            vec![asks(1), Effect::Park],
        ),
        row("the other is undecided", mixed.clone(), Input::PromptReady, Phase::Acting, vec![]),
        row(
            "the other settles",
            then(mixed.clone(), &[decided(2, Decision::Run)]),
            finished(2, ResultStatus::Ok),
            Phase::Acting,
            vec![answered(2), Effect::Park],
        ),
        row("both wait", mixed, decided(2, Decision::Wait), Phase::Acting, vec![asks(2), Effect::Park]),
        row("something else is asked", waiting(), decided(1, Decision::Wait), Phase::Acting, vec![asks(1)]),
        row("steered meanwhile", waiting(), Input::Steered(1), Phase::Acting, vec![]),
        row("yes", waiting(), decided(1, Decision::Run), Phase::Acting, vec![run(1)]),
        row(
            "no",
            waiting(),
            decided(1, Decision::Deny),
            Phase::Prompting,
            [vec![denied.clone()], opens()].concat(),
        ),
        row(
            "no to one of two",
            both_wait,
            decided(1, Decision::Deny),
            Phase::Acting,
            vec![denied, Effect::Park],
        ),
        row(
            "a question is answered without running",
            waiting(),
            finished(1, ResultStatus::Ok),
            Phase::Prompting,
            [vec![answered(1)], opens()].concat(),
        ),
    ]);
}

#[test]
fn a_person_may_have_to_speak_before_the_model_is_asked() {
    let waiting = || then(asking(), &[Input::PriceApprovalNeeded]);
    let refused = vec![say_limit(LimitKind::Budget), Effect::End(TurnOutcome::Limit)];
    let asks = vec![Effect::AskPriceApproval, Effect::Park];
    let again = vec![Effect::RestartMessage { attempt: 1, again: None }, Effect::BuildPrompt];
    check(vec![
        row("asks, and waits", asking(), Input::PriceApprovalNeeded, Phase::Prompting, asks),
        row("asks once", waiting(), Input::PriceApprovalNeeded, Phase::Prompting, vec![]),
        row("an old prompt is not sent", waiting(), Input::PromptReady, Phase::Prompting, vec![]),
        row("goes on", waiting(), Input::PriceApprovalAnswered, Phase::Prompting, again),
        row("nobody was asked", asking(), Input::PriceApprovalAnswered, Phase::Asking, vec![]),
        row("no", waiting(), Input::BudgetRefused, ended(TurnOutcome::Limit), refused),
        row(
            "never over a stored intent",
            then(asking(), &[proposed(read(1))]),
            Input::PriceApprovalNeeded,
            Phase::Asking,
            vec![],
        ),
    ]);
    let heard = play(fresh(), &then(waiting(), &[Input::PriceApprovalAnswered]));
    assert!(play(fresh(), &waiting()).parked && !heard.parked);
}

#[test]
fn the_clock_stands_still_exactly_while_parked() {
    let waiting = play(fresh(), &parked(EffectClass::Read));
    assert!(waiting.parked);
    assert!(!play(waiting.clone(), &[decided(1, Decision::Run)]).parked);
    assert!(!play(waiting.clone(), &[decided(1, Decision::Deny)]).parked);
    assert!(!play(waiting.clone(), &[Input::Cancelled]).parked);
    assert!(play(waiting, &[Input::Steered(1)]).parked);
}

#[test]
fn more_calls_than_a_message_may_make() {
    let full = then(asking(), &[proposed(read(1)), proposed(read(2))]);
    check(vec![
        row(
            "with the end, and what is durable comes first",
            asking(),
            model_done(&[read(1), read(2), read(3)]),
            Phase::Acting,
            vec![store(StopReason::ToolUse), settle(3, Settlement::TooMany), decide(1), decide(2)],
        ),
        row(
            "while it writes",
            full,
            proposed(read(3)),
            Phase::Asking,
            vec![intent(3), settle(3, Settlement::TooMany)],
        ),
    ]);
}

#[test]
fn limits_end_the_turn_with_words() {
    let limits = |steps, output_tokens| Limits { steps, output_tokens, ..limits() };
    let over = |kind| vec![answered(1), say_limit(kind), Effect::End(TurnOutcome::Limit)];
    let runs = |done: Input| then(asking(), &[done, decided(1, Decision::Run)]);
    let table = [
        ("steps", limits(1, TOKENS), runs(model_done(&[read(1)])), over(LimitKind::Steps)),
        ("tokens", limits(9, 20), runs(wrote(20, &[read(1)])), over(LimitKind::OutputTokens)),
        (
            "more tokens than asked for",
            limits(9, 20),
            runs(wrote(21, &[read(1)])),
            over(LimitKind::OutputTokens),
        ),
    ];
    for (name, limits, given, effects) in table {
        let start = State::new(limits, Policy::default());
        let last = finished(1, ResultStatus::Ok);
        check_from(&start, vec![row(name, given, last, ended(TurnOutcome::Limit), effects)]);
    }
}

#[test]
fn a_turn_that_ends_on_the_last_step_reached_no_limit() {
    let start = State::new(Limits { steps: 1, output_tokens: 20, ..limits() }, Policy::default());
    let effects = vec![store(StopReason::ToolUse), Effect::End(TurnOutcome::Completed)];
    check_from(
        &start,
        vec![row("all used", asking(), wrote(20, &[]), ended(TurnOutcome::Completed), effects)],
    );
}

#[test]
fn the_next_message_may_use_what_is_left_of_the_tokens() {
    let second = then(asking(), &[wrote(400, &[read(1)]), decided(1, Decision::Deny)]);
    let left = Effect::AskModel { attempt: 1, delay_ms: 0, max_output_tokens: TOKENS - 400 };
    check(vec![row("600 are left", second, Input::PromptReady, Phase::Asking, vec![left])]);
}

#[test]
fn no_money() {
    let over = || vec![say_limit(LimitKind::Budget), Effect::End(TurnOutcome::Limit)];
    let refused = Input::BudgetRefused;
    let limit = ended(TurnOutcome::Limit);
    let committed = then(asking(), &[proposed(read(1))]);
    check(vec![
        row("for the first message", vec![Input::Begin], refused.clone(), limit, over()),
        row("to ask once more", then(asking(), &[failed(true, None)]), refused.clone(), limit, over()),
        row("too late: the message has calls", committed, refused.clone(), Phase::Asking, vec![]),
        row("too late: it is stored", acting(&[read(1)]), refused, Phase::Acting, vec![]),
    ]);
}

#[test]
fn steering_joins_at_the_next_step() {
    let taken = || [vec![Effect::TakeSteering], opens()].concat();
    let steered = then(asking(), &[Input::Steered(1), Input::Steered(2)]);
    let busy = then(running(EffectClass::Read), &[Input::Steered(1)]);
    let after = then(steered.clone(), &[model_done(&[]), Input::PromptReady]);
    check(vec![
        row("announced", asking(), Input::Steered(2), Phase::Asking, vec![]),
        row(
            "several are taken once, and a turn that would have ended goes on",
            steered,
            model_done(&[]),
            Phase::Prompting,
            [vec![store(StopReason::Completed)], taken()].concat(),
        ),
        row(
            "between two steps",
            busy,
            finished(1, ResultStatus::Ok),
            Phase::Prompting,
            [vec![answered(1)], taken()].concat(),
        ),
        row(
            "and are not taken again",
            after,
            model_done(&[]),
            ended(TurnOutcome::Completed),
            vec![store(StopReason::Completed), Effect::End(TurnOutcome::Completed)],
        ),
    ]);
}

#[test]
fn steering_at_a_limit_is_left_for_the_next_turn() {
    let start = State::new(Limits { steps: 1, ..limits() }, Policy::default());
    let before = play(start, &then(asking(), &[Input::Steered(2)]));
    let (after, effects) = step(before, model_done(&[]));
    let limit = Effect::End(TurnOutcome::Limit);
    assert_eq!(effects, [store(StopReason::Completed), say_limit(LimitKind::Steps), limit]);
    assert_eq!(after.steering, 2);
}

#[test]
fn a_hook_wants_another_round() {
    let wanted = then(asking(), &[Input::RoundWanted]);
    let again = [vec![store(StopReason::Completed)], opens()].concat();
    let over = vec![store(StopReason::Completed), Effect::End(TurnOutcome::Completed)];
    let second = then(wanted.clone(), &[model_done(&[]), Input::PromptReady]);
    let restarted = then(wanted.clone(), &[failed(true, None)]);
    let crashed = then(wanted.clone(), &[recovered(1, &[]), Input::PromptReady]);
    let completed = ended(TurnOutcome::Completed);
    check(vec![
        row("one more", wanted, model_done(&[]), Phase::Prompting, again),
        row("and only one", second, model_done(&[]), completed, over.clone()),
        row("of a message that was begun again", restarted, model_done(&[]), completed, over.clone()),
        row("of a message that a crash began again", crashed, model_done(&[]), completed, over),
    ]);
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let unchanged = |state: &State, input: Input| {
        let (after, effects) = step(state.clone(), input.clone());
        assert_eq!((&after, effects), (state, vec![]), "{input:?} in {:?}", state.phase);
    };
    for input in every_input().into_iter().filter(|input| *input != Input::Begin) {
        unchanged(&fresh(), input);
    }
    let outcomes = [TurnOutcome::Completed, TurnOutcome::Failed, TurnOutcome::Cancelled, TurnOutcome::Limit];
    for outcome in outcomes {
        let mut over = play(fresh(), &then(acting(&[read(1)]), &[Input::Cancelled]));
        over.phase = ended(outcome);
        let again = matches!(outcome, TurnOutcome::Failed | TurnOutcome::Limit);
        for input in every_input().into_iter().filter(|input| !again || *input != Input::Begin) {
            unchanged(&over, input);
        }
    }
}

#[test]
fn what_comes_late_or_early_changes_nothing() {
    let prompting = || vec![Input::Begin];
    let settled = then(acting(&[read(1), read(2)]), &[decided(1, Decision::Deny)]);
    let run_one = Phase::Acting;
    check(vec![
        row("begun twice", asking(), Input::Begin, Phase::Asking, vec![]),
        row("a prompt twice", asking(), Input::PromptReady, Phase::Asking, vec![]),
        row("a call before the model is asked", prompting(), proposed(read(1)), Phase::Prompting, vec![]),
        row("an end before the model is asked", prompting(), model_done(&[]), Phase::Prompting, vec![]),
        row("a failure before it", prompting(), failed(false, None), Phase::Prompting, vec![]),
        row("a call after the end", acting(&[read(1)]), proposed(read(2)), run_one, vec![]),
        row("an end after the end", acting(&[read(1)]), model_done(&[]), run_one, vec![]),
        row("a failure after the end", acting(&[read(1)]), failed(true, None), run_one, vec![]),
        row(
            "a result before the gate spoke",
            acting(&[read(1)]),
            finished(1, ResultStatus::Ok),
            run_one,
            vec![],
        ),
        row("a strange call is decided", acting(&[read(1)]), decided(7, Decision::Run), run_one, vec![]),
        row("a strange call is done", acting(&[read(1)]), finished(7, ResultStatus::Ok), run_one, vec![]),
        row("a yes after the no", settled.clone(), decided(1, Decision::Run), run_one, vec![]),
        row("a result after the no", settled, finished(1, ResultStatus::Ok), run_one, vec![]),
        row("a second yes", running(EffectClass::Effect), decided(1, Decision::Run), run_one, vec![]),
        row("a no while it runs", running(EffectClass::Effect), decided(1, Decision::Deny), run_one, vec![]),
    ]);
}
