//! Sessions: named, put away and looked into. How one begins is in [`super::create`].

use crate::{
    agents::{check_name, handler::Handler},
    bus::node_note::SessionNews,
    engine::Engine,
    error::{Error, Result},
    reply::elements,
    sessions::{folders::unknown_folder, message_order::in_order},
};
use domain::{Call, Change, EventBody, FolderId, Message, Session, SessionId, Timestamp, TurnId, UserId};
use people::Principal;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{
    Conflict, DataKey, Page, Paged, Tx,
    log::{self, Entry},
    messages::MessagePage,
    sessions::{self as rows, SessionFilter},
    turns,
};

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
    /// False: your agent is told nothing of what it remembers of you, and writes nothing down, from the next message on.
    pub memory: Option<bool>,
    /// True: it stands above the others.
    pub pinned: Option<bool>,
    /// The folder it is in; null takes it out.
    pub folder_id: Change<FolderId>,
}

impl Engine {
    pub async fn sessions(&self, user: UserId, filter: SessionFilter, page: Page) -> Result<Paged<Session>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx| rows::list(tx, &key, user, filter, page)).await?)
    }

    pub async fn change_session(
        &self,
        who: &Principal,
        id: SessionId,
        change: SessionChange,
    ) -> Result<Session> {
        let session = self.session(who.user_id, id).await?;
        if change.own_files == Some(true) && !session.own_files {
            // THREAT[label-04] A program that does what a page says would have what others add count as its person's.
            who.check_no_program()?;
        }
        self.change_checked(who.user_id, session, change).await
    }

    /// For callers that were already asked whether they may call the files their own.
    pub(super) async fn change_checked(
        &self,
        user: UserId,
        session: Session,
        change: SessionChange,
    ) -> Result<Session> {
        let id = session.id;
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
        if let Some(memory) = change.memory.filter(|memory| *memory != session.memory) {
            changed.insert("memory".to_owned(), json!(memory));
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
                    engine.hint_session(user, id, SessionNews::Deleted);
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
        if let Some(memory) = fields.memory {
            rows::set_memory(tx, user, id, memory)?;
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

pub(super) fn check_handler(handler: &str) -> Result<()> {
    match Handler::of(handler) {
        Some(_) => Ok(()),
        None => Err(Error::invalid("unknown_handler", Handler::unknown(handler))),
    }
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
