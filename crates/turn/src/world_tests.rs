//! A small engine around the machine: rows that survive, work that does not, people, and crashes anywhere.
//!
//! Each move is atomic: either it happens with its transaction or a crash comes in its place. What is durable is
//! the state as of the last commit, the rows of the calls, the steering inputs and the stop; all else dies.

use crate::{
    Decision, Effect, Failure, Input, NewCall, Phase, Progress, Retry, Settlement, State,
    ledger_tests::Ledger, scene_tests::id,
};
use domain::{CallId, CallStatus, EffectClass, ResultStatus, StopReason, TurnOutcome, Usage};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};

/// How often something may still happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Allowance {
    pub crashes: u32,
    pub steers: u32,
    pub rounds: u32,
    pub stops: u32,
    pub deadlines: u32,
    pub retries: u32,
    pub refusals: u32,
    pub price_approvals: u32,
}

/// The habits of the engine and the model.
#[derive(Clone, Debug)]
pub(crate) struct Habits {
    /// The state is also stored when a step wants nothing durable.
    pub stores_always: bool,
    /// Every call is marked as begun, also one that may run again.
    pub marks_all: bool,
    /// Every call has the same result as every other.
    pub repeats: bool,
    /// The calls a message makes at most, by their place in it.
    pub calls: Vec<EffectClass>,
    pub tokens_per_message: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Move {
    Begin,
    Stop,
    Restart,
    Finish(CallId),
    Start(CallId),
    Gate(CallId, Decision),
    Prompt,
    Done(usize),
    Answer(CallId, Decision),
    Reply(CallId),
    Propose,
    Fail(bool),
    Refuse,
    NeedPriceApproval,
    AnswerPriceApproval,
    Steer,
    Round,
    PressStop,
    Deadline,
    Crash,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Row {
    class: EffectClass,
    status: CallStatus,
    runs: u32,
}

impl Row {
    fn settled(self) -> bool {
        !matches!(self.status, CallStatus::Pending | CallStatus::Waiting | CallStatus::Running)
    }
}

/// Work under way; a crash forgets it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Work {
    prompt: bool,
    /// The tokens the model may write.
    model: Option<u64>,
    gate: BTreeSet<CallId>,
    to_start: BTreeSet<CallId>,
    running: BTreeSet<CallId>,
}

#[derive(Clone, Debug)]
pub(crate) struct World {
    habits: Habits,
    left: Allowance,
    /// Absent while the process is dead.
    live: Option<(State, Ledger)>,
    kept: (State, Ledger),
    rows: BTreeMap<CallId, Row>,
    messages: u32,
    written: u64,
    inbox: u32,
    stop_pressed: bool,
    stalls: u32,
    work: Work,
}

impl World {
    pub(crate) fn new(state: State, habits: Habits, left: Allowance) -> Self {
        let kept = (state, Ledger::default());
        Self {
            habits,
            left,
            live: Some(kept.clone()),
            kept,
            rows: BTreeMap::new(),
            messages: 0,
            written: 0,
            inbox: 0,
            stop_pressed: false,
            stalls: 0,
            work: Work::default(),
        }
    }

    /// Over, and dead or alive it stays so.
    pub(crate) fn over(&self) -> bool {
        self.kept.0.ended().is_some()
    }

    /// Names all that decides what can happen next.
    pub(crate) fn digest(&self) -> (u64, u64) {
        // How a call settled changes nothing any more.
        let unsettled: Vec<_> = self.rows.iter().filter(|(_, row)| !row.settled()).collect();
        // A ledger holds the stored form of its state.
        let live = self.live.as_ref().map(|(_, ledger)| ledger);
        let kept = &self.kept.1;
        let rest = (self.rows.len(), self.inbox, self.stop_pressed, self.stalls, &self.work, &self.left);
        let halves = [1_u8, 2].map(|salt| {
            let mut hasher = DefaultHasher::new();
            (salt, &unsettled, &live, &kept, &rest).hash(&mut hasher);
            hasher.finish()
        });
        halves.into()
    }

    /// Everything that can happen now. The first one brings the turn closer to its end.
    pub(crate) fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let Some((state, _)) = &self.live else {
            moves.push(Move::Restart);
            moves.extend((self.left.crashes > 0).then_some(Move::Crash));
            return moves;
        };
        match state.phase {
            Phase::New => moves.push(Move::Begin),
            Phase::Ended(TurnOutcome::Failed | TurnOutcome::Limit) => {
                moves.extend((self.left.retries > 0).then_some(Move::Begin));
                return moves;
            }
            Phase::Ended(_) => return moves,
            _ => self.work_moves(state, &mut moves),
        }
        moves.extend((self.left.crashes > 0).then_some(Move::Crash));
        moves
    }

    fn work_moves(&self, state: &State, moves: &mut Vec<Move>) {
        moves.extend(self.stop_pressed.then_some(Move::Stop));
        moves.extend(self.work.running.iter().map(|call| Move::Finish(*call)));
        moves.extend(self.work.to_start.iter().map(|call| Move::Start(*call)));
        for call in &self.work.gate {
            moves.extend(
                [Decision::Run, Decision::Deny, Decision::Wait].map(|decision| Move::Gate(*call, decision)),
            );
        }
        if self.work.prompt {
            moves.push(Move::Prompt);
            moves.extend((self.left.refusals > 0).then_some(Move::Refuse));
        }
        let unasked = self.work.prompt || (self.work.model.is_some() && !state.committed);
        moves.extend((unasked && self.left.price_approvals > 0).then_some(Move::NeedPriceApproval));
        moves.extend((state.parked && state.message_open()).then_some(Move::AnswerPriceApproval));
        if self.work.model.is_some() {
            self.model_moves(moves);
        }
        for call in state.calls.iter().filter(|call| call.progress == Progress::Waiting) {
            moves.extend([Decision::Run, Decision::Deny].map(|decision| Move::Answer(call.id, decision)));
            moves.push(Move::Reply(call.id));
        }
        let left = &self.left;
        moves.extend((left.steers > 0).then_some(Move::Steer));
        moves.extend((left.rounds > 0).then_some(Move::Round));
        moves.extend((left.stops > 0).then_some(Move::PressStop));
        moves.extend((left.deadlines > 0).then_some(Move::Deadline));
    }

    fn model_moves(&self, moves: &mut Vec<Move>) {
        let room = self.habits.calls.len().saturating_sub(self.rows.len());
        moves.extend((0..=room).map(Move::Done));
        moves.extend((room > 0).then_some(Move::Propose));
        moves.extend([Move::Fail(true), Move::Fail(false)]);
    }

    pub(crate) fn make(&mut self, chosen: Move) {
        match chosen {
            Move::Begin => self.begin(),
            Move::Stop => self.deliver(Input::Cancelled),
            Move::Restart => self.restart(),
            Move::Finish(call) => {
                self.compare(call);
                self.work.running.remove(&call);
                self.deliver(Input::CallDone { call, status: ResultStatus::Error });
            }
            Move::Start(call) => self.start(call),
            Move::Gate(call, decision) => self.decide(call, decision),
            Move::Answer(call, decision) => self.deliver(Input::CallDecided { call, decision }),
            Move::Reply(call) => {
                self.compare(call);
                self.deliver(Input::CallDone { call, status: ResultStatus::Ok });
            }
            Move::Prompt => {
                self.work.prompt = false;
                self.deliver(Input::PromptReady);
            }
            Move::Done(calls) => self.model_done(calls),
            Move::Propose => self.deliver(Input::CallProposed(self.next_call(0))),
            Move::Fail(retryable) => {
                let retry = if retryable { Retry::Patiently } else { Retry::Never };
                self.work.model = None;
                self.deliver(Input::ModelFailed(Failure { retry, retry_after_ms: None }));
            }
            rare => self.make_rare(rare),
        }
    }

    fn make_rare(&mut self, chosen: Move) {
        match chosen {
            Move::Refuse => {
                self.left.refusals -= 1;
                self.work.prompt = false;
                self.deliver(Input::BudgetRefused);
            }
            Move::NeedPriceApproval => {
                self.left.price_approvals -= 1;
                self.work = Work::default();
                self.deliver(Input::PriceApprovalNeeded);
            }
            Move::AnswerPriceApproval => self.deliver(Input::PriceApprovalAnswered),
            Move::Steer => {
                self.left.steers -= 1;
                self.inbox += 1;
                self.deliver(Input::Steered(1));
            }
            Move::Round => {
                self.left.rounds -= 1;
                self.deliver(Input::RoundWanted);
            }
            Move::PressStop => {
                self.left.stops -= 1;
                self.stop_pressed = true;
            }
            Move::Deadline => {
                self.left.deadlines -= 1;
                self.deliver(Input::Deadline);
            }
            Move::Crash => {
                self.left.crashes -= 1;
                self.stalls += 1;
                self.live = None;
                self.work = Work::default();
            }
            other => panic!("{other:?} is not rare"),
        }
    }

    fn begin(&mut self) {
        if self.over() {
            self.left.retries -= 1;
        }
        self.written = 0;
        self.deliver(Input::Begin);
    }

    fn restart(&mut self) {
        self.live = Some(self.kept.clone());
        let rows = self.rows.iter().map(|(call, row)| (*call, row.status)).collect();
        self.deliver(Input::Recovered { stalls: self.stalls, calls: rows });
        if self.inbox > 0 && !self.over() {
            self.deliver(Input::Steered(self.inbox));
        }
    }

    fn start(&mut self, call: CallId) {
        self.work.to_start.remove(&call);
        self.work.running.insert(call);
        let row = self.rows.get_mut(&call).expect("a row for each call");
        row.runs += 1;
        if row.class == EffectClass::Effect || self.habits.marks_all {
            row.status = CallStatus::Running;
        }
        assert!(row.runs == 1 || row.class.runs_again(), "the world was changed twice");
    }

    fn decide(&mut self, call: CallId, decision: Decision) {
        self.work.gate.remove(&call);
        self.deliver(Input::CallDecided { call, decision });
    }

    fn compare(&mut self, call: CallId) {
        if self.habits.repeats {
            self.deliver(Input::CallCompared { call, digest: 7 });
        }
    }

    fn next_call(&self, ahead: usize) -> NewCall {
        let place = self.rows.len() + ahead;
        let number = self.messages * 16 + u32::try_from(place).expect("few calls");
        NewCall { id: id(number), class: self.habits.calls[place] }
    }

    fn model_done(&mut self, calls: usize) {
        let most = self.work.model.take().expect("the model was asked");
        let output_tokens = self.habits.tokens_per_message.min(most);
        self.written += output_tokens;
        assert!(self.written <= self.kept.0.limits.output_tokens, "more written than allowed");
        self.deliver(Input::ModelDone {
            stop: StopReason::Completed,
            calls: (0..calls).map(|ahead| self.next_call(ahead)).collect(),
            usage: Usage { output_tokens, ..Usage::ZERO },
        });
    }

    fn deliver(&mut self, input: Input) {
        let (state, mut ledger) = self.live.take().expect("alive");
        let (after, effects) = ledger.step(state, input.clone());
        for effect in &effects {
            self.carry_out(&input, effect);
        }
        let durable = effects.iter().any(Effect::is_durable);
        // Beginning a message again is no progress.
        let repeats = |effect: &Effect| matches!(effect, Effect::RestartMessage { .. });
        if durable && !matches!(input, Input::Recovered { .. }) && !effects.iter().any(repeats) {
            self.stalls = 0;
        }
        self.live = Some((after, ledger));
        if durable || self.habits.stores_always {
            self.kept.clone_from(self.live.as_ref().expect("alive"));
        }
        self.check_alive();
    }

    /// There is always something to do, for the engine or for a person, and then the turn says so.
    fn check_alive(&self) {
        let (state, _) = self.live.as_ref().expect("alive");
        let idle = self.work == Work::default();
        let at_rest = matches!(state.phase, Phase::New | Phase::Ended(_)) || state.parked;
        assert_eq!(idle, at_rest, "{:?} {:?}", state, self.work);
    }

    fn carry_out(&mut self, input: &Input, effect: &Effect) {
        match effect {
            Effect::OpenMessage => {
                assert!(self.rows.values().all(|row| row.settled()));
                self.rows.clear();
                self.messages += 1;
            }
            Effect::StoreIntent { .. } | Effect::StoreMessage { .. } => self.store_calls(input),
            Effect::SettleCall { call, settlement } => self.settle(*call, *settlement),
            Effect::TakeSteering => {
                assert!(self.inbox > 0, "a step for steering that is not there");
                self.inbox = 0;
            }
            Effect::End(_) => {
                assert!(self.rows.values().all(|row| row.settled()));
                self.work = Work::default();
            }
            Effect::AwaitAnswer { call } => {
                self.rows.get_mut(call).expect("a row for each call").status = CallStatus::Waiting;
            }
            Effect::RestartMessage { .. } | Effect::Say(_) | Effect::AskPriceApproval | Effect::Park => {}
            Effect::BuildPrompt => self.work.prompt = true,
            Effect::AskModel { max_output_tokens, .. } => self.work.model = Some(*max_output_tokens),
            Effect::DecideCall { call } => assert!(self.work.gate.insert(*call)),
            Effect::RunCall { call } => assert!(self.work.to_start.insert(*call)),
        }
    }

    fn store_calls(&mut self, input: &Input) {
        let calls = match input {
            Input::CallProposed(call) => std::slice::from_ref(call),
            Input::ModelDone { calls, .. } => calls.as_slice(),
            _ => &[],
        };
        for call in calls {
            let row = Row { class: call.class, status: CallStatus::Pending, runs: 0 };
            assert_eq!(self.rows.insert(call.id, row), None);
        }
    }

    fn settle(&mut self, call: CallId, settlement: Settlement) {
        let row = self.rows.get_mut(&call).expect("a row for each call");
        assert!(!row.settled(), "two results for one call");
        let vague =
            row.status == CallStatus::Running && !matches!(row.class, EffectClass::Read | EffectClass::Txn);
        let told = matches!(settlement, Settlement::Result(_) | Settlement::Unknown);
        assert!(told || !vague, "it had begun, and its outcome is not known");
        row.status = match settlement {
            Settlement::Result(status) => status.into(),
            Settlement::Denied => CallStatus::Denied,
            Settlement::TooMany | Settlement::Stopped => CallStatus::Error,
            Settlement::Unknown => CallStatus::Unknown,
        };
    }
}
