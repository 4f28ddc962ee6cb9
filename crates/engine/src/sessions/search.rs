//! Looking through one's own conversations.

use crate::{
    engine::Engine,
    error::{Error, Result},
    files::search_slots::SearchSlots,
};
use domain::{Session, UserId};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Instant;
use store::{
    DataKey, Needle, Page, Paged, Tx,
    search::{FoundInSession, FoundPage, Search, SearchScope},
    sessions::SessionFilter,
};

const SEARCH_CHARS: usize = 200;

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FoundSession {
    #[serde(flatten)]
    pub session: Session,
    #[serde(rename = "match")]
    pub found: Match,
}

/// What was found in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Match {
    /// The newest message that has the words; null when the name has them.
    pub seq: Option<u64>,
    pub snippet: String,
}

impl From<FoundInSession> for FoundSession {
    fn from(FoundInSession { session, message, snippet, .. }: FoundInSession) -> Self {
        Self { session, found: Match { seq: message.map(|message| message.seq), snippet } }
    }
}

impl Engine {
    /// The user's sessions in whose name or in one message of which all words of `text` occur, the one used last first.
    /// Ends early when it takes too long; `next_cursor` goes on from there, also when nothing was found yet. `total` is
    /// what this piece has: how much there is would be known only after everything was looked through.
    pub async fn search(
        &self,
        user: UserId,
        text: &str,
        filter: SessionFilter,
        page: Page,
    ) -> Result<Paged<FoundSession>> {
        let needle = Needle::new(text).filter(|_| text.chars().count() <= SEARCH_CHARS).ok_or_else(|| {
            Error::invalid(
                "bad_search",
                format!("search: Enter words to search for, at most {SEARCH_CHARS} characters."),
            )
        })?;
        let key = self.store().data_key(user).await?;
        let scope = SearchScope::Everything;
        let search = Search { needle, scope, filter, limit: page.limit, cursor: page.cursor };
        let page = self.look_through((user, &key), search).await?;
        let items: Vec<FoundSession> = page.found.into_iter().map(FoundSession::from).collect();
        let (total, next_cursor) = (items.len() as u64, page.next_cursor);
        Ok(Paged { items, total, total_is_more: false, next_cursor })
    }

    /// One piece of a search.
    pub(crate) async fn look_through(
        &self,
        (user, key): (UserId, &DataKey),
        search: Search,
    ) -> Result<FoundPage> {
        let slots = self.state::<SearchSlots>();
        let turn = slots.acquire().await.map_err(|_| Error::ShuttingDown)?;
        let (begun, time, key) = (Instant::now(), self.inner.settings.files.search_time, key.clone());
        let read =
            move |tx: &mut Tx| store::search::search(tx, &key, user, search, || begun.elapsed() >= time);
        let page = self.store().read(read).await?;
        drop(turn);
        Ok(page)
    }
}
