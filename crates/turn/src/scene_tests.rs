//! Short words for inputs and effects, and the rows in which the tables of transitions are written.

use crate::{
    Decision, Effect, Failure, Input, LimitKind, NewCall, Notice, Phase, Policy, Retry, Settlement, State,
    step,
};
use domain::{CallId, CallStatus, EffectClass, Limits, ResultStatus, StopReason, TurnOutcome, Usage};
use uuid::Uuid;

pub(crate) const CLASSES: [EffectClass; 4] =
    [EffectClass::Read, EffectClass::Txn, EffectClass::Idem, EffectClass::Effect];

/// What the model may write in the turns of the tables.
pub(crate) const TOKENS: u64 = 1_000;

pub(crate) fn limits() -> Limits {
    Limits { steps: 3, calls_per_step: 2, output_tokens: TOKENS, ..Limits::default() }
}

pub(crate) fn fresh() -> State {
    State::new(limits(), Policy::default())
}

pub(crate) fn id(number: u32) -> CallId {
    CallId::from_uuid(Uuid::from_u128(u128::from(number)))
}

pub(crate) fn call(number: u32, class: EffectClass) -> NewCall {
    NewCall { id: id(number), class }
}

pub(crate) fn read(number: u32) -> NewCall {
    call(number, EffectClass::Read)
}

pub(crate) fn proposed(call: NewCall) -> Input {
    Input::CallProposed(call)
}

/// The end of a message whose tokens were not counted.
pub(crate) fn model_done(calls: &[NewCall]) -> Input {
    let stop = if calls.is_empty() { StopReason::Completed } else { StopReason::ToolUse };
    Input::ModelDone { stop, calls: calls.to_vec(), usage: Usage::ZERO }
}

pub(crate) fn wrote(output_tokens: u64, calls: &[NewCall]) -> Input {
    let usage = Usage { output_tokens, ..Usage::ZERO };
    Input::ModelDone { stop: StopReason::ToolUse, calls: calls.to_vec(), usage }
}

pub(crate) fn failed(retryable: bool, retry_after_ms: Option<u64>) -> Input {
    let retry = if retryable { Retry::Patiently } else { Retry::Never };
    Input::ModelFailed(Failure { retry, retry_after_ms })
}

pub(crate) fn decided(number: u32, decision: Decision) -> Input {
    Input::CallDecided { call: id(number), decision }
}

pub(crate) fn finished(number: u32, status: ResultStatus) -> Input {
    Input::CallDone { call: id(number), status }
}

pub(crate) fn compared(number: u32, digest: u64) -> Input {
    Input::CallCompared { call: id(number), digest }
}

pub(crate) fn recovered(stalls: u32, rows: &[(u32, CallStatus)]) -> Input {
    Input::Recovered { stalls, calls: rows.iter().map(|(number, status)| (id(*number), *status)).collect() }
}

pub(crate) fn ask(attempt: u32, delay_ms: u64) -> Effect {
    Effect::AskModel { attempt, delay_ms, max_output_tokens: TOKENS }
}

pub(crate) fn decide(number: u32) -> Effect {
    Effect::DecideCall { call: id(number) }
}

pub(crate) fn run(number: u32) -> Effect {
    Effect::RunCall { call: id(number) }
}

pub(crate) fn intent(number: u32) -> Effect {
    Effect::StoreIntent { call: id(number) }
}

pub(crate) fn store(stop: StopReason) -> Effect {
    Effect::StoreMessage { stop }
}

pub(crate) fn settle(number: u32, settlement: Settlement) -> Effect {
    Effect::SettleCall { call: id(number), settlement }
}

pub(crate) fn answered(number: u32) -> Effect {
    settle(number, Settlement::Result(ResultStatus::Ok))
}

pub(crate) fn say_limit(kind: LimitKind) -> Effect {
    Effect::Say(Notice::Limit(kind))
}

/// Asks the model for the next message.
pub(crate) fn opens() -> Vec<Effect> {
    vec![Effect::OpenMessage, Effect::BuildPrompt]
}

/// The model has been asked for the first message.
pub(crate) fn asking() -> Vec<Input> {
    vec![Input::Begin, Input::PromptReady]
}

/// The first message is stored and made these calls; the gate has not spoken.
pub(crate) fn acting(calls: &[NewCall]) -> Vec<Input> {
    [asking(), vec![model_done(calls)]].concat()
}

/// As [`acting`], with the one call running.
pub(crate) fn running(class: EffectClass) -> Vec<Input> {
    [acting(&[call(1, class)]), vec![decided(1, Decision::Run)]].concat()
}

pub(crate) fn asks(number: u32) -> Effect {
    Effect::AwaitAnswer { call: id(number) }
}

/// As [`acting`], with the one call waiting for a person.
pub(crate) fn parked(class: EffectClass) -> Vec<Input> {
    [acting(&[call(1, class)]), vec![decided(1, Decision::Wait)]].concat()
}

pub(crate) fn then(mut given: Vec<Input>, more: &[Input]) -> Vec<Input> {
    given.extend_from_slice(more);
    given
}

pub(crate) fn ended(outcome: TurnOutcome) -> Phase {
    Phase::Ended(outcome)
}

pub(crate) fn play(state: State, inputs: &[Input]) -> State {
    inputs.iter().cloned().fold(state, |state, input| step(state, input).0)
}

/// One transition: after `given`, `when` leads to `phase` and wants exactly `effects` done.
pub(crate) struct Row {
    pub name: &'static str,
    pub given: Vec<Input>,
    pub when: Input,
    pub phase: Phase,
    pub effects: Vec<Effect>,
}

pub(crate) fn row(
    name: &'static str,
    given: Vec<Input>,
    when: Input,
    phase: Phase,
    effects: Vec<Effect>,
) -> Row {
    Row { name, given, when, phase, effects }
}

pub(crate) fn check(rows: Vec<Row>) {
    check_from(&fresh(), rows);
}

pub(crate) fn check_from(start: &State, rows: Vec<Row>) {
    for row in rows {
        let before = play(start.clone(), &row.given);
        let (after, effects) = step(before, row.when.clone());
        assert_eq!((after.phase, effects), (row.phase, row.effects), "{}", row.name);
    }
}

/// Every input, none of which brings anything the turn knows of.
pub(crate) fn every_input() -> Vec<Input> {
    vec![
        Input::Begin,
        Input::PromptReady,
        proposed(read(1)),
        model_done(&[read(1)]),
        failed(true, None),
        decided(1, Decision::Run),
        decided(1, Decision::Deny),
        decided(1, Decision::Wait),
        finished(1, ResultStatus::Ok),
        compared(1, 7),
        Input::Steered(1),
        Input::RoundWanted,
        recovered(1, &[(1, CallStatus::Running)]),
        recovered(9, &[]),
        Input::BudgetRefused,
        Input::PriceApprovalNeeded,
        Input::PriceApprovalAnswered,
        Input::Cancelled,
        Input::Deadline,
    ]
}
