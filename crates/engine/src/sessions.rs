//! Sessions: made, named, put away, stopped and run once more.

use crate::{
    agents::check_name,
    change::Change,
    commit::Starter,
    engine::Engine,
    error::{Error, Result},
    reader::{Reader, Start, TurnFilter},
    record::Record,
};
use domain::{
    AgentId, AgentStatus, Call, Cursor, Event, EventBody, Label, Message, Session, SessionId, SessionStatus,
    Timestamp, TurnId, TurnOutcome, TurnStatus, Usage, UserId,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use store::{
    DataKey, Page, Paged, Tx, log,
    log::{Entry, EventFilter},
    messages::MessagePage,
    sessions as rows,
    sessions::{Active, SessionFilter},
    turns,
};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    pub agent_id: AgentId,
    #[serde(default)]
    pub name: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionChange {
    pub name: Change<String>,
    pub read_seq: Option<u64>,
}

impl Engine {
    pub async fn create_session(&self, user: UserId, new: NewSession) -> Result<Session> {
        self.check_open()?;
        if let Some(name) = &new.name {
            check_name(name, "a session's name")?;
        }
        let agent = self.agent(user, new.agent_id).await.map_err(|error| match error {
            // An id in a body is the caller's mistake, and a foreign one looks like one that does not exist.
            Error::NotFound(_) => Error::invalid("unknown_agent", "agent_id: there is no such agent"),
            other => other,
        })?;
        if agent.status == AgentStatus::Archived {
            return Err(Error::conflict(
                "agent_archived",
                "this agent is archived; activate it to talk to it",
            ));
        }
        let now = self.now();
        let session = Session {
            id: SessionId::from_uuid(self.inner.ids.uuid()),
            user_id: user,
            name: new.name,
            agent_id: agent.id,
            status: SessionStatus::Idle,
            archived: false,
            parent_id: None,
            message_count: 0,
            last_seq: 0,
            read_seq: 0,
            last_message: None,
            usage: Usage::ZERO,
            label: Label::TRUSTED_PUBLIC,
            created_at: now,
            updated_at: now,
        };
        let key = self.store().data_key(user).await?;
        let saved = session.clone();
        self.store().write(async move |tx| rows::create(tx, &key, &saved).await).await?;
        Ok(session)
    }

    pub async fn session(&self, user: UserId, id: SessionId) -> Result<Session> {
        let key = self.store().data_key(user).await?;
        let read = async move |tx: &mut Tx| rows::get(tx, &key, user, id).await;
        self.store().read(read).await?.ok_or(Error::NotFound("session"))
    }

    pub async fn sessions(&self, user: UserId, filter: SessionFilter, page: Page) -> Result<Paged<Session>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(async move |tx| rows::list(tx, &key, user, filter, page).await).await?)
    }

    pub async fn change_session(
        &self,
        user: UserId,
        id: SessionId,
        change: SessionChange,
    ) -> Result<Session> {
        let session = self.session(user, id).await?;
        if let Change::Set(name) = &change.name {
            check_name(name, "a session's name")?;
        }
        if change.read_seq.is_some_and(|seq| seq > session.last_seq) {
            return Err(Error::invalid(
                "bad_read_seq",
                "read_seq is beyond the newest event of this session",
            ));
        }
        let mut changed = Map::new();
        match &change.name {
            Change::Keep => {}
            Change::Reset => drop(changed.insert("name".to_owned(), Value::Null)),
            Change::Set(name) => drop(changed.insert("name".to_owned(), json!(name))),
        }
        if let Some(seq) = change.read_seq {
            changed.insert("read_seq".to_owned(), json!(seq));
        }
        if changed.is_empty() {
            return Ok(session);
        }
        self.update(user, id, Value::Object(changed), Edit::Fields(change)).await?;
        self.session(user, id).await
    }

    pub async fn archive_session(&self, user: UserId, id: SessionId, archived: bool) -> Result<Session> {
        self.session(user, id).await?;
        let done = self.update(user, id, json!({ "archived": archived }), Edit::Archived(archived)).await;
        done.map_err(busy)?;
        self.session(user, id).await
    }

    pub async fn delete_session(&self, user: UserId, id: SessionId) -> Result<()> {
        match self.store().write(async move |tx| rows::delete(tx, user, id).await).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::NotFound("session")),
            Err(error) => Err(busy(error.into())),
        }
    }

    /// Changes a session and says so in its log, in one transaction.
    async fn update(&self, user: UserId, id: SessionId, what: Value, edit: Edit) -> Result<()> {
        let (key, now) = (self.store().data_key(user).await?, self.now());
        let write = async move |tx: &mut Tx| {
            edit.write(tx, &key, user, id, now).await?;
            let last_seq = rows::take_seq(tx, user, id, 1, now).await?;
            let entry = Entry::Event { turn_id: None, body: EventBody::SessionUpdated(what) };
            log::append(tx, &key, id, user, last_seq, now, vec![entry]).await
        };
        let events = self.store().write(write).await?;
        self.publish(id, &events);
        Ok(())
    }

    pub(crate) fn publish(&self, session: SessionId, events: &[Event]) {
        if let Some(feed) = self.inner.feeds.existing(session) {
            feed.publish(events);
        }
    }

    /// Stops the running turn, durably. `None` when nothing runs.
    pub async fn abort(&self, user: UserId, id: SessionId) -> Result<Option<TurnId>> {
        self.session(user, id).await?;
        let now = self.now();
        let cancel = async move |tx: &mut Tx| turns::request_cancel(tx, id, user, now).await;
        let turn = self.store().write(cancel).await?;
        if let Some(turn) = turn {
            self.signal_stop(turn);
        }
        Ok(turn)
    }

    /// Runs the newest turn once more if it failed, from the transcript it has. Returns the turn and where to follow.
    pub async fn retry(&self, user: UserId, id: SessionId) -> Result<(TurnId, u64)> {
        self.check_open()?;
        let session = self.session(user, id).await?;
        if session.archived {
            return Err(Error::conflict(
                "session_archived",
                "this session is archived; unarchive it to go on",
            ));
        }
        let (engine, key, now) = (self.clone(), self.store().data_key(user).await?, self.now());
        let start = async move |tx: &mut Tx| {
            let Some(turn) = turns::latest(tx, &key, id).await? else { return Ok(None) };
            let failed = matches!(turn.outcome, Some(TurnOutcome::Failed | TurnOutcome::Limit));
            if turn.status != TurnStatus::Ended || !failed {
                return Ok(None);
            }
            let found = rows::with_agent(tx, &key, user, id).await?;
            let (session, agent) = found.ok_or(store::Error::NotFound)?;
            let record = turn.state.as_deref().and_then(|bytes| Record::from_bytes(bytes).ok());
            let mut state = record.map_or_else(|| engine.new_state(&agent), |record| record.state);
            state.limits = agent.limits;
            let starter = Starter { engine: &engine, key: &key, session_id: id, now };
            starter.start(tx, session, agent, turn, None, state, Active::Again).await.map(Some)
        };
        let started = match self.store().write(start).await {
            Err(store::Error::Conflict(_)) => None,
            other => other?,
        };
        let Some((claimed, events)) = started else {
            return Err(Error::conflict("nothing_to_retry", "the last turn of this session did not fail"));
        };
        let turn = claimed.turn_id;
        self.run_turn(claimed, &events);
        Ok((turn, events.first().map_or(0, |event| event.seq.saturating_sub(1))))
    }

    pub async fn messages(&self, user: UserId, id: SessionId, page: MessagePage) -> Result<Paged<Message>> {
        self.session(user, id).await?;
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(async move |tx| store::messages::page(tx, &key, id, page).await).await?)
    }

    pub async fn events(
        &self,
        user: UserId,
        id: SessionId,
        after: u64,
        limit: u32,
        filter: EventFilter,
    ) -> Result<Vec<Event>> {
        let session = self.session(user, id).await?;
        if after > session.last_seq {
            return Err(Error::bad_cursor());
        }
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(async move |tx| log::read(tx, &key, id, after, limit, filter).await).await?)
    }

    /// The calls of a turn, in order, with what came of them.
    pub async fn calls(&self, user: UserId, turn: TurnId) -> Result<Vec<Call>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(async move |tx| store::calls::listed(tx, &key, turn).await).await?)
    }

    /// Follows a session.
    pub async fn follow(&self, user: UserId, id: SessionId, start: Start) -> Result<Reader> {
        // The feed is held before the log is asked, so nothing can happen between the two unseen.
        let feed = self.inner.feeds.get(id);
        let changed = feed.subscribe();
        let session = self.session(user, id).await?;
        let cursor = match start {
            Start::Now => Cursor { seq: session.last_seq, offset: 0 },
            Start::After(cursor) if cursor.seq > session.last_seq => return Err(Error::bad_cursor()),
            Start::After(cursor) => cursor,
        };
        let open_length = feed
            .lock()
            .open()
            .filter(|open| cursor.seq >= open.since)
            .map(|open| open.after(cursor.offset).map(|_| ()));
        if open_length == Some(None) {
            return Err(Error::bad_cursor());
        }
        Ok(Reader {
            store: self.store().clone(),
            key: self.store().data_key(user).await?,
            session_id: id,
            feed,
            changed,
            clock: self.inner.clock.clone(),
            cursor,
            known: session.last_seq,
            turn: None,
            ready: VecDeque::new(),
            finished: false,
        })
    }

    /// Follows one turn to its end.
    pub async fn follow_turn(
        &self,
        user: UserId,
        id: SessionId,
        turn_id: TurnId,
        after: u64,
    ) -> Result<Reader> {
        let mut reader = self.follow(user, id, Start::After(Cursor { seq: after, offset: 0 })).await?;
        reader.turn = Some(TurnFilter { turn_id, attempt: 0 });
        Ok(reader)
    }
}

/// What a person changes about a session.
enum Edit {
    Fields(SessionChange),
    Archived(bool),
}

impl Edit {
    async fn write(
        self,
        tx: &mut Tx,
        key: &DataKey,
        user: UserId,
        id: SessionId,
        now: Timestamp,
    ) -> store::Result<()> {
        let fields = match self {
            Self::Archived(archived) => {
                return rows::set_archived(tx, user, id, archived, now).await.map(drop);
            }
            Self::Fields(fields) => fields,
        };
        match fields.name {
            Change::Keep => {}
            Change::Reset => drop(rows::rename(tx, key, user, id, None, now).await?),
            Change::Set(name) => drop(rows::rename(tx, key, user, id, Some(&name), now).await?),
        }
        if let Some(seq) = fields.read_seq {
            rows::set_read_seq(tx, user, id, seq).await?;
        }
        Ok(())
    }
}

fn busy(error: Error) -> Error {
    match error {
        Error::Store(store::Error::Conflict(_)) => {
            Error::conflict("session_busy", "a turn is running in this session; stop it or wait for its end")
        }
        other => other,
    }
}
