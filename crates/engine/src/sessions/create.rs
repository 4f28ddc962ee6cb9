//! How a session begins.

use super::sessions::check_handler;
use crate::{
    agents::{check_name, offers::not_accepted},
    bus::node_note::SessionNews,
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
    sessions::folders::unknown_folder,
};
use domain::{AgentId, AgentStatus, FolderId, Session, SessionId, UserId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{
    Tx, folders,
    idempotency::{self, KeyUse, Keyed},
    sessions as rows,
};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    pub agent_id: AgentId,
    #[serde(default)]
    pub name: Option<String>,
    /// Runs its turns instead of the agent's handler.
    #[serde(default)]
    pub handler: Option<String>,
    /// The model that answers in it, instead of the agent's. For your own agents only.
    #[serde(default)]
    pub model: Option<String>,
    /// The folder it is in.
    #[serde(default)]
    pub folder_id: Option<FolderId>,
    /// True: you wrote the files, pictures and long texts that you add. Absent: others did.
    #[serde(default)]
    pub own_files: bool,
    /// False: your agent is told nothing of what it remembers of you, and writes nothing down.
    #[serde(default = "yes")]
    pub memory: bool,
    /// True: it is in no list and in no search, for instance to try an agent. Delete it when it is no longer needed.
    #[serde(default)]
    pub hidden: bool,
}

impl NewSession {
    /// With this agent, and nothing else said of it.
    pub fn with(agent_id: AgentId) -> Self {
        Self {
            agent_id,
            name: None,
            handler: None,
            model: None,
            folder_id: None,
            own_files: false,
            memory: true,
            hidden: false,
        }
    }

    /// What a repeated key is compared by.
    fn body(&self) -> Vec<u8> {
        let Self { agent_id, name, handler, model, folder_id, own_files, memory, hidden } = self;
        let handler = handler.as_ref().map_or_else(String::new, |handler| format!(" {handler:?}"));
        let model = model.as_ref().map_or_else(String::new, |model| format!(" model {model:?}"));
        let folder = folder_id.map_or_else(String::new, |folder| format!(" in {folder}"));
        let own = if *own_files { " own" } else { "" };
        let hidden = if *hidden { " hidden" } else { "" };
        let memory = if *memory { "" } else { " without memory" };
        format!("{agent_id} {name:?}{handler}{model}{folder}{own}{memory}{hidden}").into_bytes()
    }
}

const fn yes() -> bool {
    true
}

/// Why a session was not stored.
#[derive(Debug, thiserror::Error)]
enum SessionRefusal {
    #[error("this person has no such folder")]
    Folder,
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// What a request for a session came to.
enum CreatedSession {
    New(Box<Session>),
    /// Its key had been used for the same.
    Before(SessionId),
}

impl Engine {
    pub async fn create_session(&self, user: UserId, new: NewSession) -> Result<Session> {
        self.create_session_once(user, new, None).await
    }

    /// A repeated key finds the session that the first one made.
    pub async fn create_session_once(
        &self,
        user: UserId,
        new: NewSession,
        idempotency_key: Option<String>,
    ) -> Result<Session> {
        self.check_open()?;
        idempotency_key::check_key(idempotency_key.as_deref())?;
        if let Some(name) = &new.name {
            check_name(name, "The name of a conversation")?;
        }
        if let Some(handler) = &new.handler {
            check_handler(handler)?;
        }
        let agent = self.agent(user, new.agent_id).await.map_err(|error| match error {
            // An id in a body is the caller's mistake, and a foreign one looks like one that does not exist.
            Error::NotFound(_) => unknown_agent(),
            other => other,
        })?;
        if agent.status == AgentStatus::Archived {
            return Err(Error::conflict(
                "agent_archived",
                "This agent is archived. Restore it to talk to it.",
            ));
        }
        if let Some(model) = &new.model {
            self.keep_up_with(&agent).await?;
            self.check_chosen_model(user, &agent, model)?;
        }
        let body = new.body();
        let mut session = self.blank_session(user, agent.id, new.name);
        session.handler = new.handler;
        session.model = new.model;
        session.own_files = new.own_files;
        session.memory = new.memory;
        session.keeping.hidden = new.hidden;
        session.keeping.folder_id = new.folder_id;
        let keyed = idempotency_key.map(|key| Keyed {
            user_id: user,
            resource: "session".to_owned(),
            key,
            body,
            made: session.id.to_string(),
            at: session.created_at,
        });
        let engine = self.clone();
        let made = self.undisturbed(async move { engine.write_session(session, keyed).await }).await;
        let made = match made {
            Err(Error::Invalid { code: "unknown_agent", .. })
                if self.is_offered(user, new.agent_id).await? =>
            {
                return Err(not_accepted());
            }
            other => other?,
        };
        match made {
            CreatedSession::New(session) => Ok(*session),
            CreatedSession::Before(id) => self.session(user, id).await,
        }
    }

    async fn write_session(&self, session: Session, keyed: Option<Keyed>) -> Result<CreatedSession> {
        let key = self.store().data_key(session.user_id).await?;
        let (saved, engine) = (session.clone(), self.clone());
        let write = move |tx: &mut Tx| {
            if let Some(keyed) = &keyed {
                match idempotency::note(tx, engine.store().vault(), keyed)? {
                    KeyUse::First => {}
                    repeat => return Ok(repeat),
                }
            }
            if let Some(folder) = saved.keeping.folder_id
                && !folders::hold(tx, saved.user_id, folder)?
            {
                return Err(SessionRefusal::Folder);
            }
            rows::create(tx, &key, &saved)?;
            Ok(KeyUse::First)
        };
        let noted = self.store().attempt(write).await.map_err(|refusal| match refusal {
            SessionRefusal::Folder => unknown_folder(),
            SessionRefusal::Store(store::Error::Constraint(_)) => unknown_agent(),
            SessionRefusal::Store(other) => other.into(),
        })?;
        if let Some(before) = idempotency_key::made(noted)? {
            return Ok(CreatedSession::Before(before));
        }
        self.hint_session(session.user_id, session.id, SessionNews::Created);
        Ok(CreatedSession::New(Box::new(session)))
    }
}

fn unknown_agent() -> Error {
    Error::invalid("unknown_agent", "agent_id: There is no such agent.")
}
