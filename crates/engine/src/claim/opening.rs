//! How a turn opens: the same rows and events whether it starts at once, from the queue, or once more.

use crate::{
    claim::{record::Record, step_machine::step},
    engine::Engine,
    error::Result,
};
use domain::{
    Agent, AgentState, EventBody, Label, Limits, Message, MessageAttachment, MessageId, ModelCallId, Part,
    Role, Sender, Session, Source, Timestamp, TurnId, is_misleading,
};
use prompt::provenance_label::Provenance;
use store::{
    inbox::{AgentRequest, StoredInput},
    log::Entry,
    model_calls::NewModelCall,
};
use turn::{Input, State};

/// Everything that is written when a turn starts.
#[derive(Clone)]
pub(crate) struct Opening {
    pub(crate) record: Record,
    pub(crate) entries: Vec<Entry>,
    pub(crate) model_call: NewModelCall,
    pub(crate) messages: u64,
}

/// The words of a person or an agent that open a turn, and what goes with them.
pub(crate) struct IncomingWords {
    pub(crate) text: String,
    pub(crate) attachments: Vec<MessageAttachment>,
    /// Who says it, where a bridge delivers it for them.
    pub(crate) sender: Option<Sender>,
    /// Where another agent says it.
    pub(crate) asker: Option<AgentRequest>,
    /// As it was known when it came in.
    pub(crate) label: Label,
    /// The model that is to answer, where one was chosen for these words.
    pub(crate) model: Option<String>,
}

impl From<StoredInput> for IncomingWords {
    fn from(input: StoredInput) -> Self {
        let StoredInput { content, attachments, sender, asker, label, model, .. } = input;
        Self { text: content, attachments, sender, asker, label, model }
    }
}

/// The turn that opens.
pub(crate) struct OpeningTurn<'a> {
    pub(crate) session: &'a Session,
    pub(crate) agent: &'a Agent,
    pub(crate) turn_id: TurnId,
    pub(crate) source: Source,
    pub(crate) attempt: u32,
    /// What caused it; none when it is run once more.
    pub(crate) said: Option<IncomingWords>,
    /// Where the machine was; new unless it is run once more.
    pub(crate) state: State,
    /// What it may cost, set by the agent that it works for, where that is known already.
    pub(crate) ceiling: Option<u64>,
    /// The model that was chosen for it, where it is run once more.
    pub(crate) model: Option<String>,
    pub(crate) now: Timestamp,
}

impl Engine {
    pub(crate) fn new_state(&self, limits: Limits) -> State {
        State::new(limits, self.inner.settings.turn.policy)
    }

    pub(crate) fn opening(&self, turn: OpeningTurn<'_>) -> Result<Opening> {
        let ids = &self.inner.ids;
        let message_id = MessageId::from_uuid(ids.uuid());
        let model_call_id = ModelCallId::from_uuid(ids.uuid());
        let (state, _) = step(turn.state, Input::Begin);
        let turn_id = Some(turn.turn_id);
        let event = |body| Entry::Event { turn_id, body };

        let mut entries = vec![event(EventBody::TurnStarted { source: turn.source, attempt: turn.attempt })];
        let messages = u64::from(turn.said.is_some());
        let asked = turn.said.as_ref().and_then(|said| said.asker.as_ref()?.ceiling);
        let ceiling = turn.ceiling.or(asked);
        let chosen = turn.said.as_ref().and_then(|said| said.model.clone()).or(turn.model);
        if let Some(said) = turn.said {
            entries.push(Entry::Message(self.user_message(turn.turn_id, said, turn.now)));
        }
        entries.push(event(EventBody::AgentStatus { state: AgentState::Working }));
        entries.push(event(EventBody::MessageStart {
            message_id,
            agent_id: turn.agent.id,
            agent_name: turn.agent.name.clone(),
        }));
        let model_call = NewModelCall {
            id: model_call_id,
            session_id: turn.session.id,
            turn_id: turn.turn_id,
            user_id: turn.session.user_id,
            agent_id: turn.agent.id,
            step: state.step,
            attempt: state.attempt,
            model: self.model_name(chosen.as_deref().or(turn.agent.model.as_deref())),
            at: turn.now,
        };
        let record = Record {
            state,
            message_id,
            model_call_id,
            active_ms: 0,
            since: turn.now,
            ceiling,
            model: chosen,
            price_approval: None,
            provenance: Provenance::nothing(),
            written: None,
        };
        Ok(Opening { record, entries, model_call, messages })
    }

    /// The model that is asked, as it is accounted for.
    pub(crate) fn model_name(&self, model: Option<&str>) -> String {
        let resolved = self.models().resolve(model);
        let name =
            resolved.map_or_else(|_| model.unwrap_or_default().to_owned(), |model| model.id().to_owned());
        // Whatever a provider or an older program calls it: no database refuses it.
        name.replace(is_misleading, "\u{fffd}")
    }

    /// A person's words as an entry of the transcript. `seq` is filled in when it is stored.
    pub(crate) fn user_message(&self, turn_id: TurnId, said: IncomingWords, now: Timestamp) -> Message {
        let IncomingWords { text: content, attachments, sender, asker, label, model: _ } = said;
        let mut parts = Vec::with_capacity(attachments.len() + 1);
        if !content.is_empty() {
            parts.push(Part::Text { text: content.clone() });
        }
        parts.extend(attachments.into_iter().map(|attached| match attached {
            MessageAttachment::Picture(upload_id) => Part::Image { upload_id },
            MessageAttachment::File(file) => Part::File { file: *file },
        }));
        Message {
            parts,
            content,
            label,
            sender,
            asker: asker.map(|asker| asker.by),
            ..Message::new(MessageId::from_uuid(self.inner.ids.uuid()), turn_id, Role::User, now)
        }
    }
}
