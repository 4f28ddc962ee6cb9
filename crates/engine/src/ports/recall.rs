//! Looking for words in what is remembered of the person whose conversation it is, and in their conversations, for a call.

use crate::{claim::turn_context::TurnContext, engine::Engine, faults::guards_off};
use async_trait::async_trait;
use capability::{FoundEntry, FoundMessage, PastSearch, RecallError, RecallQuery, Recalled};
use domain::{EntryState, KnowledgeEntry, KnowledgeStore, Label, UserId};
use prompt::provenance_label::SeenLabel;
use store::{
    DataKey, Needle,
    knowledge::{EntryFilter, EntryHunt},
    search::{FoundInSession, Search, SearchScope},
    sessions::SessionFilter,
};

/// Pieces of a search that a call has: each takes as long as one of a person's.
const PIECES: u32 = 10;

/// THREAT[memory-04] It looks in what the session's person has, never in what its agent's owner has.
pub(crate) struct CallRecall {
    engine: Engine,
    key: DataKey,
    user: UserId,
    /// Whatever is found is in what the call gives back.
    seen: SeenLabel,
}

impl CallRecall {
    pub(crate) fn new(turn: &TurnContext, seen: SeenLabel) -> Self {
        Self { engine: turn.engine.clone(), key: turn.key.clone(), user: turn.session.user_id, seen }
    }

    async fn entries(&self, query: &RecallQuery, found: &mut Recalled) -> crate::error::Result<()> {
        let now = self.engine.now();
        let part = |state| move |store| EntryFilter { store, state, now, is_told: false };
        let stores = [KnowledgeStore::Memory, KnowledgeStore::Scratchpad];
        let kept = stores.map(part(EntryState::Kept));
        let parts = kept.into_iter().chain(stores.map(part(EntryState::Proposed))).collect();
        let Some(mut hunt) = EntryHunt::new(&query.words, parts, query.include_untrusted) else {
            return Ok(());
        };
        let mut pieces = 0;
        while hunt.cursor().is_some() && pieces < PIECES {
            hunt = self.engine.look_on((self.user, &self.key), hunt).await?;
            pieces += 1;
        }
        found.is_complete &= hunt.cursor().is_none();
        found.left_out = found.left_out.saturating_add(hunt.left_out());
        let best = self.engine.best_of((self.user, &self.key), hunt, query.most).await?;
        found.entries = best.into_iter().map(|(entry, line)| self.entry(entry, line)).collect();
        Ok(())
    }

    async fn messages(&self, query: &RecallQuery, found: &mut Recalled) -> crate::error::Result<()> {
        let scope = SearchScope::Said { takes_untrusted: query.include_untrusted };
        let (mut cursor, mut pieces) = (None, 0);
        loop {
            let Some(needle) = Needle::new(&query.words) else { return Ok(()) };
            let had = u32::try_from(found.messages.len()).unwrap_or(u32::MAX);
            let (filter, limit) = (SessionFilter::default(), query.most.saturating_sub(had));
            let search = Search { needle, scope, filter, limit, cursor };
            let page = self.engine.look_through((self.user, &self.key), search).await?;
            found.left_out = found.left_out.saturating_add(page.left_out);
            found.messages.extend(page.found.into_iter().filter_map(|one| self.message(one)));
            pieces += 1;
            cursor = page.next_cursor;
            let is_full = u32::try_from(found.messages.len()).is_ok_and(|found| found >= query.most);
            if cursor.is_none() || is_full || pieces >= PIECES {
                found.is_complete &= cursor.is_none() || is_full;
                return Ok(());
            }
        }
    }

    fn entry(&self, entry: KnowledgeEntry, line: String) -> FoundEntry {
        self.seen.add(entry.label);
        FoundEntry {
            store: entry.store,
            number: entry.number,
            updated_at: entry.updated_at,
            waits: entry.state == EntryState::Proposed,
            is_untrusted: entry.label.is_untrusted(),
            title: entry.text.title,
            line,
        }
    }

    fn message(&self, found: FoundInSession) -> Option<FoundMessage> {
        let head = found.message?;
        // It may be of another conversation, in which nothing is for everybody.
        self.seen.add(found.label.join(Label::TRUSTED_PRIVATE));
        let is_untrusted = found.label.is_untrusted();
        Some(FoundMessage {
            id: head.id,
            at: head.created_at,
            role: head.role,
            line: found.snippet,
            is_untrusted,
        })
    }
}

#[async_trait]
impl PastSearch for CallRecall {
    async fn look_for(&self, mut query: RecallQuery) -> Result<Recalled, RecallError> {
        if Needle::new(&query.words).is_none() {
            return Err(RecallError::NoWord);
        }
        query.include_untrusted |= guards_off::recall_is_off();
        let mut found = Recalled { is_complete: true, ..Recalled::default() };
        let broken = |error: crate::error::Error| RecallError::Broken(error.to_string());
        self.entries(&query, &mut found).await.map_err(broken)?;
        self.messages(&query, &mut found).await.map_err(broken)?;
        Ok(found)
    }
}
