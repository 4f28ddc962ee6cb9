//! The way in. One transaction stores the input, its turn and the event that says so; only then is it
//! acknowledged. A repeated idempotency key finds the turn it made the first time.

use crate::{
    claim::{
        claimed::Claimed,
        input_refusal::InputRefusal,
        new_input::{InputOutcome, NewMessage, PreparedInput, WordsOrigin},
    },
    engine::Engine,
    error::{Error, Result},
};
use domain::{Event, InputId, InputMode, SessionId, TurnId, UserId};
use store::{Tx, turns};

/// The longest message a person may send, in bytes.
pub const MESSAGE_BYTES: usize = 1 << 20;
const KEY_BYTES: usize = 255;

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

/// An input whose transaction is on its way, and the turn as it runs if the session is free.
pub(crate) struct Arriving {
    input_id: InputId,
    turn_id: TurnId,
    session_id: SessionId,
    user_id: UserId,
    claimed: Claimed,
}

impl Arriving {
    pub(crate) fn of(prepared: &PreparedInput) -> Self {
        Self {
            input_id: prepared.input.id,
            turn_id: prepared.input.turn_id,
            session_id: prepared.session.id,
            user_id: prepared.session.user_id,
            claimed: prepared.claimed(),
        }
    }
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
        let arriving = Arriving::of(&prepared);
        // An answer may set a turn going again.
        let _claiming = prepared.answers.is_some().then(|| self.claiming(prepared.session.id));
        fail::fail_point!("accept_before_commit");
        let outcome = self.store().attempt(move |tx: &mut Tx| prepared.store_or_answer(tx)).await;
        fail::fail_point!("accept_after_commit");
        match outcome {
            Err(InputRefusal::NothingToAnswer) => Err(self.unanswerable(&message).await),
            other => self.go_on_with(arriving, other?).await,
        }
    }

    /// What follows from the commit of an input.
    pub(crate) async fn go_on_with(&self, arriving: Arriving, outcome: InputOutcome) -> Result<Accepted> {
        let Arriving { input_id, turn_id, session_id, user_id, claimed } = arriving;
        let new = |turn_id, mode, events: &[Event], goes_on| {
            let after = before_first(events);
            Accepted { input_id, turn_id, mode, after, repeated: false, goes_on }
        };
        match outcome {
            InputOutcome::Answered { turn_id, events, woken } => {
                drop(claimed);
                let accepted = new(turn_id, InputMode::Answer, &events, true);
                self.continue_turn(Ok((events, woken)), user_id, session_id, turn_id)?;
                Ok(accepted)
            }
            InputOutcome::Repeat { same_body: false, .. } => Err(Error::IdempotencyMismatch),
            InputOutcome::Repeat { input_id, turn_id, mode, .. } => {
                let first = self.store().read(move |tx| turns::position(tx, turn_id)).await?;
                let after = first.unwrap_or(0).saturating_sub(1);
                Ok(Accepted { input_id, turn_id, mode, after, repeated: true, goes_on: false })
            }
            InputOutcome::Steered { turn_id, events } => {
                self.publish(user_id, session_id, &events);
                Ok(new(turn_id, InputMode::Steer, &events, false))
            }
            InputOutcome::Queued { events, idle } => {
                self.publish(user_id, session_id, &events);
                // What this would have run is not run here: it waits, and its announcement must not outlive this line.
                drop(claimed);
                if idle && let Err(error) = self.start_waiting(session_id, user_id).await {
                    tracing::warn!(%error, "a waiting turn could not be started; it is tried again");
                }
                Ok(new(turn_id, InputMode::Queue, &events, false))
            }
            InputOutcome::Started { events } => {
                // The feed is held by the worker before anything is published, so no reader sees an empty one.
                self.run_turn(claimed, &events);
                Ok(new(turn_id, InputMode::Queue, &events, true))
            }
        }
    }

    async fn prepare(&self, message: NewMessage) -> Result<PreparedInput> {
        let key = self.store().data_key(message.user_id).await?;
        let user = message.user_id;
        let (session, agent) = self.staffed(user, message.session_id).await?;
        self.keep_up_with(&agent).await?;
        let mut agent = agent;
        if let Some(model) = &message.model {
            self.check_chosen_model(user, &agent, model)?;
            agent.model.clone_from(&message.model);
        }
        let attachments = self.check_attachments(user, &key, &agent, &message.attachments).await?;
        self.prepared(key, session, agent, message, attachments, WordsOrigin::Person)
    }
}

/// Where to follow from to see these events.
fn before_first(events: &[Event]) -> u64 {
    events.first().map_or(0, |event| event.seq.saturating_sub(1))
}

/// Whether the words make sense, whatever the session.
pub(crate) fn check(message: &NewMessage) -> Result<()> {
    if message.content.trim().is_empty() && message.attachments.is_empty() {
        return Err(Error::invalid("empty_message", "content: The message is empty."));
    }
    if message.content.len() > MESSAGE_BYTES {
        return Err(Error::TooLarge("This message is too long. The limit is 1 MB of text.".to_owned()));
    }
    let key_problem = |key: &String| key.is_empty() || key.len() > KEY_BYTES;
    if message.idempotency_key.as_ref().is_some_and(key_problem) {
        return Err(Error::invalid(
            "bad_idempotency_key",
            "An idempotency key must have 1 to 255 characters.",
        ));
    }
    super::answer::check(message)
}
