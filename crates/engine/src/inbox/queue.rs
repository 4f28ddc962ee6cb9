//! Messages that wait behind the running turn, or for its next step: their person sees them in every window, and takes back
//! those whose turn has not begun.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::{
    EventBody, InputId, InputMode, MessageAttachment, SessionId, Source, Timestamp, TurnId, TurnOutcome,
    UploadId, Usage, UserId,
};
use schemars::JsonSchema;
use serde::Serialize;
use store::{
    Tx, inbox,
    log::{self, Entry},
    sessions, turns,
};

/// A list ends with the message that goes beyond this.
const LISTED_BYTES: u64 = 1 << 20;

/// A message that waits: for its turn, or for the next step of the turn that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueuedMessage {
    pub input_id: InputId,
    /// The turn that it will begin, or join.
    pub turn_id: TurnId,
    /// `queue` or `steer`; what joins the running turn cannot be taken back.
    pub mode: InputMode,
    pub content: String,
    /// The uploads that go with it.
    pub attachments: Vec<UploadId>,
    pub source: Source,
    /// The model that is to answer it, where one was chosen for it.
    pub model: Option<String>,
    pub created_at: Timestamp,
}

impl QueuedMessage {
    /// `None` for what another agent or a bridge sent: that is not its person's to take back.
    fn of((turn_id, mode): (TurnId, InputMode), input: inbox::StoredInput) -> Option<Self> {
        let inbox::StoredInput { id, content, attachments, sender, asker, source, model, at, .. } = input;
        let theirs = sender.is_none() && asker.is_none();
        let attachments = attachments.iter().map(MessageAttachment::upload_id).collect();
        let created_at = at;
        theirs.then_some(Self {
            input_id: id,
            turn_id,
            mode,
            content,
            attachments,
            source,
            model,
            created_at,
        })
    }
}

impl Engine {
    /// What waits in a session, in its order: what the running turn is told next comes first.
    pub async fn queued_messages(&self, user: UserId, session: SessionId) -> Result<Vec<QueuedMessage>> {
        self.session(user, session).await?;
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| {
            let mut found = Vec::new();
            if let Some(turn) = turns::active(tx, session)?
                && inbox::steering_bytes(tx, turn)? <= LISTED_BYTES
            {
                let steering = inbox::steering(tx, &key, turn)?;
                found.extend(steering.into_iter().map(|input| ((turn, InputMode::Steer), input)));
            }
            let waiting = inbox::waiting(tx, &key, session, LISTED_BYTES)?;
            found.extend(waiting.into_iter().map(|(turn, input)| ((turn, InputMode::Queue), input)));
            Ok(found)
        };
        let found = self.store().read(read).await?;
        Ok(found.into_iter().filter_map(|(joins, input)| QueuedMessage::of(joins, input)).collect())
    }

    /// Takes a message out of the queue and gives it back. Refused once its turn has begun.
    pub async fn take_back(&self, user: UserId, session: SessionId, turn: TurnId) -> Result<QueuedMessage> {
        let engine = self.clone();
        self.undisturbed(async move { engine.take_back_now(user, session, turn).await }).await
    }

    async fn take_back_now(&self, user: UserId, session: SessionId, turn: TurnId) -> Result<QueuedMessage> {
        let (key, now) = (self.store().data_key(user).await?, self.now());
        let reading = key.clone();
        let find = move |tx: &mut Tx| match turns::whereabouts(tx, user, turn)? {
            Some((found, _)) if found == session => inbox::of_turn(tx, &reading, turn),
            _ => Ok(None),
        };
        let input = self.store().read(find).await?;
        let message = input.and_then(|input| QueuedMessage::of((turn, InputMode::Queue), input));
        let message = message.ok_or(Error::NotFound("queued message"))?;
        let write = move |tx: &mut Tx| {
            // The session first, as every other writer has it: then no starter is between the two.
            let numbers = sessions::drop_pending(tx, user, session, now)?;
            if !turns::drop_queued(tx, turn, now)? {
                return Err(store::Error::Fenced);
            }
            let (outcome, error, usage) = (TurnOutcome::Cancelled, None, Usage::ZERO);
            let body = EventBody::TurnEnded { outcome, error, usage };
            log::append(tx, &key, numbers, now, vec![Entry::Event { turn_id: Some(turn), body }])
        };
        let events = self.store().write(write).await.map_err(|error| match error {
            store::Error::Fenced => Error::conflict(
                "already_started",
                "The agent has begun with this message. Use Stop, or send another message.",
            ),
            other => other.into(),
        })?;
        self.publish(user, session, &events);
        Ok(message)
    }
}
