//! The way in. One transaction stores the input, its turn and the event that says so; only then does anybody hear
//! of it. A repeated idempotency key finds the turn it made the first time.

use crate::{
    claim::{
        claimed::{Claimed, ClaimedTurn},
        input_refusal::InputRefusal,
        opening::{Opening, OpeningTurn, Said},
    },
    engine::Engine,
    error::{Error, Result},
    files::uploads,
};
use domain::{
    Agent, Answers, Event, EventBody, InputId, InputMode, Sender, Session, SessionId, Source, Timestamp,
    TurnId, TurnStatus, UploadId, UserId,
};
use prompt::input_label::HandedIn;
use store::{
    DataKey, Tx, inbox as rows,
    log::{self, Entry},
    model_calls,
    sessions::{self, Numbers, Staffed, Steered, Taken},
    turns::{self, NewTurn},
};

/// The longest message a person may send, in bytes.
pub const MESSAGE_BYTES: usize = 1 << 20;
const KEY_BYTES: usize = 255;
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
    /// Who says it, where somebody else delivers it.
    pub sender: Option<Sender>,
    pub mode: InputMode,
    /// What its author was shown and answers with it; without that it answers nothing, whatever waits.
    pub answers: Option<Answers>,
    pub source: Source,
    pub idempotency_key: Option<String>,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub input_id: InputId,
    /// The turn it made, or joined.
    pub turn_id: TurnId,
    pub mode: InputMode,
    /// The `seq` before the first event of interest: following from here shows the turn.
    pub after: u64,
    /// The idempotency key was known: nothing new was stored.
    pub repeated: bool,
    /// Its turn works because of it; where not, what it waits for may have begun to wait long ago.
    pub goes_on: bool,
}

/// What is prepared outside the transaction, so that the writer thread does nothing but SQL and sealing.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) engine: Engine,
    pub(crate) key: DataKey,
    pub(crate) session: Session,
    pub(crate) agent: Agent,
    pub(crate) input: rows::NewInput,
    opening: Opening,
    answers: Option<Answers>,
    pub(crate) now: Timestamp,
}

/// What the transaction found.
pub(crate) enum Outcome {
    Started {
        events: Vec<Event>,
    },
    /// `idle`: nothing is active in the session, so nobody else starts what waits in it.
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
        /// None where somebody works on the turn.
        woken: Option<Box<Claimed>>,
    },
    Repeat {
        input_id: InputId,
        turn_id: TurnId,
        mode: InputMode,
        same_body: bool,
    },
}

impl Engine {
    /// Makes an input durable and starts its turn if the session is free.
    pub async fn accept(&self, message: NewMessage) -> Result<Accepted> {
        check(&message)?;
        let engine = self.clone();
        self.undisturbed(async move { Box::pin(engine.store_input(message)).await }).await
    }

    async fn store_input(&self, message: NewMessage) -> Result<Accepted> {
        // Not earlier: the shutdown waits for this task, and nothing may begin after it has waited.
        self.check_takes_work()?;
        let prepared = self.prepare(message.clone()).await?;
        let (input_id, turn_id) = (prepared.input.id, prepared.input.turn_id);
        let session_id = prepared.session.id;
        let claimed = prepared.claimed();
        let user_id = prepared.session.user_id;
        fail::fail_point!("accept_before_commit");
        let outcome = self.store().attempt(async move |tx: &mut Tx| prepared.store(tx).await).await;
        fail::fail_point!("accept_after_commit");
        let outcome = match outcome {
            Err(InputRefusal::NothingToAnswer) => return Err(self.unanswerable(&message).await),
            other => other?,
        };
        let new = |turn_id, mode, events: &[Event], goes_on| {
            let after = before_first(events);
            Accepted { input_id, turn_id, mode, after, repeated: false, goes_on }
        };
        match outcome {
            Outcome::Answered { turn_id, events, woken } => {
                drop(claimed);
                let accepted = new(turn_id, InputMode::Answer, &events, true);
                self.go_on_after(Ok((events, woken)), user_id, session_id, turn_id)?;
                Ok(accepted)
            }
            Outcome::Repeat { same_body: false, .. } => Err(Error::IdempotencyMismatch),
            Outcome::Repeat { input_id, turn_id, mode, .. } => {
                let first = self.store().read(async move |tx| turns::position(tx, turn_id).await).await?;
                let after = first.unwrap_or(0).saturating_sub(1);
                Ok(Accepted { input_id, turn_id, mode, after, repeated: true, goes_on: false })
            }
            Outcome::Steered { turn_id, events } => {
                self.publish(user_id, session_id, &events);
                Ok(new(turn_id, InputMode::Steer, &events, false))
            }
            Outcome::Queued { events, idle } => {
                self.publish(user_id, session_id, &events);
                // What this would have run is not run here: it waits, and its announcement must not outlive this line.
                drop(claimed);
                if idle && let Err(error) = self.start_waiting(session_id, user_id).await {
                    tracing::warn!(%error, "a waiting turn could not be started; it is tried again");
                }
                Ok(new(turn_id, InputMode::Queue, &events, false))
            }
            Outcome::Started { events } => {
                // The feed is held by the worker before anything is published, so no reader sees an empty one.
                self.run_turn(claimed, &events);
                Ok(new(turn_id, InputMode::Queue, &events, true))
            }
        }
    }

    async fn prepare(&self, message: NewMessage) -> Result<Prepared> {
        let key = self.store().data_key(message.user_id).await?;
        let user = message.user_id;
        let (session, agent) = self.staffed(user, message.session_id).await?;
        self.check_attachments(user, &key, &agent, &message.attachments).await?;
        self.prepared(key, session, agent, message, None)
    }

    /// What was said to an agent, ready to be stored.
    pub(crate) fn prepared(
        &self,
        key: DataKey,
        session: Session,
        agent: Agent,
        message: NewMessage,
        asker: Option<rows::Asked>,
    ) -> Result<Prepared> {
        let now = self.now();
        let turn_id = TurnId::from_uuid(self.inner.ids.uuid());
        let label = HandedIn {
            text: &message.content,
            typed: message.typed,
            has_attachments: !message.attachments.is_empty(),
            source: message.source,
            asker: asker.as_ref().map(|asker| asker.label),
            own_files: session.own_files,
        }
        .label();
        let answers = message.answers;
        let opening = self.opening(OpeningTurn {
            session: &session,
            agent: &agent,
            turn_id,
            source: message.source,
            attempt: 1,
            said: Some(Said {
                text: message.content.clone(),
                attachments: message.attachments.clone(),
                sender: message.sender.clone(),
                asker: asker.clone(),
                label,
            }),
            state: self.new_state(agent.limits),
            ceiling: None,
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
            attachments: message.attachments,
            sender: message.sender,
            asker,
            label,
            at: now,
        };
        Ok(Prepared { engine: self.clone(), key, session, agent, input, opening, answers, now })
    }
}

impl Prepared {
    /// The turn as it runs if the session is free. Made before the commit, so that nobody who looks for abandoned turns
    /// takes it for one.
    pub(crate) fn claimed(&self) -> Claimed {
        let announced = self.engine.announce(self.input.turn_id, self.session.id);
        let (session, agent) = (self.session.clone(), self.agent.clone());
        let staffed = Staffed { session, agent, usable: true };
        let turn = ClaimedTurn { id: self.input.turn_id, epoch: 1, attempt: 1, source: self.input.source };
        let claimed = Claimed::new(self.key.clone(), staffed, turn, self.opening.record.clone(), None);
        Claimed { announced: Some(announced), ..claimed }
    }

    pub(crate) async fn store(self, tx: &mut Tx) -> Result<Outcome, InputRefusal> {
        let vault = self.engine.store().vault();
        if let rows::Inserted::Repeat { input_id, turn_id, mode, same_body } =
            rows::insert(tx, vault, &self.key, &self.input).await?
        {
            return Ok(Outcome::Repeat { input_id, turn_id, mode, same_body });
        }
        if let Some(answers) = self.answers {
            return self.answer(tx, answers).await;
        }
        if self.input.mode == InputMode::Steer {
            let steered = sessions::steer(tx, self.session.id, self.session.user_id, self.now).await?;
            if let Some(steered) = steered {
                return self.steer(tx, steered).await;
            }
            // Nothing runs: it is an ordinary input.
            rows::set_turn(tx, self.input.id, self.input.turn_id, InputMode::Queue).await?;
        }
        self.queue(tx).await
    }

    async fn steer(self, tx: &mut Tx, steered: Steered) -> Result<Outcome, InputRefusal> {
        // Of what waits nothing is opened: whoever writes meanwhile would wait for it.
        let held = rows::steering_bytes(tx, steered.turn_id).await?;
        if steered.waiting > self.engine.inner.settings.queue || held > STEERING_BYTES {
            return Err(InputRefusal::QueueFull);
        }
        rows::set_turn(tx, self.input.id, steered.turn_id, InputMode::Steer).await?;
        self.use_attachments(tx).await?;
        let entry = self.accepted(steered.turn_id, InputMode::Steer);
        let events = self.append(tx, steered.numbers, vec![entry]).await?;
        Ok(Outcome::Steered { turn_id: steered.turn_id, events })
    }

    async fn queue(mut self, tx: &mut Tx) -> Result<Outcome, InputRefusal> {
        let mut entries = vec![self.accepted(self.input.turn_id, InputMode::Queue)];
        let if_started = 1 + self.opening.entries.len() as u64;
        let (id, user, turn) = (self.session.id, self.session.user_id, self.input.turn_id);
        let taken = sessions::take_input(tx, id, user, turn, if_started, 1, self.now).await?;
        let Taken { numbers, started, pending, idle } = taken.ok_or(store::Error::NotFound)?;
        if pending > self.engine.inner.settings.queue {
            return Err(InputRefusal::QueueFull);
        }
        self.use_attachments(tx).await?;
        if started {
            entries.append(&mut self.opening.entries);
        }
        let turn = self.turn_row(numbers.first(), started)?;
        turns::insert(tx, &self.key, &turn).await?;
        let events = self.append(tx, numbers, entries).await?;
        if !started {
            return Ok(Outcome::Queued { events, idle });
        }
        model_calls::start(tx, &self.opening.model_call).await?;
        Ok(Outcome::Started { events })
    }

    /// From here on the session keeps them.
    pub(super) async fn use_attachments(&self, tx: &mut Tx) -> Result<(), InputRefusal> {
        let (user, session) = (self.session.user_id, self.session.id);
        let fresh = uploads::fresh_since(self.now);
        match store::uploads::use_in(tx, user, session, &self.input.attachments, fresh).await {
            Err(store::Error::NotFound) => Err(InputRefusal::UploadGone),
            other => Ok(other?),
        }
    }

    fn turn_row(&self, position: u64, started: bool) -> store::Result<NewTurn> {
        let state = if started {
            Some(self.opening.record.to_bytes().map_err(crate::claim::record::unwritable)?)
        } else {
            None
        };
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

    pub(super) fn accepted(&self, turn_id: TurnId, mode: InputMode) -> Entry {
        let body =
            EventBody::InputAccepted { input_id: self.input.id, turn_id, mode, source: self.input.source };
        Entry::Event { turn_id: Some(turn_id), body }
    }

    pub(super) async fn append(
        &self,
        tx: &mut Tx,
        numbers: Numbers,
        entries: Vec<Entry>,
    ) -> store::Result<Vec<Event>> {
        log::append(tx, &self.key, numbers, self.now, entries).await
    }
}

/// Where to follow from to see these events.
fn before_first(events: &[Event]) -> u64 {
    events.first().map_or(0, |event| event.seq.saturating_sub(1))
}

/// Whether the words make sense, whatever the session.
pub(crate) fn check(message: &NewMessage) -> Result<()> {
    if message.content.trim().is_empty() && message.attachments.is_empty() {
        return Err(Error::invalid("empty_message", "content must not be empty"));
    }
    if message.content.len() > MESSAGE_BYTES {
        return Err(Error::TooLarge("a message may have at most 1 MiB of text".to_owned()));
    }
    let key_problem = |key: &String| key.is_empty() || key.len() > KEY_BYTES;
    if message.idempotency_key.as_ref().is_some_and(key_problem) {
        return Err(Error::invalid("bad_idempotency_key", "an idempotency key has 1 to 255 characters"));
    }
    super::answer::check(message)
}
