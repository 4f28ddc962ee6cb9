//! Looking for words in what is remembered of a person: by opening it, in pieces.

use crate::{
    engine::Engine,
    error::{Error, Result},
    files::search_slots::SearchSlots,
};
use domain::{EntryState, KnowledgeEntry, KnowledgeStore, UserId};
use std::time::Instant;
use store::{
    DataKey, Page, Paged, Tx,
    knowledge::{EntryFilter, EntryHunt},
};

const SEARCH_CHARS: usize = 200;

impl Engine {
    /// The person's entries that fit best to the words of `text`, the best first. Ends early when it takes too long; `next_cursor`
    /// goes on from there. `total` is how many of those that were looked through have any of the words.
    pub async fn search_knowledge(
        &self,
        user: UserId,
        (store, state): (Option<KnowledgeStore>, EntryState),
        text: &str,
        page: Page,
    ) -> Result<Paged<KnowledgeEntry>> {
        let now = self.now();
        let stores =
            store.map_or(vec![KnowledgeStore::Memory, KnowledgeStore::Scratchpad], |store| vec![store]);
        let parts =
            stores.into_iter().map(|store| EntryFilter { store, state, now, is_told: false }).collect();
        let is_short = text.chars().nth(SEARCH_CHARS).is_none();
        let hunt = EntryHunt::new(text, parts, true).filter(|_| is_short).ok_or_else(|| {
            Error::invalid(
                "bad_search",
                format!("q: Enter words to search for, at most {SEARCH_CHARS} characters."),
            )
        })?;
        let hunt = match page.cursor {
            Some(cursor) => hunt.from_cursor(&cursor)?,
            None => hunt,
        };
        let key = self.store().data_key(user).await?;
        let hunt = self.look_on((user, &key), hunt).await?;
        let (total, next_cursor) = (hunt.fitting(), hunt.cursor());
        let best = self.best_of((user, &key), hunt, page.limit).await?;
        let items = best.into_iter().map(|(entry, _)| entry).collect();
        Ok(Paged { items, total, total_is_more: false, next_cursor })
    }

    /// One piece of a search.
    pub(crate) async fn look_on(
        &self,
        (user, key): (UserId, &DataKey),
        mut hunt: EntryHunt,
    ) -> Result<EntryHunt> {
        let slots = self.state::<SearchSlots>();
        let turn = slots.acquire().await.map_err(|_| Error::ShuttingDown)?;
        let (begun, time, key) = (Instant::now(), self.inner.settings.files.search_time, key.clone());
        let look = move |tx: &mut Tx| {
            hunt.look_on(tx, &key, user, || begun.elapsed() >= time)?;
            Ok(hunt)
        };
        let hunt = self.store().read(look).await?;
        drop(turn);
        Ok(hunt)
    }

    /// What fits best, each with one line of it.
    pub(crate) async fn best_of(
        &self,
        (user, key): (UserId, &DataKey),
        hunt: EntryHunt,
        most: u32,
    ) -> Result<Vec<(KnowledgeEntry, String)>> {
        let key = key.clone();
        Ok(self.store().read(move |tx: &mut Tx| hunt.best(tx, &key, user, most)).await?)
    }
}
