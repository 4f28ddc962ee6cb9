//! Loads a session for the person who has it, and makes blank ones.

use crate::{
    engine::Engine,
    error::{Error, Result},
    wording,
};
use domain::{Agent, AgentId, Keeping, Label, Session, SessionId, SessionKind, SessionStatus, Usage, UserId};
use store::{
    Tx,
    sessions::{self, Staffed},
};

impl Engine {
    pub async fn session(&self, user: UserId, id: SessionId) -> Result<Session> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| sessions::get(tx, &key, user, id);
        self.store().glance(read).await?.ok_or(Error::NotFound("session"))
    }

    /// How far the log of a session has come.
    pub async fn newest_seq(&self, user: UserId, id: SessionId) -> Result<u64> {
        let read = move |tx: &mut Tx| sessions::reach(tx, user, id);
        self.store().glance(read).await?.ok_or(Error::NotFound("session"))
    }

    /// A session that can go on, with the agent it is with.
    pub(crate) async fn staffed(&self, user: UserId, id: SessionId) -> Result<(Session, Agent)> {
        let (key, store) = (self.store().data_key(user).await?, self.store().clone());
        let read = move |tx: &mut Tx| sessions::with_agent(tx, store.vault(), &key, user, id);
        let Some(found) = self.store().glance(read).await? else {
            self.session(user, id).await?;
            return Err(agent_gone());
        };
        let Staffed { session, agent, usable } = found;
        if session.keeping.delete_at.is_some() {
            return Err(Error::NotFound("session"));
        }
        if session.archived {
            return Err(Error::conflict(
                "session_archived",
                "This conversation is archived. Restore it to continue.",
            ));
        }
        if !usable {
            return Err(not_shared());
        }
        Ok((session, agent))
    }

    /// A session in which nothing was said.
    pub(crate) fn blank_session(&self, user_id: UserId, agent_id: AgentId, name: Option<String>) -> Session {
        let now = self.now();
        Session {
            id: SessionId::from_uuid(self.inner.ids.uuid()),
            user_id,
            name,
            agent_id,
            handler: None,
            model: None,
            status: SessionStatus::Idle,
            archived: false,
            kind: SessionKind::Own,
            parent_id: None,
            narrowing: None,
            message_count: 0,
            last_seq: 0,
            read_seq: 0,
            last_message: None,
            usage: Usage::ZERO,
            label: Label::TRUSTED_PRIVATE,
            trusted_seq: 0,
            doubted_seq: 0,
            own_files: false,
            memory: true,
            keeping: Keeping::default(),
            created_at: now,
            updated_at: now,
        }
    }
}

pub(crate) fn agent_gone() -> Error {
    Error::conflict(
        "agent_gone",
        "The agent of this conversation no longer exists. Start a new conversation.",
    )
}

pub(crate) fn not_shared() -> Error {
    Error::conflict("agent_not_shared", wording::NOT_SHARED)
}
