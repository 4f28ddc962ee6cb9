//! A new input of a session, from a person, a program or another agent: prepared outside the transaction, stored inside, and
//! what comes of it. What an input answers is the matter of the inbox.

use crate::{
    claim::{
        claimed::{Claimed, ClaimedTurn},
        input_refusal::InputRefusal,
        opening::{IncomingWords, Opening, OpeningTurn},
        record,
        wake_turn::WokenTurn,
    },
    engine::Engine,
    error::Result,
    files::uploads,
};
use domain::{
    Agent, Answers, Event, EventBody, InputId, InputMode, Label, MessageAttachment, Sender, Session,
    SessionId, Source, Timestamp, TurnId, TurnStatus, UploadId, UserId,
};
use prompt::input_label::HandedIn;
use store::{
    DataKey, Tx, inbox as rows,
    log::{self, Entry},
    model_calls,
    sessions::{self, Numbers, Staffed, Steered, Taken},
    turns::{self, NewTurn},
};

/// What waits to be taken in by a running turn is taken in at once, so it must not be too much together.
const STEERING_BYTES: u64 = 4 << 20;

/// What a person, a program or a schedule hands in.
#[derive(Clone, Debug)]
pub struct NewMessage {
    pub user_id: UserId,
    pub session_id: SessionId,
    pub content: String,
    /// Uploads that go with the words.
    pub attachments: Vec<UploadId>,
    /// The client saw the words typed. Otherwise a long text counts as pasted.
    pub typed: bool,
    /// Who says it, where a bridge delivers it for them.
    pub sender: Option<Sender>,
    pub mode: InputMode,
    /// What its author was shown and answers with it; without that it answers nothing, whatever waits.
    pub answers: Option<Answers>,
    pub source: Source,
    /// The model that is to answer it, instead of the conversation's; [`InputMode::Queue`] alone starts a turn, which can.
    pub model: Option<String>,
    pub idempotency_key: Option<String>,
}

/// Where the words of an input come from, besides its source.
pub(crate) enum WordsOrigin {
    /// The person who hands them in wrote them.
    Person,
    /// Another agent wrote them.
    Agent(rows::AgentRequest),
    /// A message has them already; they keep its label.
    Repeated(Label),
    /// A person changed a message that has this label: some of its words may still be in there.
    Changed(Label),
    /// A schedule, which was made of what has this label.
    Schedule(Label),
}

impl WordsOrigin {
    /// The agent that says this, if one does, and the label of the words.
    fn asker_and_label(self, message: &NewMessage, own_files: bool) -> (Option<rows::AgentRequest>, Label) {
        let (asker, before) = match self {
            Self::Person => (None, None),
            Self::Agent(asker) => (Some(asker), None),
            Self::Repeated(label) | Self::Schedule(label) => return (None, label),
            Self::Changed(label) => (None, Some(label)),
        };
        let handed_in = HandedIn {
            text: &message.content,
            typed: message.typed,
            has_attachments: !message.attachments.is_empty(),
            source: message.source,
            asker: asker.as_ref().map(|asker| asker.label),
            own_files,
        };
        let label = handed_in.label();
        (asker, before.map_or(label, |before| label.join(before)))
    }
}

/// What is prepared outside the transaction, so that the writer thread does nothing but SQL and sealing.
#[derive(Clone)]
pub(crate) struct PreparedInput {
    pub(crate) engine: Engine,
    pub(crate) key: DataKey,
    pub(crate) session: Session,
    pub(crate) agent: Agent,
    pub(crate) input: rows::NewInput,
    opening: Opening,
    /// What it answers; then the room of the inbox stores it.
    pub(crate) answers: Option<Answers>,
    pub(crate) now: Timestamp,
}

/// What the transaction found.
pub(crate) enum InputOutcome {
    Started {
        events: Vec<Event>,
    },
    /// `idle`: nothing is active in the session, so no worker will start what waits in it.
    Queued {
        events: Vec<Event>,
        idle: bool,
    },
    Steered {
        turn_id: TurnId,
        events: Vec<Event>,
    },
    Answered {
        turn_id: TurnId,
        events: Vec<Event>,
        woken: WokenTurn,
    },
    Repeat {
        input_id: InputId,
        turn_id: TurnId,
        mode: InputMode,
        same_body: bool,
    },
}

impl Engine {
    /// What was said to an agent, ready to be stored.
    pub(crate) fn prepared(
        &self,
        key: DataKey,
        session: Session,
        agent: Agent,
        message: NewMessage,
        attachments: Vec<MessageAttachment>,
        origin: WordsOrigin,
    ) -> Result<PreparedInput> {
        let now = self.now();
        let turn_id = TurnId::from_uuid(self.inner.ids.uuid());
        let (asker, label) = origin.asker_and_label(&message, session.own_files);
        let answers = message.answers;
        let opening = self.opening(OpeningTurn {
            session: &session,
            agent: &agent,
            turn_id,
            source: message.source,
            attempt: 1,
            said: Some(IncomingWords {
                text: message.content.clone(),
                attachments: attachments.clone(),
                sender: message.sender.clone(),
                asker: asker.clone(),
                label,
                model: message.model.clone(),
            }),
            state: self.new_state(agent.limits),
            ceiling: None,
            model: None,
            now,
        })?;
        let input = rows::NewInput {
            id: InputId::from_uuid(self.inner.ids.uuid()),
            session_id: session.id,
            user_id: session.user_id,
            idempotency_key: message.idempotency_key,
            turn_id,
            mode: if answers.is_some() { InputMode::Answer } else { message.mode },
            answers,
            source: message.source,
            content: message.content,
            attachments,
            sender: message.sender,
            asker,
            label,
            model: message.model,
            at: now,
        };
        Ok(PreparedInput { engine: self.clone(), key, session, agent, input, opening, answers, now })
    }
}

impl PreparedInput {
    /// The turn as it runs if the session is free. Made before the commit, so that no takeover takes it for abandoned.
    pub(crate) fn claimed(&self) -> Claimed {
        let announced = self.engine.announce_before_claim(self.input.turn_id, self.session.id);
        let (session, agent) = (self.session.clone(), self.agent.clone());
        let staffed = Staffed { session, agent, usable: true };
        let turn = ClaimedTurn { id: self.input.turn_id, epoch: 1, attempt: 1, source: self.input.source };
        let claimed = Claimed::new(self.key.clone(), staffed, turn, self.opening.record.clone(), None);
        Claimed { announced: Some(announced), ..claimed }
    }

    /// Stores the input itself. A repeated idempotency key finds what it made the first time.
    pub(crate) fn insert(&self, tx: &mut Tx) -> store::Result<Option<InputOutcome>> {
        let vault = self.engine.store().vault();
        Ok(match rows::insert(tx, vault, &self.key, &self.input)? {
            rows::Inserted::Repeat { input_id, turn_id, mode, same_body } => {
                Some(InputOutcome::Repeat { input_id, turn_id, mode, same_body })
            }
            _ => None,
        })
    }

    /// Stores the input and what comes of it: it starts a turn, waits for one, or steers one that runs.
    pub(crate) fn store(self, tx: &mut Tx) -> Result<InputOutcome, InputRefusal> {
        if let Some(repeat) = self.insert(tx)? {
            return Ok(repeat);
        }
        if self.input.mode == InputMode::Steer {
            let steered = sessions::steer(tx, self.session.id, self.session.user_id, self.now)?;
            if let Some(steered) = steered {
                return self.steer(tx, steered);
            }
            // Nothing runs: it is an ordinary input.
            rows::set_turn(tx, self.input.id, self.input.turn_id, InputMode::Queue)?;
        }
        self.queue(tx)
    }

    fn steer(self, tx: &mut Tx, steered: Steered) -> Result<InputOutcome, InputRefusal> {
        // Of what waits nothing is opened: every other writer would wait for it.
        let held = rows::steering_bytes(tx, steered.turn_id)?;
        if steered.waiting > self.engine.inner.settings.turn.queue || held > STEERING_BYTES {
            return Err(InputRefusal::QueueFull);
        }
        rows::set_turn(tx, self.input.id, steered.turn_id, InputMode::Steer)?;
        self.use_attachments(tx)?;
        let entry = self.accepted(steered.turn_id, InputMode::Steer);
        let events = self.append(tx, steered.numbers, vec![entry])?;
        Ok(InputOutcome::Steered { turn_id: steered.turn_id, events })
    }

    fn queue(mut self, tx: &mut Tx) -> Result<InputOutcome, InputRefusal> {
        let mut entries = vec![self.accepted(self.input.turn_id, InputMode::Queue)];
        let if_started = 1 + self.opening.entries.len() as u64;
        let (id, user, turn) = (self.session.id, self.session.user_id, self.input.turn_id);
        let taken = sessions::take_input(tx, id, user, turn, if_started, 1, self.now)?;
        let Taken { numbers, started, pending, idle } = taken.ok_or(InputRefusal::Closed)?;
        if pending > self.engine.inner.settings.turn.queue {
            return Err(InputRefusal::QueueFull);
        }
        self.use_attachments(tx)?;
        if started {
            entries.append(&mut self.opening.entries);
        }
        let turn = self.turn_row(numbers.first(), started)?;
        turns::insert(tx, &self.key, &turn)?;
        let events = self.append(tx, numbers, entries)?;
        if !started {
            return Ok(InputOutcome::Queued { events, idle });
        }
        model_calls::start(tx, &self.opening.model_call)?;
        Ok(InputOutcome::Started { events })
    }

    /// From here on the session keeps them.
    pub(crate) fn use_attachments(&self, tx: &mut Tx) -> Result<(), InputRefusal> {
        let (user, session) = (self.session.user_id, self.session.id);
        let fresh = uploads::fresh_since(self.now);
        let ids: Vec<UploadId> = self.input.attachments.iter().map(MessageAttachment::upload_id).collect();
        match store::uploads::use_in(tx, user, session, &ids, self.input.label, fresh) {
            Err(store::Error::NotFound) => Err(InputRefusal::UploadGone),
            other => Ok(other?),
        }
    }

    fn turn_row(&self, position: u64, started: bool) -> store::Result<NewTurn> {
        let state =
            if started { Some(self.opening.record.to_bytes().map_err(record::unwritable)?) } else { None };
        Ok(NewTurn {
            id: self.input.turn_id,
            session_id: self.session.id,
            user_id: self.session.user_id,
            position,
            source: self.input.source,
            status: if started { TurnStatus::Running } else { TurnStatus::Queued },
            owner: started.then_some(self.engine.inner.node),
            epoch: u64::from(started),
            lease_until: started.then(|| self.engine.lease_until()),
            state,
            at: self.now,
        })
    }

    pub(crate) fn accepted(&self, turn_id: TurnId, mode: InputMode) -> Entry {
        let body =
            EventBody::InputAccepted { input_id: self.input.id, turn_id, mode, source: self.input.source };
        Entry::Event { turn_id: Some(turn_id), body }
    }

    pub(crate) fn append(
        &self,
        tx: &mut Tx,
        numbers: Numbers,
        entries: Vec<Entry>,
    ) -> store::Result<Vec<Event>> {
        log::append(tx, &self.key, numbers, self.now, entries)
    }
}
