//! What one transaction of a turn writes, worked out before it begins.

use crate::{
    claim::{
        planned_call::{PersonRequest, PlannedCall},
        record::Written,
    },
    errands::prepared_errand::PreparedErrand,
    model::draft::Draft,
    prompt::{call_feedback, shown_reply},
    reply::elements,
    wording,
    worker::Worker,
};
use domain::{
    AgentState, Approval, CallId, DerivedFrom, EventBody, Label, MarkupMode, Message, MessageId, MessageKind,
    Meta, ModelCallId, Origin, Part, Question, ResultStatus, Retrying, Role, SessionStatus, StopReason,
    Timestamp, TurnError, TurnOutcome, Usage,
};
use store::{
    calls::NewCall,
    log::Entry,
    model_calls::{Ended, NewModelCall},
};
use turn::{Again, Effect, LimitKind, Notice, Settlement, State};

/// Model calls in which a call by a tool pattern, and its result, take part.
const PATTERN_ROUNDS: u32 = 1;

/// The rows of one transaction. Entries are numbered when the session's `seq` is known.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) entries: Vec<Entry>,
    pub(crate) new_calls: Vec<NewCall>,
    pub(crate) settled: Vec<Settled>,
    pub(crate) finished_model_call: Option<(ModelCallId, Ended)>,
    /// A request that was noted and waits for a person before it goes out.
    pub(crate) held_model_call: Option<ModelCallId>,
    pub(crate) new_model_call: Option<NewModelCall>,
    /// Where the messages of steering people go.
    pub(crate) steering_at: Option<usize>,
    /// Calls that wait from now on, with what their person is asked and until when.
    pub(crate) questions: Vec<(Question, Option<Timestamp>)>,
    /// Calls that wait from now on for a yes, each with its request, or with that of another call.
    pub(crate) approvals: Vec<(CallId, PersonRequest)>,
    /// What a person is asked before the model is.
    pub(crate) leave: Option<Box<Approval>>,
    /// The turn ends, and with it whatever a person was asked before its model was.
    pub(crate) leave_withdrawn: bool,
    /// Calls that wait for other agents from now on.
    pub(crate) errands: Vec<PreparedErrand>,
    /// Calls that waited and are settled otherwise than by an answer.
    pub(crate) withdrawn: Vec<CallId>,
    /// The text up to the last call in it, while its message is open.
    pub(crate) written: Option<Written>,
    /// Nothing goes on before somebody speaks.
    pub(crate) park: bool,
    /// That is a person.
    pub(crate) for_person: bool,
    pub(crate) end: Option<TurnOutcome>,
    pub(crate) usage: Usage,
    /// More than a message begun again.
    pub(crate) progress: bool,
    /// At a step boundary nobody's steering may be overlooked.
    pub(crate) at_boundary: bool,
    /// The rows the record names after this transaction.
    pub(crate) message_id: Option<MessageId>,
    pub(crate) model_call_id: Option<ModelCallId>,
}

/// A call that has come to its end.
pub(crate) struct Settled {
    pub(crate) call: CallId,
    pub(crate) status: ResultStatus,
    /// Which entry of the plan is its result.
    pub(crate) entry: usize,
    /// When its tool began, if it did.
    pub(crate) started_at: Option<Timestamp>,
}

impl Plan {
    pub(crate) fn messages(&self) -> u64 {
        self.entries.iter().filter(|entry| matches!(entry, Entry::Message(_))).count() as u64
    }

    pub(crate) fn status(&self) -> SessionStatus {
        match self.end {
            None if self.park && self.for_person => SessionStatus::InputRequired,
            None => SessionStatus::Working,
            Some(TurnOutcome::Failed) => SessionStatus::Failed,
            Some(_) => SessionStatus::Idle,
        }
    }
}

/// Turns the machine's durable effects into rows and events.
pub(crate) struct Planner<'a> {
    worker: &'a Worker,
    next: &'a State,
    now: Timestamp,
    plan: Plan,
    /// Is a message open at this point of the plan?
    open: bool,
    error: Option<TurnError>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(worker: &'a Worker, next: &'a State, now: Timestamp) -> Self {
        let open = worker.record.state.message_open();
        let mut planner = Self { worker, next, now, plan: Plan::default(), open, error: None };
        if worker.announce {
            let body = EventBody::TurnStarted { source: worker.source, attempt: worker.attempt };
            planner.event(body);
        }
        for complaint in &worker.complaints {
            planner.event(EventBody::Error(complaint.clone()));
        }
        if !worker.injection.is_empty() {
            planner.event(EventBody::AbilityInjected {
                message_id: worker.record.message_id,
                abilities: worker.injection.abilities.clone(),
                left_out: worker.injection.left_out.clone(),
            });
        }
        planner
    }

    pub(crate) fn plan(mut self, effects: &[Effect]) -> Plan {
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
            Effect::AskPerson { call } => self.ask_person(*call),
            Effect::AskLeave => self.ask_leave(),
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

    fn event(&mut self, body: EventBody) {
        self.plan.entries.push(Entry::Event { turn_id: Some(self.worker.turn_id), body });
    }

    fn open_message(&mut self) {
        let message_id = MessageId::from_uuid(self.worker.new_uuid());
        self.plan.message_id = Some(message_id);
        self.open = true;
        self.event(EventBody::MessageStart {
            message_id,
            agent_id: self.worker.agent.id,
            agent_name: self.worker.agent.name.clone(),
        });
        self.account_for_request();
    }

    fn restart_message(&mut self, attempt: u32, again: Option<Again>) {
        self.fail_request();
        let error = self.worker.failure.as_ref().map(wording::failure);
        let retry = again
            .zip(error)
            .map(|(again, error)| Box::new(Retrying { of: again.of, wait_ms: again.delay_ms, error }));
        let message_id = self.worker.record.message_id;
        self.event(EventBody::MessageRestarted { message_id, attempt, retry });
        match again {
            // It is noted when the wait is over: who stops the turn before has sent nothing.
            Some(_) => self.plan.model_call_id = Some(ModelCallId::from_uuid(self.worker.new_uuid())),
            None => self.account_for_request(),
        }
    }

    /// The row that says a request is about to be made; written before the request is.
    fn account_for_request(&mut self) {
        let id = ModelCallId::from_uuid(self.worker.new_uuid());
        self.plan.model_call_id = Some(id);
        self.plan.new_model_call = Some(self.worker.row_of(id, self.next, self.now));
    }

    fn finish_request(&mut self, ok: bool) {
        let Draft { usage, estimated, ref sent, .. } = self.worker.draft;
        let ended = Ended { ok, usage, requests: Some(sent.count()), estimated };
        self.plan.finished_model_call = Some((self.worker.record.model_call_id, ended));
    }

    /// Whoever knew what became of it is dead.
    fn lose_request(&mut self) {
        let usage = Usage { cost_microusd: None, ..Usage::ZERO };
        let ended = Ended { ok: false, usage, requests: None, estimated: false };
        self.plan.finished_model_call = Some((self.worker.record.model_call_id, ended));
    }

    /// What a failed request has cost is known to the worker that made it; after a crash nobody knows.
    fn fail_request(&mut self) {
        // Before somebody has allowed it there was none.
        if self.worker.announce && !self.worker.record.state.parked {
            return self.lose_request();
        }
        self.plan.usage = self.plan.usage.plus(self.worker.draft.usage);
        self.finish_request(false);
    }

    /// A call in a text that is still being written: stored before anything of it happens, with the text that made it.
    fn store_intent(&mut self, call: CallId) {
        let Some(planned) = self.worker.calls.get(&call) else { return };
        let Some(standing) = &planned.standing else { return };
        let calls = &self.worker.draft.text_calls;
        let position = calls.iter().position(|known| known.id == call).unwrap_or(calls.len());
        self.announce(planned, position, Some(standing.offset));
        let text = self.worker.draft.text.get(..standing.end).unwrap_or(&self.worker.draft.text);
        let thinking = self.worker.draft.thinking.clone();
        self.plan.written = Some(Written { text: text.to_owned(), thinking });
    }

    /// The row of a call, and the events that tell of it.
    fn announce(&mut self, call: &PlannedCall, position: usize, offset: Option<u64>) {
        let message_id = self.worker.record.message_id;
        self.plan.new_calls.push(NewCall {
            id: call.id,
            session_id: self.worker.session.id,
            turn_id: self.worker.turn_id,
            user_id: self.worker.session.user_id,
            message_id,
            position: u32::try_from(position).unwrap_or(u32::MAX),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            origin: call.origin,
            class: call.class,
            made: call.made.clone(),
        });
        self.event(EventBody::ToolUseStart {
            message_id,
            call_id: call.id,
            name: call.name.clone(),
            origin: call.origin,
            element_id: call.made.element_id.clone(),
            arguments: call.arguments.clone(),
            offset,
        });
        if let Some(id) = call.made.element_id.clone() {
            let kind = call.name.clone();
            self.event(EventBody::ElementExecuting { message_id, id, kind, call_id: call.id, offset });
        }
    }

    fn store_message(&mut self, stop: StopReason) {
        let draft = &self.worker.draft;
        let usage = draft.usage;
        let markup = self.worker.agent.markup;
        let mut message = Message {
            parts: draft.parts(),
            content: draft.text.clone(),
            // Whatever it was told may be in what it says.
            label: self.worker.record.provenance.label,
            stop_reason: Some(stop),
            usage: Some(usage),
            ..self.message(self.worker.record.message_id, Role::Assistant)
        };
        message.meta.duration = draft.duration.or(self.pattern_duration());
        message.meta.shown = shown_reply(self.worker.agent.prompt_tree.as_deref(), &message.content);
        message.markup = (markup.mode != MarkupMode::Off).then_some(markup);
        let shown = message.meta.shown.as_deref().unwrap_or(&message.content);
        message.elements = elements::elements(shown, &DerivedFrom::of(&message));
        self.open = false;
        self.plan.entries.push(Entry::Message(message));
        if self.worker.announce {
            self.lose_request();
        } else {
            self.plan.usage = self.plan.usage.plus(usage);
            self.finish_request(true);
            self.event(EventBody::Usage(usage));
        }
        let worker = self.worker;
        let calls = worker.draft.text_calls.iter().chain(&worker.draft.calls).enumerate();
        let stored = |call: &PlannedCall| match &call.standing {
            Some(standing) => !standing.at_end,
            None => call.origin != Origin::Native,
        };
        for (position, call) in calls.filter(|(_, call)| !stored(call)) {
            self.announce(call, position, None);
        }
    }

    /// A message that is nothing but calls in tool patterns is told until their results have been read.
    fn pattern_duration(&self) -> Option<u32> {
        let draft = &self.worker.draft;
        let mut calls = draft.text_calls.iter().chain(&draft.calls).peekable();
        calls.peek()?;
        calls.all(|call| call.origin == Origin::Pattern).then_some(PATTERN_ROUNDS)
    }

    fn settle(&mut self, call: CallId, settlement: Settlement) {
        let (status, default) = wording::settled_without_result(settlement);
        let result = self.worker.results.get(&call);
        let (status, content) = match (settlement, result) {
            (Settlement::Result(_) | Settlement::Denied, Some(result)) => {
                (result.status, result.content.clone())
            }
            _ => (status, serde_json::json!({ "error": default }).to_string()),
        };
        let content = match wording::repeated(self.worker.record.state.rounds_of(call)) {
            Some(note) => format!("{content}\n{note}"),
            None => content,
        };
        let waited = |known: &&turn::CallState| known.id == call && known.progress == turn::Progress::Waiting;
        if result.is_none() && self.worker.record.state.calls.iter().any(|known| waited(&known)) {
            self.plan.withdrawn.push(call);
        }
        let name = self.worker.call_name(call);
        let mut message = Message {
            parts: vec![Part::Result { call_id: call, name, status, content: content.clone() }],
            content: content.clone(),
            label: self
                .worker
                .record
                .provenance
                .label
                .join(result.map_or(Label::TRUSTED_PUBLIC, |result| result.label)),
            ..self.message(MessageId::from_uuid(self.worker.new_uuid()), Role::Tool)
        };
        message.meta.duration =
            result.and_then(|result| result.duration).or(match self.worker.calls.get(&call) {
                Some(planned) if planned.origin == Origin::Pattern => Some(PATTERN_ROUNDS),
                _ => None,
            });
        let offset = self.offset();
        message.offset = offset;
        let started_at = result.and_then(|result| result.started_at);
        self.plan.settled.push(Settled { call, status, entry: self.plan.entries.len(), started_at });
        self.plan.entries.push(Entry::Message(message));
        self.tell_element(call, status, &content, offset);
    }

    /// The element that made a call has its result, too.
    fn tell_element(&mut self, call_id: CallId, status: ResultStatus, content: &str, offset: Option<u64>) {
        let Some(call) = self.worker.calls.get(&call_id) else { return };
        let Some(id) = call.made.element_id.clone() else { return };
        let (message_id, kind) = (self.worker.record.message_id, call.name.clone());
        let text = call_feedback::result_of(content);
        self.event(match status {
            ResultStatus::Ok => {
                EventBody::ElementResult { message_id, id, kind, call_id, result: text, offset }
            }
            _ => EventBody::ElementError { message_id, id, kind, error: text, call_id, status, offset },
        });
    }

    fn ask_person(&mut self, call: CallId) {
        if let Some(errand) = self.worker.errands.get(&call).cloned() {
            self.event(errand.started());
            return self.plan.errands.push(errand);
        }
        let offset = self.offset();
        let asked = match self.worker.asked_people.get(&call).cloned() {
            None => return,
            Some(PersonRequest::Question(question)) => *question,
            Some(PersonRequest::Approval(approval)) => {
                self.event(EventBody::ApprovalRequest { approval: approval.clone(), offset });
                return self.plan.approvals.push((call, PersonRequest::Approval(approval)));
            }
            Some(shared) => return self.plan.approvals.push((call, shared)),
        };
        let expires = asked.timeout_ms.and_then(|wait| i64::try_from(wait).ok());
        let expires = expires.map(|wait| self.now.plus_millis(wait));
        let question = Question { created_at: self.now, ..asked };
        self.event(EventBody::QuestionPrompt { question: Box::new(question.clone()), offset });
        self.plan.questions.push((question, expires));
    }

    fn ask_leave(&mut self) {
        self.plan.for_person = true;
        let Some(approval) = self.worker.leave.clone() else { return };
        let offset = self.offset();
        self.event(EventBody::ApprovalRequest { approval: approval.clone(), offset });
        self.plan.leave = Some(approval);
        self.plan.held_model_call = Some(self.worker.record.model_call_id);
    }

    fn park(&mut self) {
        self.plan.park = true;
        let waits = |call: &&turn::CallState| call.progress == turn::Progress::Waiting;
        let for_agent = |call: &turn::CallState| self.worker.waits_for_agent(call.id);
        // Whoever waits for another agent is at work, as far as people are concerned.
        self.plan.for_person |= !self.next.calls.iter().filter(waits).all(for_agent);
        if self.plan.for_person {
            self.event(EventBody::AgentStatus { state: AgentState::InputRequired });
        }
    }

    /// How far the open message is, as cursors count.
    fn offset(&self) -> Option<u64> {
        self.open.then(|| self.worker.feed.length())
    }

    fn say(&mut self, notice: Notice) {
        let words = match (&self.worker.refusal, notice) {
            (Some(refusal), Notice::Limit(LimitKind::Budget)) => refusal.words(),
            (_, Notice::Failure) if self.worker.unshared => wording::not_shared(),
            _ => wording::words(notice, &self.next.limits, self.worker.failure.as_ref()),
        };
        let kind = if matches!(notice, Notice::Limit(_)) { MessageKind::Limit } else { MessageKind::Error };
        let id = if self.open {
            self.fail_request();
            self.worker.record.message_id
        } else {
            let message_id = MessageId::from_uuid(self.worker.new_uuid());
            let (agent_id, agent_name) = (self.worker.agent.id, self.worker.agent.name.clone());
            self.event(EventBody::MessageStart { message_id, agent_id, agent_name });
            message_id
        };
        self.open = false;
        let message = Message {
            parts: vec![Part::Text { text: words.text.clone() }],
            content: words.text,
            meta: Meta { kind: Some(kind), duration: (kind == MessageKind::Error).then_some(1), shown: None },
            stop_reason: Some(StopReason::Interrupted),
            ..self.message(id, Role::Assistant)
        };
        self.plan.entries.push(Entry::Message(message));
        if kind == MessageKind::Error {
            self.event(EventBody::Error(words.error.clone()));
        }
        self.error = Some(words.error);
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
        self.plan.leave_withdrawn = self.worker.record.leave.is_some();
    }

    fn message(&self, id: MessageId, role: Role) -> Message {
        Message::new(id, self.worker.turn_id, role, self.now)
    }
}
