//! What a plan writes about messages of the agent and the requests that make them.

use crate::{
    claim::planned_call::PlannedCall, model::draft::Draft, reply::elements, wording, worker::plan::Planner,
};
use domain::{
    DerivedFrom, EventBody, Label, MarkupMode, Message, MessageId, MessageKind, Meta, ModelCallId, Origin,
    Part, Retrying, Role, StopReason, Usage,
};
use prompt::shown_reply;
use store::{log::Entry, model_calls::EndedModelCall};
use turn::{Again, LimitKind, Notice};

/// Model calls in which a call by a tool pattern, and its result, take part.
pub(super) const PATTERN_ROUNDS: u32 = 1;

impl Planner<'_> {
    pub(super) fn open_message(&mut self) {
        let message_id = MessageId::from_uuid(self.from.turn.new_uuid());
        self.plan.record_ids.message_id = Some(message_id);
        self.open = true;
        self.event(EventBody::MessageStart {
            message_id,
            agent_id: self.from.turn.agent.id,
            agent_name: self.from.turn.agent.name.clone(),
        });
        self.account_for_request();
    }

    pub(super) fn restart_message(&mut self, attempt: u32, again: Option<Again>) {
        self.fail_request();
        let error = self.from.asking.failure.as_ref().map(wording::failure);
        let retry = again
            .zip(error)
            .map(|(again, error)| Box::new(Retrying { of: again.of, wait_ms: again.delay_ms, error }));
        let message_id = self.from.record.message_id;
        self.event(EventBody::MessageRestarted { message_id, attempt, retry });
        match again {
            // It is noted when the wait is over: a turn that is stopped before has sent nothing.
            Some(_) => {
                self.plan.record_ids.model_call_id = Some(ModelCallId::from_uuid(self.from.turn.new_uuid()))
            }
            None => self.account_for_request(),
        }
    }

    /// The row that says a request is about to be made; written before the request is.
    fn account_for_request(&mut self) {
        let id = ModelCallId::from_uuid(self.from.turn.new_uuid());
        self.plan.record_ids.model_call_id = Some(id);
        self.plan.model_call.started = Some(self.from.turn.model_call_row(id, self.next, self.now));
    }

    fn finish_request(&mut self, ok: bool) {
        let Draft { usage, estimated, ref sent, .. } = self.from.asking.draft;
        let ended = EndedModelCall { ok, usage, requests: Some(sent.count()), estimated };
        self.plan.model_call.finished = Some((self.from.record.model_call_id, ended));
    }

    /// The worker that knew what became of it is dead.
    fn lose_request(&mut self) {
        let usage = Usage { cost_microusd: None, ..Usage::ZERO };
        let ended = EndedModelCall { ok: false, usage, requests: None, estimated: false };
        self.plan.model_call.finished = Some((self.from.record.model_call_id, ended));
    }

    /// What a failed request has cost is known to the worker that made it; after a crash it is not known.
    fn fail_request(&mut self) {
        // Before a person has allowed it there was none.
        if self.from.resumed && !self.from.record.state.parked {
            return self.lose_request();
        }
        self.plan.model_call.usage = self.plan.model_call.usage.plus(self.from.asking.draft.usage);
        self.finish_request(false);
    }

    pub(super) fn store_message(&mut self, stop: StopReason) {
        let draft = &self.from.asking.draft;
        let usage = draft.usage;
        let markup = self.from.turn.agent.markup;
        let mut message = Message {
            parts: draft.parts(),
            content: draft.text.clone(),
            // Everything that the model was told may be in what it says.
            label: self.from.record.provenance.label,
            stop_reason: Some(stop),
            usage: Some(usage),
            ..self.message(self.from.record.message_id, Role::Assistant)
        };
        message.meta.duration = draft.duration.or(self.pattern_duration());
        message.meta.shown = shown_reply(self.from.turn.agent.prompt_tree.as_deref(), &message.content);
        message.meta.model = (!draft.model.is_empty()).then(|| draft.model.as_str().into());
        message.markup = (markup.mode != MarkupMode::Off).then_some(markup);
        let shown = message.meta.shown.as_deref().unwrap_or(&message.content);
        message.elements = elements::elements(shown, &DerivedFrom::of(&message));
        self.open = false;
        self.plan.entries.push(Entry::Message(message));
        if self.from.resumed {
            self.lose_request();
        } else {
            self.plan.model_call.usage = self.plan.model_call.usage.plus(usage);
            self.finish_request(true);
            self.event(EventBody::Usage(usage));
        }
        let calls = draft.text_calls.iter().chain(&draft.calls).enumerate();
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
        let draft = &self.from.asking.draft;
        let mut calls = draft.text_calls.iter().chain(&draft.calls).peekable();
        calls.peek()?;
        calls.all(|call| call.origin == Origin::Pattern).then_some(PATTERN_ROUNDS)
    }

    pub(super) fn say(&mut self, notice: Notice) {
        let words = match (&self.from.asking.refusal, notice) {
            (Some(refusal), Notice::Limit(LimitKind::Budget)) => refusal.words(),
            (_, Notice::Failure) if self.from.owner.unshared => wording::not_shared(),
            _ => wording::words(notice, &self.next.limits, self.from.asking.failure.as_ref()),
        };
        let kind = if matches!(notice, Notice::Limit(_)) { MessageKind::Limit } else { MessageKind::Error };
        // What a provider complains of may repeat what the model was told.
        let told = matches!(notice, Notice::Failure).then_some(self.from.record.provenance.label);
        let id = if self.open {
            self.fail_request();
            self.from.record.message_id
        } else {
            let message_id = MessageId::from_uuid(self.from.turn.new_uuid());
            let (agent_id, agent_name) = (self.from.turn.agent.id, self.from.turn.agent.name.clone());
            self.event(EventBody::MessageStart { message_id, agent_id, agent_name });
            message_id
        };
        self.open = false;
        let message = Message {
            parts: vec![Part::Text { text: words.text.clone() }],
            content: words.text,
            meta: Meta {
                kind: Some(kind),
                duration: (kind == MessageKind::Error).then_some(1),
                ..Meta::default()
            },
            stop_reason: Some(StopReason::Interrupted),
            label: told.unwrap_or(Label::TRUSTED_PUBLIC),
            ..self.message(id, Role::Assistant)
        };
        self.plan.entries.push(Entry::Message(message));
        if kind == MessageKind::Error {
            self.event(EventBody::Error(words.error.clone()));
        }
        self.error = Some(words.error);
    }
}
