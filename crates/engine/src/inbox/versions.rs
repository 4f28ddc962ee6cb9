//! Versions of a conversation: a person changes what they said, or has it answered once more, in place. Each version is a
//! session that shares its beginning with another one; the lists have one of them, and each message says which others there
//! are in its place.

use crate::{
    bus::node_note::SessionNews,
    claim::{
        input_refusal::InputRefusal,
        new_input::{NewMessage, WordsOrigin},
    },
    engine::Engine,
    error::{Error, Result},
    inbox::accept::{Accepted, Arriving},
    sessions::{
        fork::{Copy, Fork},
        write_fork::CopyOutcome,
    },
};
use domain::{
    Agent, AgentStatus, InputMode, Label, Message, Role, Session, SessionId, Source, UploadId, UserId,
};
use prompt::{input_label::added, provenance_label::Declared};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{
    DataKey, Tx,
    idempotency::Keyed,
    messages,
    sessions::{self as rows, Departure, VersionOf},
    turns,
};

/// More versions of one conversation are not made: each is a whole copy of what was said before.
const MOST: usize = 100;

/// What is to stand in the place of a message.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVersion {
    /// The `seq` of the message of yours that is changed, or answered once more.
    pub seq: u64,
    /// Absent: the same words and files, for another answer.
    #[serde(default)]
    pub content: Option<String>,
    /// The uploads that go with new words; absent: those of the message.
    #[serde(default)]
    pub attachments: Option<Vec<UploadId>>,
    /// You typed the words. Without this, a text of more than 2,000 characters counts as pasted.
    #[serde(default)]
    pub typed: bool,
    /// The model that answers. For your own agents only.
    #[serde(default)]
    pub model: Option<String>,
}

/// The versions at one message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MessageVersions {
    /// The message in the session that was asked about.
    pub seq: u64,
    /// The sessions to open for each version, the oldest first.
    pub sessions: Vec<SessionId>,
    /// Which of them this session is, from 0.
    pub current: usize,
}

impl NewVersion {
    /// Words that are only answered once more are what they were, however short they are and whichever way they come in now.
    /// THREAT[label-10] So are words that their person changed: a letter of others that is cut short, or that its person goes
    /// on writing, is not typed by them, and neither is a file that came before they called files their own.
    fn origin(&self, before: Label, own_files: bool, source: Source) -> WordsOrigin {
        if self.content.is_some() {
            return WordsOrigin::Changed(before);
        }
        let files = self.attachments.as_ref().is_some_and(|files| !files.is_empty());
        let files = files.then(|| added(own_files));
        WordsOrigin::Repeated(Label::worst(source.rules().label.into_iter().chain(files)).join(before))
    }
}

/// A version, worked out; what may refuse it is still to be asked.
struct VersionToWrite {
    /// The session whose message is replaced.
    viewed: SessionId,
    key: DataKey,
    agent: Agent,
    copy: Copy,
    message: NewMessage,
    origin: WordsOrigin,
}

/// Why a version was not made.
#[derive(Debug, thiserror::Error)]
enum VersionRefusal {
    #[error("the conversation has too many versions")]
    TooMany,
    /// Their answers would come where their person does not look any more.
    #[error("messages wait in the session")]
    MessagesWait,
    /// It would go on, spend and ask where its person does not look any more.
    #[error("a reply runs in the version that is shown")]
    ReplyRuns,
    #[error(transparent)]
    Input(#[from] InputRefusal),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl From<VersionRefusal> for Error {
    fn from(refusal: VersionRefusal) -> Self {
        match refusal {
            VersionRefusal::TooMany => {
                let detail = format!(
                    "A conversation can have at most {MOST} versions. Copy it to continue in a new one."
                );
                Self::conflict("too_many_versions", detail)
            }
            VersionRefusal::MessagesWait => Self::conflict(
                "session_busy",
                "Messages wait behind the running reply. Remove them from the queue first, or wait until they are answered.",
            ),
            VersionRefusal::ReplyRuns => Self::conflict(
                "session_busy",
                "A reply is running in the version that you see. Stop it or wait for it, then go to another version.",
            ),
            VersionRefusal::Input(refusal) => refusal.into(),
            VersionRefusal::Store(error) => error.into(),
        }
    }
}

fn check_active(agent: &Agent) -> Result<()> {
    match agent.status {
        AgentStatus::Archived => {
            Err(Error::conflict("agent_archived", "This agent is archived. Restore it to talk to it."))
        }
        _ => Ok(()),
    }
}

/// Whether another version may replace this one in the lists, where there may be as many.
fn check_room(tx: &mut Tx, user: UserId, viewed: SessionId, most: usize) -> Result<(), VersionRefusal> {
    if rows::lock_waiting(tx, user, viewed)? > 0 {
        return Err(VersionRefusal::MessagesWait);
    }
    if rows::versions(tx, user, viewed)?.len() > most { Err(VersionRefusal::TooMany) } else { Ok(()) }
}

impl Engine {
    /// Makes another version of the conversation from a message on, and begins its turn. Gives the session of that version,
    /// which is in the lists from now on instead of this one.
    pub async fn create_version(
        &self,
        user: UserId,
        id: SessionId,
        new: NewVersion,
        source: Source,
        idempotency_key: Option<String>,
    ) -> Result<(Session, Accepted)> {
        let key = self.store().data_key(user).await?;
        self.session(user, id).await?;
        let (reading, seq) = (key.clone(), new.seq);
        let read = move |tx: &mut Tx| {
            let page = messages::MessagePage { before_seq: None, after_seq: seq.checked_sub(1), limit: 1 };
            let found = messages::page(tx, &reading, id, page)?.items.into_iter().find(|one| one.seq == seq);
            let departure = departure(tx, user, id, seq)?;
            Ok((found, departure))
        };
        let (said, departure) = self.store().read(read).await?;
        let said = said.filter(is_plain).ok_or_else(|| {
            Error::invalid("bad_version", "seq: This is not a message that you wrote in this conversation.")
        })?;
        let fork = Fork { after_seq: Some(seq - 1) };
        let (agent, mut copy) = self.prepare_fork(user, &key, id, fork, idempotency_key.clone()).await?;
        copy.keyed = copy.keyed.map(|keyed| Keyed {
            resource: format!("version {id}"),
            body: format!("{:?}", (seq, &new.content, &new.attachments, &new.model)).into_bytes(),
            ..keyed
        });
        let before = self.made_before::<SessionId>(copy.keyed.as_ref()).await?;
        let viewed = self.session(user, id).await?;
        let label = Declared::of(&viewed).message(&said);
        let origin = new.origin(label, viewed.own_files, source);
        let message = NewMessage {
            user_id: user,
            session_id: before.unwrap_or(copy.session.id),
            typed: new.typed,
            attachments: new.attachments.unwrap_or_else(|| said.uploads().collect()),
            content: new.content.unwrap_or(said.content),
            sender: None,
            mode: InputMode::Queue,
            answers: None,
            source,
            model: new.model,
            idempotency_key,
        };
        if before.is_some() {
            return self.version_made_before(message).await;
        }
        crate::inbox::accept::check(&message)?;
        // A name that may be taken over is the same name: it is the same conversation.
        copy.session.name = copy.session.name.and(viewed.name);
        copy.session.parent_id = viewed.parent_id;
        copy.session.keeping.pinned = viewed.keeping.pinned;
        copy.session.own_files = viewed.own_files;
        copy.departure = Some((id, departure));
        let version = VersionToWrite { viewed: id, key, agent, copy, message, origin };
        let engine = self.clone();
        self.undisturbed(async move { Box::pin(engine.write_version(user, version)).await }).await
    }

    /// Checks everything first, and writes the copy, its message and its place in the lists as one: a refusal or a crash
    /// leaves nothing of it.
    async fn write_version(&self, user: UserId, version: VersionToWrite) -> Result<(Session, Accepted)> {
        // Not earlier: the shutdown waits for this task, and nothing may begin after it has waited.
        self.check_takes_work()?;
        let VersionToWrite { viewed, key, mut agent, copy, message, origin } = version;
        check_active(&agent)?;
        if let Some(model) = &message.model {
            self.check_chosen_model(user, &agent, model)?;
            agent.model.clone_from(&message.model);
        }
        let attachments = self.check_attachments(user, &key, &agent, &message.attachments).await?;
        self.store().attempt(move |tx: &mut Tx| check_room(tx, user, viewed, MOST - 1)).await?;
        let (made, repeat, now) = (copy.session.id, message.clone(), self.now());
        let sealing = key.clone();
        let session = copy.session.clone();
        let prepared = self.prepared(key.clone(), session, agent, message, attachments, origin)?;
        let arriving = Arriving::of(&prepared);
        let finish = move |tx: &mut Tx| {
            check_room(tx, user, viewed, MOST)?;
            // What would go on unseen is stopped: it would spend, and ask.
            let stopped = turns::request_cancel(tx, viewed, user, now)?;
            let outcome = prepared.store(tx)?;
            rows::show_version(tx, &sealing, user, made)?;
            Ok::<_, VersionRefusal>((outcome, stopped))
        };
        let (outcome, stopped) = match self.write_copy(user, key, copy, finish).await? {
            CopyOutcome::Made(made) => made,
            CopyOutcome::Before(made) => {
                drop(arriving);
                return self.version_made_before(NewMessage { session_id: made, ..repeat }).await;
            }
        };
        let accepted = self.go_on_with(arriving, outcome).await?;
        self.tell_versions(user, made).await?;
        if let Some(turn) = stopped {
            self.carry_out_stop(turn).await?;
        }
        Ok((self.session(user, made).await?, accepted))
    }

    /// The key was used before: what it made then.
    async fn version_made_before(&self, message: NewMessage) -> Result<(Session, Accepted)> {
        let (user, made) = (message.user_id, message.session_id);
        let accepted = self.accept(message).await?;
        Ok((self.session(user, made).await?, accepted))
    }

    /// Has this version of its conversation in the lists, instead of the one that is.
    pub async fn show_version(&self, user: UserId, id: SessionId) -> Result<()> {
        let key = self.store().data_key(user).await?;
        let write = move |tx: &mut Tx| {
            if rows::lock_shown(tx, user, id)? {
                return Err(VersionRefusal::ReplyRuns);
            }
            Ok(rows::show_version(tx, &key, user, id)?)
        };
        if !self.store().attempt(write).await? {
            return Err(Error::NotFound("session"));
        }
        self.tell_versions(user, id).await
    }

    /// Every window reads them again: one comes into its list, the others leave it.
    async fn tell_versions(&self, user: UserId, id: SessionId) -> Result<()> {
        for one in self.store().read(move |tx: &mut Tx| rows::versions(tx, user, id)).await? {
            self.hint_session(user, one.id, SessionNews::Created);
        }
        Ok(())
    }

    /// At which messages of a session there are other versions.
    pub async fn versions(&self, user: UserId, id: SessionId) -> Result<Vec<MessageVersions>> {
        self.session(user, id).await?;
        let read = move |tx: &mut Tx| {
            let group = rows::versions(tx, user, id)?;
            told(tx, &group, id)
        };
        Ok(self.store().read(read).await?)
    }
}

/// Words of a person in their own conversation; no answer to a question, and nothing that a bridge brought.
fn is_plain(message: &Message) -> bool {
    message.role == Role::User
        && message.meta.kind.is_none()
        && message.sender.is_none()
        && message.asker.is_none()
}

/// From which session a version departs that replaces this message: from the one whose own message it is, not from a copy.
fn departure(tx: &mut Tx, user: UserId, id: SessionId, seq: u64) -> store::Result<Departure> {
    let group = rows::versions(tx, user, id)?;
    let mut at = Departure { from: id, seq };
    // Each step goes to an older session.
    for _ in 0..=group.len() {
        let Some(here) = group.iter().find(|one| one.id == at.from) else { break };
        let Some(departure) = here.departure else { break };
        if at.seq <= here.base {
            let place = messages::extent(tx, at.from, at.seq)?.0;
            let Some(seq) = rows::nth_message(tx, departure.from, place)? else { break };
            at = Departure { from: departure.from, seq };
        } else {
            if rows::first_message_after(tx, at.from, here.base)? == Some(at.seq) {
                at = departure;
            }
            break;
        }
    }
    Ok(at)
}

/// The versions along one session, from its first message to its last.
fn told(tx: &mut Tx, group: &[VersionOf], id: SessionId) -> store::Result<Vec<MessageVersions>> {
    let mut told = Vec::new();
    let mut shown: Option<VersionOf> = None;
    let mut next = group.iter().find(|one| one.id == id);
    // From the session itself to the one that it departs from, and so on: each owns a part of what is shown.
    for _ in group {
        let Some(owner) = next else { break };
        let left_at = shown.and_then(|one| one.departure).map(|departure| departure.seq);
        for place in places(group, owner.id).filter(|place| left_at.is_none_or(|left| *place <= left)) {
            let branches = branches(group, owner, place);
            let is_shown = |branch: &VersionOf| Some(branch.id) == shown.map(|one| one.id);
            let current = branches.iter().position(is_shown).unwrap_or(0);
            let count = messages::extent(tx, owner.id, place)?.0;
            let Some(seq) = rows::nth_message(tx, id, count)? else { continue };
            let latest = |(at, branch): (usize, &VersionOf)| match at {
                _ if at == current => id,
                0 => latest(group, owner.id, place),
                _ => latest(group, branch.id, 0),
            };
            let sessions = branches.iter().enumerate().map(latest).collect();
            told.push(MessageVersions { seq, sessions, current });
        }
        shown = Some(*owner);
        next = owner.departure.and_then(|departure| group.iter().find(|one| one.id == departure.from));
    }
    told.sort_unstable_by_key(|one| one.seq);
    Ok(told)
}

/// At which of a session's own messages others depart from it.
fn places(group: &[VersionOf], owner: SessionId) -> impl Iterator<Item = u64> {
    let departures = group.iter().filter_map(|one| one.departure);
    let places: BTreeSet<u64> = departures.filter(|one| one.from == owner).map(|one| one.seq).collect();
    places.into_iter()
}

/// The session that has the message, and those that depart there, the oldest first.
fn branches(group: &[VersionOf], owner: &VersionOf, place: u64) -> Vec<VersionOf> {
    let here = Some(Departure { from: owner.id, seq: place });
    std::iter::once(*owner).chain(group.iter().filter(|one| one.departure == here).copied()).collect()
}

/// The session that was used last among one and those that depart from it behind this place.
fn latest(group: &[VersionOf], id: SessionId, behind: u64) -> SessionId {
    let mut found: Vec<VersionOf> = group.iter().filter(|one| one.id == id).copied().collect();
    let mut at = 0;
    while let Some(here) = found.get(at).copied() {
        let departs = |one: &&VersionOf| {
            let from =
                |departure: Departure| departure.from == here.id && (here.id != id || departure.seq > behind);
            one.departure.is_some_and(from) && !found.iter().any(|known| known.id == one.id)
        };
        let more: Vec<VersionOf> = group.iter().filter(departs).copied().collect();
        found.extend(more);
        at += 1;
    }
    found.iter().max_by_key(|one| one.used_at).map_or(id, |one| one.id)
}
