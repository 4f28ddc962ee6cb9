//! Messages that wait behind the running turn, or for its next step: their person sees them in every window, and takes back
//! those whose turn has not begun.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::{
    EventBody, InputId, InputMode, MessageAttachment, SessionId, Source, Timestamp, TurnId, TurnOutcome,
    TurnStatus, UploadId, Usage, UserId,
};
use schemars::JsonSchema;
use serde::Serialize;
use store::{
    DataKey, Tx, inbox,
    log::{self, Entry},
    sessions, turns, uploads,
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
    pub attachments: Vec<QueuedAttachment>,
    pub source: Source,
    /// The model that is to answer it, where one was chosen for it.
    pub model: Option<String>,
    pub created_at: Timestamp,
}

/// An upload that goes with a message that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct QueuedAttachment {
    pub upload_id: UploadId,
    /// As its person calls it.
    pub name: String,
    pub kind: AttachmentKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    /// The model sees it.
    Picture,
    /// The model is told its words.
    File,
}

impl QueuedMessage {
    /// `None` for what another agent or a bridge sent: that is not its person's to take back.
    fn of(
        tx: &mut Tx,
        key: &DataKey,
        user: UserId,
        (turn_id, mode): (TurnId, InputMode),
        input: inbox::StoredInput,
    ) -> store::Result<Option<Self>> {
        let inbox::StoredInput { id, content, attachments, sender, asker, source, model, at, .. } = input;
        if sender.is_some() || asker.is_some() {
            return Ok(None);
        }
        let attachments = attachments
            .into_iter()
            .map(|attachment| QueuedAttachment::of(tx, key, user, attachment))
            .collect::<store::Result<_>>()?;
        let (input_id, created_at) = (id, at);
        Ok(Some(Self { input_id, turn_id, mode, content, attachments, source, model, created_at }))
    }
}

impl QueuedAttachment {
    fn of(tx: &mut Tx, key: &DataKey, user: UserId, attachment: MessageAttachment) -> store::Result<Self> {
        let upload_id = attachment.upload_id();
        let (name, kind) = match attachment {
            MessageAttachment::File(file) => (file.name, AttachmentKind::File),
            MessageAttachment::Picture(id) => {
                let stored = uploads::get(tx, key, user, id)?;
                (stored.map_or_else(String::new, |stored| stored.upload.name), AttachmentKind::Picture)
            }
        };
        Ok(Self { upload_id, name, kind })
    }
}

impl Engine {
    /// What waits in a session, in its order: what the running turn is told next comes first.
    pub async fn queued_messages(&self, user: UserId, session: SessionId) -> Result<Vec<QueuedMessage>> {
        self.session(user, session).await?;
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| {
            let mut listed = Vec::new();
            if let Some(turn) = turns::active(tx, session)?
                && inbox::steering_bytes(tx, turn)? <= LISTED_BYTES
            {
                for input in inbox::steering(tx, &key, turn)? {
                    listed.extend(QueuedMessage::of(tx, &key, user, (turn, InputMode::Steer), input)?);
                }
            }
            for (turn, input) in inbox::waiting(tx, &key, session, LISTED_BYTES)? {
                listed.extend(QueuedMessage::of(tx, &key, user, (turn, InputMode::Queue), input)?);
            }
            Ok(listed)
        };
        Ok(self.store().read(read).await?)
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
            Some((found, _)) if found == session => match inbox::of_turn(tx, &reading, turn)? {
                Some(input) => QueuedMessage::of(tx, &reading, user, (turn, InputMode::Queue), input),
                None => Ok(None),
            },
            _ => Ok(None),
        };
        let message = self.store().read(find).await?.ok_or(Error::NotFound("queued message"))?;
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
        let events = match self.store().write(write).await {
            Err(store::Error::Fenced) => return Err(self.not_queued(user, turn).await),
            other => other?,
        };
        self.publish(user, session, &events);
        Ok(message)
    }

    /// Why a message cannot be taken back: the agent has it, or another window was faster.
    async fn not_queued(&self, user: UserId, turn: TurnId) -> Error {
        let read = move |tx: &mut Tx| turns::whereabouts(tx, user, turn);
        match self.store().read(read).await {
            Ok(Some((_, TurnStatus::Ended))) => Error::conflict(
                "not_queued",
                "This message is no longer queued. It was answered already, or removed in another window.",
            ),
            Ok(_) => Error::conflict(
                "already_started",
                "The agent has begun with this message. Use Stop, or send another message.",
            ),
            Err(error) => error.into(),
        }
    }
}
