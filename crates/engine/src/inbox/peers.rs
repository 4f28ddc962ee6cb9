//! One session for each peer who speaks to a person's agent through a program.

use crate::{
    agents::check_name,
    bus::node_note::SessionNews,
    claim::new_input::NewMessage,
    engine::Engine,
    error::{Error, Result},
    inbox::accept::{self, Accepted},
};
use domain::{Agent, Answers, InputMode, Sender, Session, SessionId, Source, UserId};
use store::{
    Tx,
    chat_sessions::{self, PeerIndex},
    sessions as rows,
};
use uuid::Uuid;

/// Where a peer speaks from when the program does not say.
const HERE: &str = "cli";
/// Each try that finds another's session there ends; a second one is enough unless that one goes at once.
const TRIES: usize = 4;

/// Who speaks, and from where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub source: String,
    pub sender: Option<String>,
}

impl Peer {
    pub fn new(source: Option<String>, sender: Option<String>) -> Result<Self> {
        let source = source.unwrap_or_else(|| HERE.to_owned());
        check_name(&source, "source")?;
        if let Some(sender) = &sender {
            check_name(sender, "sender")?;
        }
        Ok(Self { source, sender })
    }

    /// Does another person than the key's own speak?
    pub fn is_bridged(&self) -> bool {
        self.source != HERE
    }

    pub fn door(&self) -> Source {
        if self.is_bridged() { Source::Bridge } else { Source::Cli }
    }

    /// May it give commands, with a slash before them?
    pub fn may_command(&self) -> bool {
        self.door().rules().may_command
    }

    /// What the agent is told of the peer who speaks; nothing of its own person.
    fn sender(&self) -> Option<Sender> {
        let Self { source, sender } = self.clone();
        self.is_bridged().then_some(Sender { source, name: sender })
    }

    fn name(&self) -> String {
        match &self.sender {
            Some(sender) => format!("{} {sender}", self.source),
            None => self.source.clone(),
        }
    }
}

impl Engine {
    /// Takes in what a peer says, in the one session they have with the person's agent `main`.
    pub async fn accept_chat(
        &self,
        user_id: UserId,
        peer: &Peer,
        content: String,
        answers: Option<Answers>,
        idempotency_key: Option<String>,
    ) -> Result<(SessionId, Accepted)> {
        let mut message = NewMessage {
            user_id,
            session_id: SessionId::from_uuid(Uuid::nil()),
            content,
            attachments: Vec::new(),
            typed: false,
            sender: peer.sender(),
            mode: InputMode::Queue,
            answers,
            source: peer.door(),
            model: None,
            idempotency_key,
        };
        // Before there is a session for it: no words, no session.
        accept::check(&message)?;
        message.session_id = self.chat_session(user_id, peer).await?;
        let session_id = message.session_id;
        Ok((session_id, self.accept(message).await?))
    }

    /// The peer's session with the person's agent `main`. Made when there is none, or when it was archived; once, however
    /// many ask at the same time.
    async fn chat_session(&self, user: UserId, peer: &Peer) -> Result<SessionId> {
        let index = self.peer_index(user, peer);
        for _ in 0..TRIES {
            let read = move |tx: &mut Tx| chat_sessions::find(tx, user, index);
            let before = match self.store().read(read).await? {
                Some((session, false)) => return Ok(session),
                found => found.map(|(session, _)| session),
            };
            let made = self.make_chat_session(user, peer, index, before).await?;
            if let Some(session) = made {
                return Ok(session);
            }
        }
        Err(Error::Internal)
    }

    /// What the peer says next, they say in another session.
    pub(crate) async fn move_peer(&self, user: UserId, peer: &Peer, to: SessionId) -> Result<()> {
        let index = self.peer_index(user, peer);
        let write = move |tx: &mut Tx| {
            let before = chat_sessions::find(tx, user, index)?.map(|(session, _)| session);
            if before == Some(to) {
                return Ok(true);
            }
            chat_sessions::claim(tx, user, index, to, before)
        };
        match self.store().write(write).await? {
            true => Ok(()),
            false => {
                Err(Error::conflict("session_busy", "The same request was made at the same time. Try again."))
            }
        }
    }

    /// The peer's session, if they have spoken before.
    pub async fn existing_chat_session(&self, user: UserId, peer: &Peer) -> Result<Option<SessionId>> {
        let index = self.peer_index(user, peer);
        let found = self.store().read(move |tx| chat_sessions::find(tx, user, index)).await?;
        Ok(found.filter(|(_, archived)| !archived).map(|(session, _)| session))
    }

    fn peer_index(&self, user: UserId, peer: &Peer) -> PeerIndex {
        let sender = peer.sender.as_deref().unwrap_or_default();
        PeerIndex::new(self.store().vault(), user, &peer.source, sender)
    }

    /// `None` when another request was faster.
    async fn make_chat_session(
        &self,
        user: UserId,
        peer: &Peer,
        index: PeerIndex,
        before: Option<SessionId>,
    ) -> Result<Option<SessionId>> {
        self.check_open()?;
        let agent = self.agent_by_name(user, Agent::MAIN.to_owned()).await?;
        let session: Session = self.blank_session(user, agent.id, Some(peer.name()));
        let key = self.store().data_key(user).await?;
        let engine = self.clone();
        self.undisturbed(async move {
            let id = session.id;
            let write = move |tx: &mut Tx| {
                rows::create(tx, &key, &session)?;
                match chat_sessions::claim(tx, user, index, id, before)? {
                    true => Ok(()),
                    // Takes the new session back, too.
                    false => Err(PeerRefusal::Taken),
                }
            };
            match engine.store().attempt(write).await {
                Ok(()) => {
                    engine.hint_session(user, id, SessionNews::Created);
                    Ok(Some(id))
                }
                Err(PeerRefusal::Taken) => Ok(None),
                Err(PeerRefusal::Store(error)) => Err(error.into()),
            }
        })
        .await
    }
}

/// Why a session did not become a peer's.
#[derive(Debug, thiserror::Error)]
enum PeerRefusal {
    /// Another one became it.
    #[error("the peer has a session already")]
    Taken,
    #[error(transparent)]
    Store(#[from] store::Error),
}
