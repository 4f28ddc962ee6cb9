//! What one commit of a turn writes, worked out before its transaction begins: [`Planner`] makes a [`Plan`] of what the machine
//! wants durable.

use crate::{
    calls::call_table::CallTable,
    claim::{
        planned_call::PersonRequest,
        record::{Record, WrittenReply},
        turn_context::{Owner, TurnContext},
    },
    errands::prepared_errand::PreparedErrand,
    model::asking::Asking,
    worker::hooks::HookLog,
};
use domain::{
    AgentState, Approval, CallId, EventBody, Message, MessageId, ModelCallId, Question, ResultStatus, Role,
    SessionStatus, Timestamp, TurnError, TurnOutcome, Usage,
};
use store::{
    calls::NewCall,
    log::Entry,
    model_calls::{EndedModelCall, NewModelCall},
};
use turn::{Effect, State};

/// The rows of one transaction.
#[derive(Default)]
pub(crate) struct Plan {
    /// What is appended to the session's log, in order. Entries are numbered when the session's `seq` is known.
    pub(crate) entries: Vec<Entry>,
    /// Where among the entries the messages of people go who steer the turn.
    pub(crate) steering_at: Option<usize>,
    pub(crate) calls: CallRows,
    pub(crate) model_call: ModelCallRows,
    pub(crate) waits: Waits,
    /// How the turn ends, if it does.
    pub(crate) end: Option<TurnOutcome>,
    /// What the turn's record names after this transaction.
    pub(crate) record_ids: RecordIds,
    /// The step did more than restart the open message, so it resets the stall counter.
    pub(crate) progress: bool,
    /// A step boundary: the transaction is refused if a person has steered the turn and the plan does not know.
    pub(crate) at_boundary: bool,
}

/// What the plan writes about calls.
#[derive(Default)]
pub(crate) struct CallRows {
    pub(crate) new: Vec<NewCall>,
    pub(crate) settled: Vec<SettledCall>,
    /// Calls that waited and are settled otherwise than by an answer.
    pub(crate) withdrawn: Vec<CallId>,
}

/// A call that has come to its end.
pub(crate) struct SettledCall {
    pub(crate) call: CallId,
    pub(crate) status: ResultStatus,
    /// Which entry of the plan is its result.
    pub(crate) entry: usize,
    /// When its tool began, if it did.
    pub(crate) started_at: Option<Timestamp>,
}

/// What the plan writes about requests to the model.
#[derive(Default)]
pub(crate) struct ModelCallRows {
    pub(crate) finished: Option<(ModelCallId, EndedModelCall)>,
    /// A request that has its row and waits for a person before it goes out.
    pub(crate) held: Option<ModelCallId>,
    pub(crate) started: Option<NewModelCall>,
    /// What the session's usage grows by.
    pub(crate) usage: Usage,
}

/// What the turn waits for from this transaction on.
#[derive(Default)]
pub(crate) struct Waits {
    /// What people are asked by calls that wait from now on, and until when.
    pub(crate) questions: Vec<(Question, Option<Timestamp>)>,
    /// Calls that wait from now on for an approval: their own, or that of another call.
    pub(crate) approvals: Vec<(CallId, PersonRequest)>,
    /// The approval of an unknown price that a person is asked for.
    pub(crate) price_approval: Option<Box<Approval>>,
    /// `true`: the turn ends, and the approval of an unknown price that it waited for is withdrawn.
    pub(crate) price_approval_withdrawn: bool,
    /// Work for other agents; the calls that give it wait from now on.
    pub(crate) errands: Vec<PreparedErrand>,
    /// Release the turn: it waits for an answer and needs no worker.
    pub(crate) park: bool,
    /// At least one of the answers must come from a person, not from an agent.
    pub(crate) for_person: bool,
}

/// What the turn's record names after the transaction; none where that stays as it is.
#[derive(Default)]
pub(crate) struct RecordIds {
    pub(crate) message_id: Option<MessageId>,
    pub(crate) model_call_id: Option<ModelCallId>,
    /// The text up to the last call in it, while its message is open.
    pub(crate) written: Option<WrittenReply>,
}

impl Plan {
    pub(crate) fn messages(&self) -> u64 {
        self.entries.iter().filter(|entry| matches!(entry, Entry::Message(_))).count() as u64
    }

    pub(crate) fn status(&self) -> SessionStatus {
        match self.end {
            None if self.waits.park && self.waits.for_person => SessionStatus::InputRequired,
            None => SessionStatus::Working,
            Some(TurnOutcome::Failed) => SessionStatus::Failed,
            Some(_) => SessionStatus::Idle,
        }
    }

    /// The agent's last words in it.
    pub(crate) fn last_words(&self) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Message(message) if message.role == Role::Assistant => Some(message.content.as_str()),
            _ => None,
        })
    }

    /// A person or an agent is asked something that expires.
    pub(crate) fn expires(&self) -> bool {
        self.waits.questions.iter().any(|(_, expires)| expires.is_some())
            || !self.waits.approvals.is_empty()
            || self.waits.price_approval.is_some()
    }
}

/// What a plan is made from: the parts of the worker, as they are.
#[derive(Clone, Copy)]
pub(super) struct TurnParts<'a> {
    pub(super) turn: &'a TurnContext,
    pub(super) owner: &'a Owner,
    pub(super) record: &'a Record,
    pub(super) asking: &'a Asking,
    pub(super) calls: &'a CallTable,
    pub(super) hooks: &'a HookLog,
    /// `true`: an earlier worker died, and nothing is stored since then.
    pub(super) resumed: bool,
}

/// Turns the machine's durable effects into rows and events.
pub(super) struct Planner<'a> {
    pub(super) from: TurnParts<'a>,
    /// The machine's state after the step.
    pub(super) next: &'a State,
    pub(super) now: Timestamp,
    pub(super) plan: Plan,
    /// `true`: a message is open at this point of the plan.
    pub(super) open: bool,
    /// What the end of the turn gives as its error.
    pub(super) error: Option<TurnError>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(from: TurnParts<'a>, next: &'a State, now: Timestamp) -> Self {
        let open = from.record.state.message_open();
        let mut planner = Self { from, next, now, plan: Plan::default(), open, error: None };
        if from.resumed {
            let body = EventBody::TurnStarted { source: from.turn.source, attempt: from.turn.attempt };
            planner.event(body);
        }
        for complaint in &from.hooks.complaints {
            planner.event(EventBody::Error(complaint.clone()));
        }
        let injection = &from.hooks.injection;
        if !injection.is_empty() {
            planner.event(EventBody::AbilityInjected {
                message_id: from.record.message_id,
                abilities: injection.abilities.clone(),
                left_out: injection.left_out.clone(),
            });
        }
        planner
    }

    pub(super) fn plan(mut self, effects: &[Effect]) -> Plan {
        for effect in effects {
            self.plan.progress |= !matches!(effect, Effect::RestartMessage { .. });
            self.add(effect);
        }
        let ends_well = self.plan.end == Some(TurnOutcome::Completed);
        self.plan.at_boundary = ends_well || effects.contains(&Effect::OpenMessage);
        self.plan
    }

    fn add(&mut self, effect: &Effect) {
        match effect {
            Effect::OpenMessage => self.open_message(),
            Effect::RestartMessage { attempt, again } => self.restart_message(*attempt, *again),
            Effect::StoreMessage { stop } => self.store_message(*stop),
            Effect::SettleCall { call, settlement } => self.settle(*call, *settlement),
            Effect::AwaitAnswer { call } => self.await_answer(*call),
            Effect::AskPriceApproval => self.ask_price_approval(),
            Effect::Park => self.park(),
            Effect::TakeSteering => self.plan.steering_at = Some(self.plan.entries.len()),
            Effect::Say(notice) => self.say(*notice),
            Effect::End(outcome) => self.end(*outcome),
            Effect::StoreIntent { call } => self.store_intent(*call),
            Effect::BuildPrompt
            | Effect::AskModel { .. }
            | Effect::DecideCall { .. }
            | Effect::RunCall { .. } => {}
        }
    }

    pub(super) fn event(&mut self, body: EventBody) {
        self.plan.entries.push(Entry::Event { turn_id: Some(self.from.turn.turn_id), body });
    }

    fn end(&mut self, outcome: TurnOutcome) {
        let state = match outcome {
            TurnOutcome::Completed | TurnOutcome::Limit => AgentState::Completed,
            TurnOutcome::Failed => AgentState::Failed,
            TurnOutcome::Cancelled => AgentState::Cancelled,
        };
        self.event(EventBody::AgentStatus { state });
        let usage = self.next.usage;
        let error = self.error.take();
        self.event(EventBody::TurnEnded { outcome, error, usage });
        self.plan.end = Some(outcome);
        self.plan.waits.price_approval_withdrawn = self.from.record.price_approval.is_some();
    }

    /// How far the open message is, as cursors count.
    pub(super) fn offset(&self) -> Option<u64> {
        self.open.then(|| self.from.turn.feed.length())
    }

    pub(super) fn message(&self, id: MessageId, role: Role) -> Message {
        Message::new(id, self.from.turn.turn_id, role, self.now)
    }
}
