//! What a person does with what their agents remember: they look at it, write, change, undo and remove it, and answer what waits.

use crate::{
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
};
use domain::{
    Change, EntryAuthor, EntryId, EntryOrigin, EntryState, EntryText, EntryVersion, KnowledgeEntry,
    KnowledgeStore, Label, SessionId, Timestamp, UserId, is_misleading,
    knowledge::{EntryRefusal, MEMORY_CHARS, PAGE_CHARS, PAGE_TITLE_CHARS},
};
use people::Principal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    DataKey, Page, Paged, Tx,
    audit::{self, Action},
    idempotency::KeyUse,
    knowledge::{self as rows, EntryEdit, EntryFilter, EntryName, EntryWriter},
};

/// An entry as its person writes it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewEntry {
    pub store: KnowledgeStore,
    /// Of a page of the scratchpad; a memory has none.
    #[serde(default)]
    pub title: Option<String>,
    pub body: String,
    /// True: it stands before others.
    #[serde(default)]
    pub pinned: bool,
    /// When it ends by itself.
    #[serde(default)]
    pub until: Option<Timestamp>,
}

/// What a person changes about an entry; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EntryFields {
    pub title: Option<String>,
    pub body: Option<String>,
    pub pinned: Option<bool>,
    /// Null: it holds until it is changed.
    pub until: Change<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryDecision {
    Keep,
    Discard,
}

/// What a person says to what waits.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntryReview {
    /// The version that you have looked at: `proposal` of the entry.
    pub version: u64,
    pub decision: EntryDecision,
    /// Other words to keep instead.
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub body: Option<String>,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
enum KnowledgeRefusal {
    #[error(transparent)]
    Entry(#[from] EntryRefusal),
    #[error("the request was made before")]
    Repeated(KeyUse),
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Engine {
    pub async fn knowledge(
        &self,
        user: UserId,
        (store, state): (KnowledgeStore, EntryState),
        page: Page,
    ) -> Result<Paged<KnowledgeEntry>> {
        let key = self.store().data_key(user).await?;
        let filter = EntryFilter { store, state, now: self.now(), is_told: false };
        Ok(self.store().read(move |tx: &mut Tx| rows::list(tx, &key, user, filter, page)).await?)
    }

    pub async fn knowledge_entry(&self, user: UserId, id: EntryId) -> Result<KnowledgeEntry> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| rows::get(tx, &key, user, EntryName::Id(id));
        self.store().read(read).await?.ok_or(Error::NotFound("entry"))
    }

    pub(crate) async fn numbered_entry(
        &self,
        user: UserId,
        store: KnowledgeStore,
        number: u64,
    ) -> Result<Option<KnowledgeEntry>> {
        let key = self.store().data_key(user).await?;
        let name = EntryName::Number(store, number);
        Ok(self.store().read(move |tx: &mut Tx| rows::get(tx, &key, user, name)).await?)
    }

    /// Every version of it, newest first.
    pub async fn knowledge_history(&self, user: UserId, id: EntryId) -> Result<Vec<EntryVersion>> {
        let key = self.store().data_key(user).await?;
        let found = self.store().read(move |tx: &mut Tx| rows::versions(tx, &key, user, id)).await?;
        if found.is_empty() { Err(Error::NotFound("entry")) } else { Ok(found) }
    }

    /// Writes down a person's own words; what a program writes waits for that person. A repeated key finds the entry that the first
    /// one made.
    pub async fn remember(
        &self,
        who: &Principal,
        new: NewEntry,
        idempotency_key: Option<String>,
    ) -> Result<KnowledgeEntry> {
        self.remember_in(who, None, new, idempotency_key).await
    }

    /// The same, said in this conversation.
    pub(crate) async fn remember_in(
        &self,
        who: &Principal,
        session: Option<SessionId>,
        new: NewEntry,
        idempotency_key: Option<String>,
    ) -> Result<KnowledgeEntry> {
        let user = who.user_id;
        let id = EntryId::from_uuid(self.inner.ids.uuid());
        let keyed = self.keyed(user, "entry", idempotency_key, format!("{new:?}"), id.to_string());
        if let Some(before) = self.made_before(keyed.as_ref()).await? {
            return self.knowledge_entry(user, before).await;
        }
        let NewEntry { store, title, body, pinned, until } = new;
        let text = checked(store, EntryText { title, body, pinned, until })?;
        let (by, vault) = (self.written_in(who, session), self.store().vault().clone());
        let made = self.edits(user, move |tx: &mut Tx, key: &DataKey| {
            match idempotency_key::note(tx, &vault, keyed.as_ref())? {
                KeyUse::First => {}
                repeat => return Err(KnowledgeRefusal::Repeated(repeat)),
            }
            Ok(rows::create(tx, key, (user, id), (store, text.clone()), &by)??.entry)
        });
        match made.await {
            Err(KnowledgeRefusal::Repeated(noted)) => match idempotency_key::made(noted)? {
                Some(before) => self.knowledge_entry(user, before).await,
                None => Err(Error::Internal),
            },
            made => made.map_err(refused),
        }
    }

    pub async fn change_entry(
        &self,
        who: &Principal,
        id: EntryId,
        fields: EntryFields,
    ) -> Result<KnowledgeEntry> {
        let user = who.user_id;
        let entry = self.knowledge_entry(user, id).await?;
        let until = match fields.until {
            Change::Keep => None,
            Change::Reset => Some(None),
            Change::Set(until) => Some(Some(until)),
        };
        let edit = EntryEdit { title: fields.title, body: fields.body, pinned: fields.pinned, until };
        check_edit(entry.store, &edit)?;
        let by = self.written_by(who);
        let change = move |tx: &mut Tx, key: &DataKey| {
            Ok(rows::change(tx, key, (user, EntryName::Id(id)), &edit, &by)??.entry)
        };
        self.edits(user, change).await.map_err(refused)
    }

    /// It can be brought back by [`Engine::undo_entry`].
    pub async fn delete_entry(&self, who: &Principal, id: EntryId) -> Result<()> {
        self.delete_entry_in(who, id, None).await
    }

    /// The same, said in this conversation.
    pub(crate) async fn delete_entry_in(
        &self,
        who: &Principal,
        id: EntryId,
        session: Option<SessionId>,
    ) -> Result<()> {
        let (user, by) = (who.user_id, self.written_in(who, session));
        let delete = move |tx: &mut Tx, key: &DataKey| {
            rows::remove(tx, key, (user, EntryName::Id(id)), &by)??;
            Ok(())
        };
        self.edits(user, delete).await.map_err(refused)
    }

    /// Makes an earlier version the newest: the one before, or `to`.
    pub async fn undo_entry(&self, who: &Principal, id: EntryId, to: Option<u64>) -> Result<KnowledgeEntry> {
        who.check_no_program()?;
        let (user, by) = (who.user_id, self.written_by(who));
        let undo = move |tx: &mut Tx, key: &DataKey| Ok(rows::undo(tx, key, (user, id), to, &by)??);
        self.edits(user, undo).await.map_err(refused)
    }

    /// Takes back the last change that was made in this conversation and is the newest of its entry; `None` where there is none.
    pub(crate) async fn undo_knowledge_in(
        &self,
        who: &Principal,
        session: SessionId,
    ) -> Result<Option<KnowledgeEntry>> {
        who.check_no_program()?;
        // Not of this conversation: otherwise the next one would take this back.
        let (user, by) = (who.user_id, self.written_by(who));
        let undo = move |tx: &mut Tx, key: &DataKey| Ok(rows::undo_in(tx, key, (user, session), &by)??);
        self.edits(user, undo).await.map_err(refused)
    }

    /// A person keeps or discards what waits for them. What they keep is trusted from then on.
    ///
    /// THREAT[memory-02] No program keeps for a person, and a person keeps the version that they saw.
    pub async fn review_entry(
        &self,
        who: &Principal,
        id: EntryId,
        review: EntryReview,
    ) -> Result<KnowledgeEntry> {
        let user = who.user_id;
        let EntryReview { version, decision, title, body } = review;
        let edit = EntryEdit { title, body, ..EntryEdit::default() };
        let keeps = decision == EntryDecision::Keep;
        who.check_no_program()?;
        if keeps {
            check_edit(self.knowledge_entry(user, id).await?.store, &edit)?;
        }
        let action = if keeps { Action::KnowledgeKept } else { Action::KnowledgeDiscarded };
        let entry = self.entry(who.actor(), Some(user), action, id, json!({ "version": version }));
        let (by, vault) = (self.written_by(who), self.store().vault().clone());
        let answer = move |tx: &mut Tx, key: &DataKey| {
            let answered = rows::review(tx, key, (user, id, version), keeps.then_some(&edit), &by)??;
            audit::append(tx, &vault, entry.clone())?;
            Ok(answered)
        };
        fail::fail_point!("review_before_commit");
        let answered = self.changes(user, answer).await;
        fail::fail_point!("review_after_commit");
        answered.map_err(refused)
    }

    /// Removes an entry with all its versions, for good.
    pub async fn purge_entry(&self, who: &Principal, id: EntryId) -> Result<()> {
        who.check_no_program()?;
        let user = who.user_id;
        let entry = self.entry(who.actor(), Some(user), Action::KnowledgePurged, id, json!({}));
        let vault = self.store().vault().clone();
        let purge = move |tx: &mut Tx, _: &DataKey| {
            if !rows::purge(tx, user, id)? {
                return Err(EntryRefusal::NotFound.into());
            }
            Ok(audit::append(tx, &vault, entry.clone())?)
        };
        fail::fail_point!("purge_before_commit");
        let purged = self.changes(user, purge).await;
        fail::fail_point!("purge_after_commit");
        purged.map_err(refused)
    }

    /// THREAT[memory-02] A program that does what a page says would have that page's words count as its person's: what it writes
    /// waits, as what an agent writes that has read the page.
    fn written_by(&self, who: &Principal) -> EntryWriter {
        let is_program = who.check_no_program().is_err();
        let (by, label) = match is_program {
            true => (EntryAuthor::Agent, Label::WORST),
            false => (EntryAuthor::Person, Label::TRUSTED_PRIVATE),
        };
        EntryWriter {
            origin: EntryOrigin { by, ..EntryOrigin::person(self.now()) },
            label,
            is_reviewed: true,
            limits: self.inner.settings.knowledge.limits,
        }
    }

    fn written_in(&self, who: &Principal, session_id: Option<SessionId>) -> EntryWriter {
        let by = self.written_by(who);
        EntryWriter { origin: EntryOrigin { session_id, ..by.origin }, ..by }
    }

    /// A change of the words that can be undone.
    async fn edits<T: Send + 'static>(
        &self,
        user: UserId,
        change: impl FnOnce(&mut Tx, &DataKey) -> Result<T, KnowledgeRefusal> + Send + 'static,
    ) -> Result<T, KnowledgeRefusal> {
        fail::fail_point!("knowledge_before_commit");
        let edited = self.changes(user, change).await;
        fail::fail_point!("knowledge_after_commit");
        edited
    }

    /// One change, and what follows from it: the next prompt tells what is in force now, and the person's windows look again.
    async fn changes<T: Send + 'static>(
        &self,
        user: UserId,
        change: impl FnOnce(&mut Tx, &DataKey) -> Result<T, KnowledgeRefusal> + Send + 'static,
    ) -> Result<T, KnowledgeRefusal> {
        let key = self.store().data_key(user).await?;
        let done = self.store().attempt(move |tx: &mut Tx| change(tx, &key)).await?;
        self.knowledge_was_changed(user);
        self.tell_lists(user);
        Ok(done)
    }
}

fn refused(refusal: KnowledgeRefusal) -> Error {
    let refusal = match refusal {
        KnowledgeRefusal::Entry(refusal) => refusal,
        KnowledgeRefusal::Store(error) => return error.into(),
        KnowledgeRefusal::Repeated(_) => return Error::Internal,
    };
    match refusal {
        EntryRefusal::NotFound => Error::NotFound("entry"),
        EntryRefusal::SaidAlready { store, number } => {
            Error::conflict("entry_exists", format!("{} {number} says so already.", noun(store)))
        }
        EntryRefusal::Changed => {
            Error::conflict("entry_changed", "This is no longer what waits for you. Look at the entry again.")
        }
        EntryRefusal::NothingBefore => {
            Error::conflict("nothing_to_undo", "There is no earlier version to go back to.")
        }
        EntryRefusal::TooMany | EntryRefusal::TooManyToday | EntryRefusal::TooManyProposals => {
            Error::conflict(
                "too_many_entries",
                "There are as many entries as there may be. Remove some for good.",
            )
        }
    }
}

const fn noun(store: KnowledgeStore) -> &'static str {
    match store {
        KnowledgeStore::Memory => "Memory",
        KnowledgeStore::Scratchpad => "Scratchpad entry",
    }
}

fn bad(detail: String) -> Error {
    Error::invalid("bad_entry", detail)
}

fn check_words(name: &str, words: &str, most: usize) -> Result<()> {
    if words.trim().is_empty() {
        return Err(bad(format!("{name}: This must not be empty.")));
    }
    match words.chars().nth(most) {
        None => Ok(()),
        Some(_) => Err(bad(format!("{name}: This may have at most {most} characters."))),
    }
}

fn check_edit(store: KnowledgeStore, edit: &EntryEdit) -> Result<()> {
    if let Some(title) = &edit.title {
        if store == KnowledgeStore::Memory {
            return Err(bad("title: A memory has no title.".to_owned()));
        }
        check_words("title", title, PAGE_TITLE_CHARS)?;
        if title.chars().any(is_misleading) {
            return Err(bad("title: This must have no control characters.".to_owned()));
        }
    }
    let most = if store == KnowledgeStore::Memory { MEMORY_CHARS } else { PAGE_CHARS };
    edit.body.as_ref().map_or(Ok(()), |body| check_words("body", body, most))
}

fn checked(store: KnowledgeStore, text: EntryText) -> Result<EntryText> {
    if store == KnowledgeStore::Scratchpad && text.title.is_none() {
        return Err(bad("title: A page needs a title.".to_owned()));
    }
    let (title, body) = (text.title.clone(), Some(text.body.clone()));
    check_edit(store, &EntryEdit { title, body, ..EntryEdit::default() })?;
    Ok(text)
}
