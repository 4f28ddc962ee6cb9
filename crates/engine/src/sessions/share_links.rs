//! Showing a conversation to other people of this server: a link, up to what had been said when it was made.
//!
//! THREAT[share-01] A link is a way out for private words. Only a person makes one, for a session of theirs, as it is at that
//! moment; every reading asks the database whether it still counts, so that revoking it, deleting the session or removing its
//! person ends it at once.

use crate::{
    engine::Engine,
    error::{Error, Result},
    reply::elements,
    sessions::message_order::in_order,
};
use domain::{
    EventBody, Message, MessageId, MessageKind, Role, SessionId, SessionLink, SessionLinkId, Timestamp,
    TurnId, UserId,
};
use people::Principal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use store::{
    DataKey, Tx,
    audit::{self, Action},
    log::{self, EventFilter},
    messages::MessagePage,
    session_links as rows,
};

/// Of one session.
const MOST: u64 = 20;
const SECRET_CHARS: usize = 64;
/// The event of an answer, by its name in the log, and how many are read at once.
const ANSWERED: &str = "prompt_updated";
const PIECE: u32 = 1_000;

/// A conversation as others see it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SharedConversation {
    pub name: Option<String>,
    /// The name of the person who shares it.
    pub shared_by: String,
    pub shared_at: Timestamp,
    /// Oldest first.
    pub items: Vec<SharedMessage>,
    /// The `after_seq` of the next piece.
    pub next_cursor: Option<String>,
}

/// What a person or the agent said, without what its calls read and wrote.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SharedMessage {
    pub seq: u64,
    pub role: Role,
    /// Who wrote it, where that was neither the person who shares it nor their agent: another agent, or a peer of a bridge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Where the server says in it why there is no reply, or no more of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MessageKind>,
    pub content: String,
    pub elements: Vec<Value>,
    pub created_at: Timestamp,
}

impl Engine {
    pub async fn share_session(&self, who: &Principal, id: SessionId) -> Result<SessionLink> {
        let user = who.user_id;
        let session = self.session(user, id).await?;
        let ids = &self.inner.ids;
        let link = SessionLink {
            id: SessionLinkId::from_uuid(ids.uuid()),
            session_id: id,
            secret: format!("{}{}", ids.uuid().simple(), ids.uuid().simple()),
            up_to_seq: session.last_seq,
            created_at: self.now(),
        };
        let (key, vault, saved, name) =
            (self.store().data_key(user).await?, self.store().vault().clone(), link.clone(), session.name);
        let entry =
            self.entry(who.actor(), Some(user), Action::SessionShared, id, json!({ "link": link.id }));
        let write = move |tx: &mut Tx| {
            let made = rows::create(tx, &vault, &key, user, &saved, name.as_deref(), MOST)?;
            if made {
                audit::append(tx, &vault, entry)?;
            }
            Ok(made)
        };
        if self.store().write(write).await? {
            return Ok(link);
        }
        self.session(user, id).await?;
        let detail =
            format!("This conversation already has {MOST} links. Revoke one that is no longer needed.");
        Err(Error::conflict("too_many_links", detail))
    }

    /// The links that show this session to others.
    pub async fn session_links(&self, user: UserId, id: SessionId) -> Result<Vec<SessionLink>> {
        self.session(user, id).await?;
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx| rows::list(tx, &key, user, id)).await?)
    }

    pub async fn revoke_session_link(&self, who: &Principal, id: SessionLinkId) -> Result<()> {
        let (user, vault) = (who.user_id, self.store().vault().clone());
        let entry = self.entry(who.actor(), Some(user), Action::SessionUnshared, id, json!({}));
        let write = move |tx: &mut Tx| {
            let revoked = rows::revoke(tx, user, id)?;
            if revoked {
                audit::append(tx, &vault, entry)?;
            }
            Ok(revoked)
        };
        if self.store().write(write).await? { Ok(()) } else { Err(Error::NotFound("link")) }
    }

    /// A piece of what a link shows.
    pub async fn shared_session(
        &self,
        secret: &str,
        after_seq: u64,
        limit: u32,
    ) -> Result<SharedConversation> {
        let gone = || Error::NotFound("shared conversation");
        if secret.len() != SECRET_CHARS || !secret.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(gone());
        }
        let (vault, asked) = (self.store().vault().clone(), secret.to_owned());
        let link =
            self.store().read(move |tx| rows::by_secret(tx, &vault, &asked)).await?.ok_or_else(gone)?;
        let owner = self.people().user(link.user_id).await.map_err(|_| gone())?;
        let key = self.store().data_key(link.user_id).await?;
        let page = MessagePage { before_seq: None, after_seq: Some(after_seq), limit };
        let (name, session, up_to, shared_at) =
            (link.name(&key)?, link.session_id, link.up_to_seq, link.created_at);
        let read = move |tx: &mut Tx| {
            let mut page = store::messages::page(tx, &key, session, page)?;
            as_they_were(tx, &key, session, up_to, &mut page.items)?;
            Ok(page)
        };
        let page = in_order(self.store().read(read).await?, true);
        let ends = page.items.iter().any(|message| message.seq > up_to);
        let last: HashMap<TurnId, u64> = page
            .items
            .iter()
            .filter(|message| message.role == Role::Assistant && message.seq <= up_to)
            .map(|message| (message.turn_id, message.seq))
            .collect();
        // An error after which the same turn went on is none any more.
        let overcome = |message: &Message| {
            message.is_told() && last.get(&message.turn_id).is_some_and(|last| *last > message.seq)
        };
        let shown = page.items.into_iter().filter(|message| message.seq <= up_to && !overcome(message));
        Ok(SharedConversation {
            name,
            shared_by: owner.name,
            shared_at,
            items: shown.filter_map(told).collect(),
            next_cursor: page.next_cursor.filter(|_| !ends),
        })
    }
}

/// Takes back what was answered in these messages behind this event: a link shows what was there when it was made.
fn as_they_were(
    tx: &mut Tx,
    key: &DataKey,
    session: SessionId,
    up_to: u64,
    messages: &mut [Message],
) -> store::Result<()> {
    let answered = || messages.iter().filter(|message| !message.answers.is_empty());
    let Some(first) = answered().map(|message| message.seq).min() else { return Ok(()) };
    // However much was answered in later messages, a page holds no more than its own.
    let shown: HashSet<MessageId> = answered().map(|message| message.id).collect();
    let mut at_that_time: HashMap<(MessageId, String), Option<String>> = HashMap::new();
    let (mut after, mut more) = (first, true);
    while more {
        let filter = EventFilter { types: vec![ANSWERED.to_owned()], turn_id: None };
        let piece = log::read(tx, key, session, after, PIECE, filter)?;
        more = piece.more && !piece.events.is_empty();
        for event in piece.events {
            after = event.seq;
            let EventBody::PromptUpdated { message_id, prompt_id, answer } = event.body else { continue };
            if !shown.contains(&message_id) {
                continue;
            }
            if event.seq <= up_to {
                at_that_time.insert((message_id, prompt_id), Some(answer));
            } else {
                // Where nothing was answered by then; what a fork brought along and is changed now is not told either.
                at_that_time.entry((message_id, prompt_id)).or_insert(None);
            }
        }
    }
    for message in messages {
        let id = message.id;
        let answers = std::mem::take(&mut message.answers).into_iter();
        let then = |(prompt, answer): (String, String)| match at_that_time.remove(&(id, prompt.clone())) {
            Some(then) => then.map(|answer| (prompt, answer)),
            None => Some((prompt, answer)),
        };
        message.answers = answers.filter_map(then).collect();
    }
    Ok(())
}

fn told(message: Message) -> Option<SharedMessage> {
    let spoken = matches!(message.role, Role::User | Role::Assistant) && !message.content.trim().is_empty();
    spoken.then(|| {
        let (author, kind) = (message.author(), message.meta.kind);
        let Message { seq, role, content, elements, created_at, .. } =
            elements::once(elements::message(message));
        SharedMessage { seq, role, author, kind, content, elements, created_at }
    })
}
