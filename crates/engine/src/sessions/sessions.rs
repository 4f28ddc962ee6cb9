//! Sessions: made, named, put away and looked into.

use crate::{
    agents::{check_name, handler::Handler, offers::not_accepted},
    engine::Engine,
    error::{Error, Result},
    follow::hints::{Hints, What},
    idempotency_key,
    reply::elements,
    sessions::{keep::unknown_folder, message_order::in_order},
};
use domain::{
    AgentId, AgentStatus, Call, Change, EventBody, FolderId, Message, Session, SessionId, Timestamp, TurnId,
    UserId,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{
    Conflict, DataKey, Page, Paged, Tx, folders,
    idempotency::{self, KeyUse, Keyed},
    log::{self, Entry},
    messages::MessagePage,
    sessions::{self as rows, SessionFilter},
    turns,
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
            hidden: false,
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionChange {
    pub name: Change<String>,
    /// Null gives its turns back to the agent's handler.
    pub handler: Change<String>,
    /// The model that answers from the next turn on. For your own agents only. Null: the agent's again.
    pub model: Change<String>,
    pub read_seq: Option<u64>,
    /// True: you wrote the files, pictures and long texts that you add from now on. False: others did, which is what
    /// counts unless you say something.
    pub own_files: Option<bool>,
    /// True: it stands above the others.
    pub pinned: Option<bool>,
    /// The folder it is in; null takes it out.
    pub folder_id: Change<FolderId>,
}

impl NewSession {
    /// What a repeated key is compared by.
    fn body(&self) -> Vec<u8> {
        let Self { agent_id, name, handler, model, folder_id, own_files, hidden } = self;
        let handler = handler.as_ref().map_or_else(String::new, |handler| format!(" {handler:?}"));
        let model = model.as_ref().map_or_else(String::new, |model| format!(" model {model:?}"));
        let folder = folder_id.map_or_else(String::new, |folder| format!(" in {folder}"));
        let own = if *own_files { " own" } else { "" };
        let hidden = if *hidden { " hidden" } else { "" };
        format!("{agent_id} {name:?}{handler}{model}{folder}{own}{hidden}").into_bytes()
    }
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
                "This agent is archived. Activate it to talk to it.",
            ));
        }
        if let Some(model) = &new.model {
            self.check_chosen_model(user, &agent, model)?;
        }
        let body = new.body();
        let mut session = self.blank_session(user, agent.id, new.name);
        session.handler = new.handler;
        session.model = new.model;
        session.own_files = new.own_files;
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
        self.state::<Hints>().session(session.user_id, session.id, What::Created);
        Ok(CreatedSession::New(Box::new(session)))
    }

    pub async fn sessions(&self, user: UserId, filter: SessionFilter, page: Page) -> Result<Paged<Session>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx| rows::list(tx, &key, user, filter, page)).await?)
    }

    pub async fn change_session(
        &self,
        user: UserId,
        id: SessionId,
        change: SessionChange,
    ) -> Result<Session> {
        let session = self.session(user, id).await?;
        if let Change::Set(name) = &change.name {
            check_name(name, "The name of a conversation")?;
        }
        if let Change::Set(handler) = &change.handler {
            check_handler(handler)?;
        }
        if let Change::Set(model) = &change.model {
            self.check_chosen_model_of(user, session.agent_id, model).await?;
        }
        if change.read_seq.is_some_and(|seq| seq > session.last_seq) {
            return Err(Error::invalid(
                "bad_read_seq",
                "read_seq is after the newest event of this conversation.",
            ));
        }
        let mut changed = Map::new();
        match &change.name {
            Change::Keep => {}
            Change::Reset => drop(changed.insert("name".to_owned(), Value::Null)),
            Change::Set(name) => drop(changed.insert("name".to_owned(), json!(name))),
        }
        match &change.handler {
            Change::Keep => {}
            Change::Reset => drop(changed.insert("handler".to_owned(), Value::Null)),
            Change::Set(handler) => drop(changed.insert("handler".to_owned(), json!(handler))),
        }
        match &change.model {
            Change::Keep => {}
            Change::Reset => drop(changed.insert("model".to_owned(), Value::Null)),
            Change::Set(model) => drop(changed.insert("model".to_owned(), json!(model))),
        }
        if let Some(seq) = change.read_seq {
            changed.insert("read_seq".to_owned(), json!(seq));
        }
        if let Some(own) = change.own_files.filter(|own| *own != session.own_files) {
            changed.insert("own_files".to_owned(), json!(own));
        }
        note_keeping(&mut changed, &session, &change);
        if changed.is_empty() {
            return Ok(session);
        }
        let done = self.update(user, id, Value::Object(changed), Edit::Fields(change)).await;
        done.map_err(|error| match error {
            Error::Store(store::Error::Constraint(_)) => unknown_folder(),
            other => other,
        })?;
        self.session(user, id).await
    }

    pub async fn archive_session(&self, user: UserId, id: SessionId, archived: bool) -> Result<Session> {
        self.session(user, id).await?;
        let done = self.update(user, id, json!({ "archived": archived }), Edit::Archived(archived)).await;
        done.map_err(busy)?;
        self.session(user, id).await
    }

    pub async fn delete_session(&self, user: UserId, id: SessionId) -> Result<()> {
        let engine = self.clone();
        self.undisturbed(async move {
            match engine.store().write(move |tx| rows::delete(tx, user, id)).await {
                Ok(true) => {
                    engine.state::<Hints>().session(user, id, What::Deleted);
                    Ok(())
                }
                Ok(false) => Err(Error::NotFound("session")),
                Err(error) => Err(busy(error.into())),
            }
        })
        .await
    }

    /// Changes a session and says so in its log, in one transaction.
    async fn update(&self, user: UserId, id: SessionId, what: Value, edit: Edit) -> Result<()> {
        let (key, now) = (self.store().data_key(user).await?, self.now());
        let write = move |tx: &mut Tx| {
            let used = edit.is_use().then_some(now);
            edit.write(tx, &key, user, id, now)?;
            let numbers = rows::take_seq(tx, user, id, 1, used)?;
            let entry = Entry::Event { turn_id: None, body: EventBody::SessionUpdated(what) };
            log::append(tx, &key, numbers, now, vec![entry])
        };
        let events = self.store().write(write).await?;
        self.publish(user, id, &events);
        Ok(())
    }

    pub async fn messages(&self, user: UserId, id: SessionId, page: MessagePage) -> Result<Paged<Message>> {
        self.session(user, id).await?;
        let key = self.store().data_key(user).await?;
        let forward = page.after_seq.is_some();
        let page = self.store().read(move |tx| store::messages::page(tx, &key, id, page)).await?;
        let mut page = in_order(page, forward);
        page.items =
            page.items.into_iter().map(|message| elements::once(elements::message(message))).collect();
        Ok(page)
    }

    /// The calls of a turn, in order, with what came of them.
    pub async fn calls(&self, user: UserId, turn: TurnId) -> Result<Vec<Call>> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| match turns::get(tx, &key, user, turn)? {
            Some(_) => store::calls::listed(tx, &key, turn).map(Some),
            None => Ok(None),
        };
        self.store().read(read).await?.ok_or(Error::NotFound("turn"))
    }
}

/// What a person changes about a session.
enum Edit {
    Fields(SessionChange),
    Archived(bool),
}

impl Edit {
    /// A person who only reads does not use a session: it keeps its place in the list.
    fn is_use(&self) -> bool {
        !matches!(
            self,
            Self::Fields(SessionChange {
                name: Change::Keep,
                handler: Change::Keep,
                model: Change::Keep,
                ..
            })
        )
    }

    fn write(
        self,
        tx: &mut Tx,
        key: &DataKey,
        user: UserId,
        id: SessionId,
        now: Timestamp,
    ) -> store::Result<()> {
        let fields = match self {
            Self::Archived(archived) => {
                return rows::set_archived(tx, user, id, archived, now).map(drop);
            }
            Self::Fields(fields) => fields,
        };
        match fields.name {
            Change::Keep => {}
            Change::Reset => drop(rows::rename(tx, key, user, id, None, now)?),
            Change::Set(name) => drop(rows::rename(tx, key, user, id, Some(&name), now)?),
        }
        match fields.handler {
            Change::Keep => {}
            Change::Reset => drop(rows::set_handler(tx, user, id, None, now)?),
            Change::Set(handler) => drop(rows::set_handler(tx, user, id, Some(&handler), now)?),
        }
        match fields.model {
            Change::Keep => {}
            Change::Reset => drop(rows::set_model(tx, user, id, None, now)?),
            Change::Set(model) => drop(rows::set_model(tx, user, id, Some(&model), now)?),
        }
        if let Some(seq) = fields.read_seq {
            rows::set_read_seq(tx, user, id, seq)?;
        }
        if let Some(own) = fields.own_files {
            rows::set_own_files(tx, user, id, own)?;
        }
        if let Some(pinned) = fields.pinned {
            rows::set_pinned(tx, user, id, pinned)?;
        }
        match fields.folder_id {
            Change::Keep => {}
            Change::Reset => drop(rows::move_to(tx, user, id, None)?),
            Change::Set(folder) => drop(rows::move_to(tx, user, id, Some(folder))?),
        }
        Ok(())
    }
}

/// Where it is kept, if that is another place than before.
fn note_keeping(changed: &mut Map<String, Value>, session: &Session, change: &SessionChange) {
    if let Some(pinned) = change.pinned.filter(|pinned| *pinned != session.keeping.pinned) {
        changed.insert("pinned".to_owned(), json!(pinned));
    }
    let folder = match change.folder_id {
        Change::Keep => return,
        Change::Reset => None,
        Change::Set(folder) => Some(folder),
    };
    if folder != session.keeping.folder_id {
        changed.insert("folder_id".to_owned(), json!(folder));
    }
}

fn check_handler(handler: &str) -> Result<()> {
    match Handler::of(handler) {
        Some(_) => Ok(()),
        None => Err(Error::invalid("unknown_handler", Handler::unknown(handler))),
    }
}

fn unknown_agent() -> Error {
    Error::invalid("unknown_agent", "agent_id: There is no such agent.")
}

pub(super) fn busy(error: Error) -> Error {
    match error {
        Error::Store(store::Error::Conflict(Conflict::SessionAtWork)) => Error::conflict(
            "session_busy",
            "A reply is running in this conversation. Stop it, or wait until it has ended.",
        ),
        other => other,
    }
}
