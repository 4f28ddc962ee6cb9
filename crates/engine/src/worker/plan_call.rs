//! What a plan writes about calls: that they were made, what they wait for, and what came of them.

use crate::{
    claim::{
        planned_call::{PersonRequest, PlannedCall},
        record::WrittenReply,
    },
    ports::programs::OUTPUT_CHARS,
    reply::shorten::cut,
    wording,
    worker::{
        plan::{Planner, SettledCall},
        plan_message::PATTERN_ROUNDS,
    },
};
use domain::{
    AgentState, CallId, EventBody, Label, Message, MessageId, Origin, Part, Question, ResultStatus, Role,
};
use prompt::{call_feedback, provenance_label::SeenLabel};
use serde_json::json;
use store::{calls::NewCall, log::Entry};
use turn::Settlement;

impl Planner<'_> {
    /// A call in a text that is still being written: stored before anything of it happens, with the text that made it.
    pub(super) fn store_intent(&mut self, call: CallId) {
        let Some(planned) = self.from.calls.calls.get(&call) else { return };
        let Some(standing) = &planned.standing else { return };
        let calls = &self.from.asking.draft.text_calls;
        let position = calls.iter().position(|known| known.id == call).unwrap_or(calls.len());
        self.announce(planned, position, Some(standing.offset));
        let text = self.from.asking.draft.text.get(..standing.end).unwrap_or(&self.from.asking.draft.text);
        let thinking = self.from.asking.draft.thinking.clone();
        self.plan.record_ids.written = Some(WrittenReply { text: text.to_owned(), thinking });
    }

    /// The row of a call, and the events that tell of it.
    pub(super) fn announce(&mut self, call: &PlannedCall, position: usize, offset: Option<u64>) {
        let message_id = self.from.record.message_id;
        self.plan.calls.new.push(NewCall {
            id: call.id,
            session_id: self.from.turn.session.id,
            turn_id: self.from.turn.turn_id,
            user_id: self.from.turn.session.user_id,
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

    pub(super) fn settle(&mut self, call: CallId, settlement: Settlement) {
        let (status, default) = wording::settled_without_result(settlement);
        let result = self.from.calls.results.get(&call);
        let (status, content, brought, order) = match (settlement, result) {
            (Settlement::Result(_) | Settlement::Denied, Some(result)) => {
                (result.status, result.content.clone(), result.label, result.order.clone())
            }
            _ => {
                let (content, brought) = self.unfinished(call, default);
                let read = result.map_or(Label::TRUSTED_PUBLIC, |result| result.label);
                (status, content, brought.join(read), Vec::new())
            }
        };
        let content = match wording::repeated(self.from.record.state.rounds_of(call)) {
            Some(note) => format!("{content}\n{note}"),
            None => content,
        };
        let waited = |known: &&turn::CallState| known.id == call && known.progress == turn::Progress::Waiting;
        if result.is_none() && self.from.record.state.calls.iter().any(|known| waited(&known)) {
            self.plan.calls.withdrawn.push(call);
        }
        let (name, made_from) = (self.from.calls.name_of(call), self.from.record.provenance.label);
        let mut message = Message {
            parts: vec![Part::Result { call_id: call, name, status, content: content.clone() }],
            content: content.clone(),
            label: made_from.join(brought),
            ..self.message(MessageId::from_uuid(self.from.turn.new_uuid()), Role::Tool)
        };
        message.meta.duration =
            result.and_then(|result| result.duration).or(match self.from.calls.calls.get(&call) {
                Some(planned) if planned.origin == Origin::Pattern => Some(PATTERN_ROUNDS),
                _ => None,
            });
        message.meta.order = order;
        let offset = self.offset();
        message.offset = offset;
        let started_at = result.and_then(|result| result.started_at);
        self.plan.calls.settled.push(SettledCall {
            call,
            status,
            entry: self.plan.entries.len(),
            started_at,
        });
        self.plan.entries.push(Entry::Message(message));
        self.tell_element(call, status, &content, offset);
    }

    /// What is known of a call that did not end by itself: why, and what its program had said by then, which people have seen.
    fn unfinished(&self, call: CallId, why: &str) -> (String, Label) {
        let said = self.from.turn.feed.output_of(call).filter(|said| !said.is_empty());
        // THREAT[label-07] What a program says comes from everything that was in its sandbox.
        let seen = self.from.calls.seen.get(&call).map_or(Label::WORST, SeenLabel::label);
        match said {
            None => (json!({ "error": why }).to_string(), Label::TRUSTED_PUBLIC),
            Some(said) => {
                let said = cut(self.from.turn.engine.without_secrets(said), OUTPUT_CHARS);
                (json!({ "stdout": said, "exit_code": null, "error": why }).to_string(), seen)
            }
        }
    }

    /// The element that made a call has its result, too.
    fn tell_element(&mut self, call_id: CallId, status: ResultStatus, content: &str, offset: Option<u64>) {
        let Some(call) = self.from.calls.calls.get(&call_id) else { return };
        let Some(id) = call.made.element_id.clone() else { return };
        let (message_id, kind) = (self.from.record.message_id, call.name.clone());
        let text = call_feedback::result_of(content);
        self.event(match status {
            ResultStatus::Ok => {
                EventBody::ElementResult { message_id, id, kind, call_id, result: text, offset }
            }
            _ => EventBody::ElementError { message_id, id, kind, error: text, call_id, status, offset },
        });
    }

    pub(super) fn await_answer(&mut self, call: CallId) {
        if let Some(errand) = self.from.calls.errands.get(&call).cloned() {
            self.event(errand.started());
            return self.plan.waits.errands.push(errand);
        }
        let offset = self.offset();
        let asked = match self.from.calls.asked_people.get(&call).cloned() {
            None => return,
            Some(PersonRequest::Question(question)) => *question,
            Some(PersonRequest::Approval(approval)) => {
                self.event(EventBody::ApprovalRequest { approval: approval.clone(), offset });
                return self.plan.waits.approvals.push((call, PersonRequest::Approval(approval)));
            }
            Some(shared) => return self.plan.waits.approvals.push((call, shared)),
        };
        let expires = asked.timeout_ms.and_then(|wait| i64::try_from(wait).ok());
        let expires = expires.map(|wait| self.now.plus_millis(wait));
        let question = Question { created_at: self.now, ..asked };
        self.event(EventBody::QuestionPrompt { question: Box::new(question.clone()), offset });
        self.plan.waits.questions.push((question, expires));
    }

    pub(super) fn ask_price_approval(&mut self) {
        self.plan.waits.for_person = true;
        let Some(approval) = self.from.asking.price_approval.clone() else { return };
        let offset = self.offset();
        self.event(EventBody::ApprovalRequest { approval: approval.clone(), offset });
        self.plan.waits.price_approval = Some(approval);
        self.plan.model_call.held = Some(self.from.record.model_call_id);
    }

    pub(super) fn park(&mut self) {
        self.plan.waits.park = true;
        let waits = |call: &&turn::CallState| call.progress == turn::Progress::Waiting;
        let for_agent = |call: &turn::CallState| self.from.calls.waits_for_agent(call.id);
        // A turn that waits for another agent is at work, as far as people are concerned.
        self.plan.waits.for_person |= !self.next.calls.iter().filter(waits).all(for_agent);
        if self.plan.waits.for_person {
            self.event(EventBody::AgentStatus { state: AgentState::InputRequired });
        }
    }
}
