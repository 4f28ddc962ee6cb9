//! A new session that begins with what another one has said so far.

use crate::{
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
    load_session::{agent_gone, not_shared},
};
use domain::{
    Agent, AgentStatus, CallId, EventBody, Keeping, Label, Message, MessageId, Narrowing, Role, Session,
    SessionId, SessionKind, SessionStatus, TurnId, UploadId, Usage, UserId,
};
use prompt::provenance_label::Declared;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use store::{
    DataKey, Tx,
    compactions::{self, Compaction},
    idempotency::Keyed,
    log::Entry,
    messages,
    session_files::Copied,
    sessions::{self, Departure, Staffed},
};

/// A longer beginning is refused.
const MESSAGES: u64 = 10_000;
const BYTES: u64 = 32 << 20;
const NAME_CHARS: usize = 200;
const SUFFIX: &str = " (copy)";

/// Where to fork.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fork {
    /// The last event whose message is taken over; absent means all there are.
    pub after_seq: Option<u64>,
}

/// Everything that is written, worked out before anything is.
pub(crate) struct Copy {
    pub(crate) session: Session,
    pub(crate) entries: Vec<Entry>,
    /// Of their beginning.
    pub(crate) summary: Option<Compaction>,
    /// Each with where it comes from.
    pub(crate) uploads: Vec<(UploadId, Label)>,
    pub(crate) files: Option<Copied>,
    pub(crate) keyed: Option<Keyed>,
    /// Where it is another version of the same conversation.
    pub(crate) departure: Option<(SessionId, Departure)>,
}

impl Engine {
    /// Copies a session up to a message, with its files as they are now. No call is taken over without its result: a message whose calls are not all
    /// settled by then is left out, with everything behind it.
    pub async fn fork_session(
        &self,
        user: UserId,
        id: SessionId,
        fork: Fork,
        idempotency_key: Option<String>,
    ) -> Result<Session> {
        idempotency_key::check_key(idempotency_key.as_deref())?;
        let key = self.store().data_key(user).await?;
        let (agent, copy) = self.prepare_fork(user, &key, id, fork, idempotency_key).await?;
        if agent.status == AgentStatus::Archived {
            let detail = "This agent is archived. Restore it to talk to it.";
            return Err(Error::conflict("agent_archived", detail));
        }
        let engine = self.clone();
        let made = self.undisturbed(async move { engine.write_fork(user, key, copy).await }).await?;
        self.session(user, made).await
    }

    pub(crate) async fn prepare_fork(
        &self,
        user: UserId,
        key: &DataKey,
        id: SessionId,
        fork: Fork,
        idempotency_key: Option<String>,
    ) -> Result<(Agent, Copy)> {
        let (reading, store) = (key.clone(), self.store().clone());
        let read = move |tx: &mut Tx| {
            let found = sessions::with_agent(tx, store.vault(), &reading, user, id)?;
            let Some(parent) = found else { return Ok(None) };
            let up_to = fork.after_seq.unwrap_or(parent.session.last_seq);
            let (count, bytes) = messages::extent(tx, id, up_to)?;
            let fits = count <= MESSAGES && bytes <= BYTES;
            let said = if fits { messages::up_to(tx, &reading, id, up_to)? } else { Vec::new() };
            let said = whole_calls(said);
            // A summary of more than is taken over would tell of what has not happened yet.
            let summary = match said.last() {
                Some(last) => compactions::before(tx, &reading, id, last.seq)?,
                None => None,
            };
            Ok(Some((parent, said, summary, fits)))
        };
        let found = self.store().read(read).await?;
        let Some((Staffed { session: parent, agent, usable }, said, summary, fits)) = found else {
            self.session(user, id).await?;
            return Err(agent_gone());
        };
        if parent.keeping.delete_at.is_some() {
            return Err(Error::NotFound("session"));
        }
        if !usable {
            return Err(not_shared());
        }
        if fork.after_seq.is_some_and(|seq| seq > parent.last_seq) {
            let detail = "after_seq is after the newest event of this conversation.";
            return Err(Error::invalid("bad_after_seq", detail));
        }
        if !fits {
            return Err(too_long());
        }
        let summarised = summary.as_ref().map_or(0, |summary| up_to(&said, summary.up_to_seq));
        let declared = Declared::of(&parent);
        let said: Vec<Message> = said.into_iter().map(|message| as_declared(message, declared)).collect();
        let mut copy = self.copy(&parent, &agent, said, idempotency_key, fork);
        copy.summary = summary.map(|mut summary| {
            summary.label = declared.label(summary.label, summary.up_to_seq);
            renumbered(summary, &copy.entries, summarised)
        });
        let (reading, to) = (key.clone(), copy.session.id);
        let read = move |tx: &mut Tx| Copied::read(tx, &reading, id, to);
        let files = self.store().read(read).await.map_err(|error| match error {
            store::Error::NotFound => Error::NotFound("session"),
            other => other.into(),
        })?;
        copy.session.label = copy.session.label.join(files.label());
        copy.files = Some(files);
        Ok((agent, copy))
    }

    fn copy(
        &self,
        parent: &Session,
        agent: &Agent,
        said: Vec<Message>,
        idempotency_key: Option<String>,
        fork: Fork,
    ) -> Copy {
        let now = self.now();
        let id = SessionId::from_uuid(self.inner.ids.uuid());
        let uploads =
            said.iter().flat_map(|message| message.uploads().map(|id| (id, message.label))).collect();
        let message_count = said.len() as u64;
        let narrowing = parent.narrowing.clone().map(|narrowing| declared_narrowing(*narrowing, parent));
        let told = narrowing.as_ref().map_or(Label::TRUSTED_PRIVATE, |narrowing| narrowing.label);
        let label = Label::worst(said.iter().map(|message| message.label)).join(told);
        // THREAT[label-06] A title is made of what was said, also of what is not taken over.
        let name = parent.name.as_deref().filter(|_| label.is_untrusted() || !parent.label.is_untrusted());
        let entries = self.entries(agent, said);
        let last_seq = entries.len() as u64;
        let keyed = idempotency_key.map(|key| Keyed {
            user_id: parent.user_id,
            resource: format!("fork {}", parent.id),
            key,
            body: format!("{:?}", fork.after_seq).into_bytes(),
            made: id.to_string(),
            at: now,
        });
        let session = Session {
            id,
            user_id: parent.user_id,
            name: name.map(fork_name),
            agent_id: parent.agent_id,
            handler: parent.handler.clone(),
            model: parent.model.clone(),
            status: SessionStatus::Idle,
            archived: false,
            kind: SessionKind::Own,
            parent_id: Some(parent.id),
            // A copy of a subagent's session is not more than it was.
            narrowing,
            message_count,
            last_seq,
            read_seq: last_seq,
            last_message: None,
            // What was said was paid for where it was said.
            usage: Usage::ZERO,
            label,
            trusted_seq: 0,
            doubted_seq: 0,
            // The person who said so said it of another conversation.
            own_files: false,
            memory: parent.memory,
            // In the same folder, so that its agent is told the same.
            keeping: Keeping { folder_id: parent.keeping.folder_id, ..Keeping::default() },
            created_at: now,
            updated_at: now,
        };
        Copy { session, entries, summary: None, uploads, files: None, keyed, departure: None }
    }

    /// The log of the new session: the messages with new ids, each opened and its calls named as in any other log.
    /// Call ids stay: a result finds its call by them.
    fn entries(&self, agent: &Agent, said: Vec<Message>) -> Vec<Entry> {
        let mut turns: HashMap<TurnId, TurnId> = HashMap::new();
        let mut entries = Vec::with_capacity(said.len());
        for mut message in said {
            let fresh = || TurnId::from_uuid(self.inner.ids.uuid());
            message.turn_id = *turns.entry(message.turn_id).or_insert_with(fresh);
            message.id = MessageId::from_uuid(self.inner.ids.uuid());
            let (turn_id, message_id) = (Some(message.turn_id), message.id);
            if message.role != Role::Assistant {
                entries.push(Entry::Message(message));
                continue;
            }
            let (agent_id, agent_name) = (agent.id, agent.name.clone());
            let body = EventBody::MessageStart { message_id, agent_id, agent_name };
            entries.push(Entry::Event { turn_id, body });
            let calls: Vec<EventBody> =
                message.parts.iter().filter_map(|part| started(message_id, part)).collect();
            entries.push(Entry::Message(message));
            entries.extend(calls.into_iter().map(|body| Entry::Event { turn_id, body }));
        }
        entries
    }
}

/// How many of these messages there are up to this place.
fn up_to(said: &[Message], seq: u64) -> usize {
    said.iter().filter(|message| message.seq <= seq).count()
}

/// The first summary of the new session: of as many messages, which have other numbers there.
fn renumbered(summary: Compaction, entries: &[Entry], messages: usize) -> Compaction {
    let numbered = (1..).zip(entries).filter(|(_, entry)| matches!(entry, Entry::Message(_)));
    let up_to_seq = numbered.take(messages).last().map_or(0, |(seq, _)| seq);
    Compaction { generation: 1, up_to_seq, ..summary }
}

fn started(message_id: MessageId, part: &domain::Part) -> Option<EventBody> {
    let domain::Part::Call { call_id, name, arguments, origin, element_id, .. } = part else { return None };
    Some(EventBody::ToolUseStart {
        message_id,
        call_id: *call_id,
        name: name.clone(),
        origin: *origin,
        element_id: element_id.clone(),
        arguments: arguments.clone(),
        offset: None,
    })
}

/// What its person has declared trusted is so in the copy, which has numbers of its own.
fn as_declared(mut message: Message, declared: Declared) -> Message {
    message.label = declared.message(&message);
    message
}

/// A copy of a subagent's session begins with what its maker wrote, and that has the label of what its maker had read.
fn declared_narrowing(narrowing: Narrowing, parent: &Session) -> Box<Narrowing> {
    let label = Declared::of(parent).beginning(narrowing.label);
    Box::new(Narrowing { label, ..narrowing })
}

/// The messages before the first one that has a call without a result.
fn whole_calls(mut said: Vec<Message>) -> Vec<Message> {
    let settled: HashSet<CallId> = said.iter().flat_map(Message::results).map(|(id, _)| *id).collect();
    let split = |message: &Message| message.calls().any(|(id, ..)| !settled.contains(id));
    if let Some(first) = said.iter().position(split) {
        said.truncate(first);
    }
    said
}

/// Named after the parent, and a fork of a fork after the same.
fn fork_name(name: &str) -> String {
    let base = name.strip_suffix(SUFFIX).unwrap_or(name);
    let room = NAME_CHARS.saturating_sub(SUFFIX.chars().count());
    let base: String = base.chars().take(room).collect();
    format!("{}{SUFFIX}", base.trim_end())
}

fn too_long() -> Error {
    let bytes = domain::size_words(BYTES);
    let detail =
        format!("This conversation is too long to copy. The limit is {MESSAGES} messages and {bytes}.");
    Error::TooLarge(detail)
}

#[cfg(test)]
#[path = "fork_tests.rs"]
mod tests;
