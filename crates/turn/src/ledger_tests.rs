//! The bookkeeper of the tests: it sees each step of a turn and refuses whatever must never happen.

use crate::{Decision, Effect, Input, Phase, Progress, Settlement, State, step};
use domain::{CallId, CallStatus, EffectClass, TurnOutcome};
use std::{collections::BTreeMap, rc::Rc};

/// What is known of a call of the current message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Account {
    class: EffectClass,
    /// It was sent to the gate.
    gated: bool,
    /// The gate or a person said yes, or its row says that it had begun.
    allowed: bool,
    /// Its row says that it had begun.
    begun: bool,
    /// It was handed out to be run since the process started.
    handed: bool,
    settled: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Ledger {
    messages: u32,
    open: bool,
    /// The open message has a stored intent.
    intent: bool,
    ended: bool,
    /// Announced and not yet taken.
    steering: u32,
    calls: BTreeMap<CallId, Account>,
    /// The state after the last step, as it is stored.
    stored: Rc<str>,
}

impl Ledger {
    /// One step of the machine, with the books kept. The state that goes on is the one that was stored and loaded.
    pub(crate) fn step(&mut self, before: State, input: Input) -> (State, Vec<Effect>) {
        let (after, effects) = step(before.clone(), input.clone());
        let stored: Rc<str> = serde_json::to_string(&after).expect("a state is JSON").into();
        let loaded: State = serde_json::from_str(&stored).expect("and comes back");
        assert_eq!(loaded, after, "storing and loading changes nothing");
        assert!(effects.is_sorted_by_key(|effect| !effect.is_durable()), "durable first: {effects:?}");
        if over(&before) && input != Input::Begin {
            assert_eq!((&after, effects.len()), (&before, 0), "{input:?} changed an ended turn");
        }
        self.learn(&before, &input);
        for effect in &effects {
            self.account(&after, &input, effect);
        }
        assert!(
            after.step <= before.step || !before.goes_in_circles() || before.steering > 0,
            "round once more"
        );
        assert!(after.outcomes.len() <= 64, "remembers without end");
        self.compare(&after);
        self.stored = stored;
        (loaded, effects)
    }

    fn learn(&mut self, before: &State, input: &Input) {
        let again = matches!(before.phase, Phase::Ended(TurnOutcome::Failed | TurnOutcome::Limit));
        if *input == Input::Begin && (again || before.phase == Phase::New) {
            *self = Self::default();
        }
        if over(before) || before.phase == Phase::New {
            return;
        }
        match input {
            Input::CallDecided { call, decision: Decision::Run } => {
                if let Some(account) = self.calls.get_mut(call) {
                    account.allowed = true;
                }
            }
            Input::Steered(inputs) => self.steering = self.steering.saturating_add(*inputs),
            Input::Recovered { calls, .. } => self.read_rows(calls),
            _ => {}
        }
    }

    fn read_rows(&mut self, rows: &[(CallId, CallStatus)]) {
        for (id, account) in &mut self.calls {
            let row = rows.iter().find(|(known, _)| known == id).map(|(_, status)| *status);
            account.handed = false;
            account.allowed = row == Some(CallStatus::Running);
            account.begun |= row == Some(CallStatus::Running);
            account.settled |= matches!(
                row,
                Some(CallStatus::Ok | CallStatus::Error | CallStatus::Denied | CallStatus::Unknown)
            );
        }
    }

    fn account(&mut self, after: &State, input: &Input, effect: &Effect) {
        assert!(!self.ended, "{effect:?} after the end");
        match effect {
            Effect::OpenMessage => self.open_message(after),
            Effect::RestartMessage { .. } => assert!(self.open && !self.intent, "restart over an intent"),
            Effect::StoreIntent { call } => self.store_intent(input, *call),
            Effect::StoreMessage { .. } => self.store_message(input),
            Effect::SettleCall { call, settlement } => self.settle(*call, *settlement),
            Effect::TakeSteering => {
                assert!(!self.open && self.steering > 0, "steering taken that nobody announced");
                self.steering = 0;
            }
            Effect::Say(_) => self.open = false,
            Effect::End(_) => {
                assert!(!self.open, "ended with an open message");
                assert!(self.all_settled(), "ended with an unsettled call");
                self.ended = true;
            }
            Effect::BuildPrompt => assert!(self.open),
            Effect::AskModel { attempt, max_output_tokens, .. } => {
                assert!(self.open && (1..=after.policy.attempts).contains(attempt));
                assert!((1..=after.limits.output_tokens).contains(max_output_tokens));
            }
            Effect::DecideCall { call } => self.decide(after, *call),
            Effect::RunCall { call } => self.run(*call),
            Effect::AwaitAnswer { call } => self.await_answer(input, *call),
            Effect::AskPriceApproval => {
                assert_eq!(*input, Input::PriceApprovalNeeded, "asked out of nothing");
                assert!(self.open && !self.intent && after.parked, "asked for what is under way");
            }
            Effect::Park => self.park(after),
        }
    }

    fn open_message(&mut self, after: &State) {
        assert!(!self.open, "two messages open");
        assert!(self.all_settled(), "the model would see a call without a result");
        self.messages += 1;
        assert!(self.messages <= after.limits.steps, "more steps than allowed");
        self.open = true;
        self.intent = false;
        self.calls.clear();
    }

    fn store_intent(&mut self, input: &Input, call: CallId) {
        let Input::CallProposed(new) = input else { panic!("an intent out of {input:?}") };
        assert_eq!(new.id, call);
        assert!(self.open, "an intent without a message");
        self.intent = true;
        self.know(call, new.class);
    }

    fn store_message(&mut self, input: &Input) {
        assert!(self.open, "stored without being open");
        self.open = false;
        if let Input::ModelDone { calls, .. } = input {
            for call in calls {
                if !self.calls.contains_key(&call.id) {
                    self.know(call.id, call.class);
                }
            }
        }
    }

    fn know(&mut self, call: CallId, class: EffectClass) {
        let account =
            Account { class, gated: false, allowed: false, begun: false, handed: false, settled: false };
        assert_eq!(self.calls.insert(call, account), None, "stored twice");
    }

    fn settle(&mut self, call: CallId, settlement: Settlement) {
        let account = self.calls.get_mut(&call).expect("a call that is stored");
        assert!(!account.settled, "settled twice");
        let vague = matches!(account.class, EffectClass::Idem | EffectClass::Effect) && account.begun;
        assert!(!vague || settlement != Settlement::Stopped, "it may have had its effect");
        account.settled = true;
    }

    fn decide(&mut self, after: &State, call: CallId) {
        let account = self.calls.get_mut(&call).expect("a call that is stored");
        assert!(!account.settled);
        account.gated = true;
        let gated = self.calls.values().filter(|account| account.gated).count();
        assert!(gated <= after.limits.calls_per_step as usize, "more calls than allowed");
    }

    fn run(&mut self, call: CallId) {
        let account = self.calls.get_mut(&call).expect("a call that is stored");
        assert!(!account.settled && !account.handed, "run twice");
        assert!(account.allowed, "run without a decision");
        assert!(!(account.begun && account.class == EffectClass::Effect), "its effect may happen twice");
        account.handed = true;
    }

    fn await_answer(&self, input: &Input, call: CallId) {
        assert_eq!(*input, Input::CallDecided { call, decision: Decision::Wait }, "asked out of nothing");
        let account = self.calls.get(&call).expect("a call that is stored");
        assert!(!account.settled && !account.handed, "asked too late");
    }

    fn park(&self, after: &State) {
        assert!(after.parked);
        // Before the model is asked there are no calls of its message.
        assert!(match after.phase {
            Phase::Prompting => self.calls.is_empty(),
            phase => phase == Phase::Acting && !self.all_settled(),
        });
        let waits = |progress| matches!(progress, Progress::Waiting | Progress::Settled);
        assert!(after.calls.iter().all(|call| waits(call.progress)), "parked with work to do");
    }

    fn all_settled(&self) -> bool {
        self.calls.values().all(|account| account.settled)
    }

    /// The state tells the same story as the effects did.
    fn compare(&self, after: &State) {
        assert_eq!(self.ended, over(after));
        assert_eq!(self.open, after.message_open());
        assert_eq!(self.messages, after.step);
        assert_eq!(self.steering, after.steering);
        assert_eq!(self.calls.len(), after.calls.len());
        for call in &after.calls {
            assert_eq!(self.calls[&call.id].settled, call.progress == Progress::Settled, "{call:?}");
        }
    }
}

fn over(state: &State) -> bool {
    state.ended().is_some()
}
