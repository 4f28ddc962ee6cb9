//! What is remembered of the person whose conversation it is, for a call. What a call writes down is committed together with a
//! receipt, so it is written once however often the call runs.

use crate::{
    claim::turn_context::TurnContext, engine::Engine, faults::guards_off, ports::receipt::CallReceipt,
};
use async_trait::async_trait;
use capability::{EntryDraft, EntryWritten, Knowledge, KnowledgeError, KnowledgeListing};
use domain::{
    AgentId, CallId, EntryAuthor, EntryId, EntryOrigin, EntryState, EntryText, KnowledgeStore, SessionId,
    TurnId, UserId, knowledge::EntryRefusal,
};
use prompt::provenance_label::SeenLabel;
use serde_json::json;
use store::{
    DataKey, Page, Tx,
    knowledge::{self as rows, EntryChanged, EntryEdit, EntryFilter, EntryName, EntryWriter},
};

/// Whose knowledge, and on behalf of which call: none of it comes from what a model wrote.
///
/// THREAT[memory-04] It is that of the session's person, not of the agent's owner.
pub(crate) struct CallKnowledge {
    engine: Engine,
    key: DataKey,
    user: UserId,
    agent: AgentId,
    session: SessionId,
    turn: TurnId,
    call: CallId,
    receipt: CallReceipt,
    /// Whatever the call reads is in what it gives back, and in what it writes down.
    seen: SeenLabel,
}

impl CallKnowledge {
    pub(crate) fn new(turn: &TurnContext, call: CallId, seen: SeenLabel) -> Self {
        Self {
            engine: turn.engine.clone(),
            key: turn.key.clone(),
            user: turn.session.user_id,
            agent: turn.agent.id,
            session: turn.session.id,
            turn: turn.turn_id,
            call,
            receipt: CallReceipt::new(turn, call),
            seen,
        }
    }

    fn writer(&self) -> EntryWriter {
        EntryWriter {
            origin: EntryOrigin {
                by: EntryAuthor::Agent,
                agent_id: Some(self.agent),
                session_id: Some(self.session),
                turn_id: Some(self.turn),
                call_id: Some(self.call),
                at: self.engine.now(),
            },
            label: self.seen.label(),
            is_reviewed: !guards_off::review_is_off(),
            limits: self.engine.inner.settings.knowledge.limits,
        }
    }

    async fn once(
        &self,
        change: impl Fn(&mut Tx, &DataKey) -> store::Result<Result<EntryChanged, EntryRefusal>>
        + Send
        + Sync
        + 'static,
    ) -> Result<EntryWritten, KnowledgeError> {
        let written = move |tx: &mut Tx, key: &DataKey| {
            let changed = change(tx, key)?;
            Ok(changed.map(|EntryChanged { entry, waits, is_untrusted }| {
                json!(EntryWritten { number: entry.number, waits, is_untrusted })
            }))
        };
        fail::fail_point!("knowledge_before_commit");
        let done = self.receipt.once(written).await.map_err(broken)?;
        fail::fail_point!("knowledge_after_commit");
        self.engine.knowledge_was_changed(self.user);
        let unread = |_| KnowledgeError::Broken("a call made two changes".to_owned());
        serde_json::from_value(done?).map_err(unread)
    }

    async fn page(
        &self,
        store: KnowledgeStore,
        state: EntryState,
        most: u32,
    ) -> Result<store::Paged<domain::KnowledgeEntry>, KnowledgeError> {
        let (key, user) = (self.key.clone(), self.user);
        let filter = EntryFilter { store, state, now: self.engine.now(), is_told: true };
        let read = move |tx: &mut Tx| rows::list(tx, &key, user, filter, Page::first(most));
        self.engine.store().read(read).await.map_err(broken)
    }
}

fn broken(error: store::Error) -> KnowledgeError {
    match error {
        store::Error::Uncertain(_) => KnowledgeError::Unknown(
            "outcome unknown: the connection to the database broke while it was being written down. List what is there before \
             you repeat the call"
                .to_owned(),
        ),
        other => KnowledgeError::Broken(other.to_string()),
    }
}

#[async_trait]
impl Knowledge for CallKnowledge {
    async fn write(
        &self,
        store: KnowledgeStore,
        number: Option<u64>,
        draft: EntryDraft,
    ) -> Result<EntryWritten, KnowledgeError> {
        let clean = |text: String| self.engine.without_secrets(text);
        let (title, body, until) = (draft.title.map(clean), clean(draft.body), draft.until);
        let (by, user) = (self.writer(), self.user);
        let Some(number) = number else {
            let id = EntryId::from_uuid(self.engine.inner.ids.uuid());
            let text = EntryText { title, body, pinned: false, until };
            let create = move |tx: &mut Tx, key: &DataKey| {
                rows::create(tx, key, (user, id), (store, text.clone()), &by)
            };
            return self.once(create).await;
        };
        let edit = EntryEdit { title, body: Some(body), pinned: None, until: until.map(Some) };
        let name = EntryName::Number(store, number);
        self.once(move |tx, key| rows::change(tx, key, (user, name), &edit, &by)).await
    }

    async fn delete(&self, store: KnowledgeStore, number: u64) -> Result<EntryWritten, KnowledgeError> {
        let (by, user, name) = (self.writer(), self.user, EntryName::Number(store, number));
        self.once(move |tx, key| rows::remove(tx, key, (user, name), &by)).await
    }

    async fn read(&self, store: KnowledgeStore, number: u64) -> Result<EntryText, KnowledgeError> {
        let (key, user, name) = (self.key.clone(), self.user, EntryName::Number(store, number));
        let read = move |tx: &mut Tx| rows::get(tx, &key, user, name);
        let found = self.engine.store().read(read).await.map_err(broken)?;
        let there = found.filter(|entry| entry.state != EntryState::Gone);
        let entry = there.ok_or(KnowledgeError::Refused(EntryRefusal::NotFound))?;
        self.seen.add(entry.label);
        Ok(entry.text)
    }

    async fn list(&self, store: KnowledgeStore, most: u32) -> Result<KnowledgeListing, KnowledgeError> {
        let kept = self.page(store, EntryState::Kept, most).await?;
        let waiting = self.page(store, EntryState::Proposed, 1).await?.total;
        kept.items.iter().for_each(|entry| self.seen.add(entry.label));
        let entries = kept.items.into_iter().map(|entry| (entry.number, entry.text)).collect();
        Ok(KnowledgeListing { entries, total: kept.total, waiting })
    }
}
