//! Making a summary what models are told, and writing down the facts in it: one transaction.

use crate::error::{Error, Result};
use crate::summaries::{compact::SummaryWork, flush};
use domain::{EntryAuthor, EntryOrigin, EventBody};
use store::{
    Conflict, Tx,
    compactions::{self, Compaction},
    knowledge::{self, EntryWriter},
    log::{self, Entry},
    sessions,
};

const FASTER: &str = "Another summary of this conversation was made in the meantime. Look at that one first.";

impl SummaryWork<'_> {
    /// An error when another writer was faster, or the session is gone; then nothing has changed.
    pub(super) async fn publish(&self, made: &Compaction) -> Result<()> {
        let (key, user, session, now) = (self.key.clone(), self.user, self.session, self.engine.now());
        let new = made.clone();
        let page = self.page_title.as_ref().filter(|_| made.level == 1);
        let page =
            page.and_then(|title| flush::page(title, &self.engine.without_secrets(made.summary.clone())));
        let by = EntryWriter {
            origin: EntryOrigin {
                by: EntryAuthor::Flush,
                agent_id: Some(self.agent.id),
                session_id: Some(session),
                ..EntryOrigin::person(now)
            },
            label: made.label,
            is_reviewed: true,
            limits: self.engine.inner.settings.knowledge.limits,
        };
        let write = move |tx: &mut Tx| {
            // The lock of the session: a writer that publishes after us sees what we have published.
            let numbers = sessions::take_seq(tx, user, session, 1, None)?;
            compactions::add(tx, &key, session, &new)?;
            let body = EventBody::CompactionComplete {
                up_to_seq: new.up_to_seq,
                summary_tokens: new.tokens,
                generation: new.generation,
                level: new.level,
            };
            let events = log::append(tx, &key, numbers, now, vec![Entry::Event { turn_id: None, body }])?;
            let written = match &page {
                Some(page) => knowledge::flush(tx, &key, (user, session), page, &by)?,
                None => false,
            };
            Ok((events, written))
        };
        fail::fail_point!("compaction_before_commit");
        let (events, written) = self.engine.store().write(write).await.map_err(|error| match error {
            store::Error::Conflict(Conflict::NewerSummary) => Error::conflict("compacting", FASTER),
            store::Error::NotFound => Error::NotFound("session"),
            other => other.into(),
        })?;
        fail::fail_point!("compaction_after_commit");
        self.engine.publish(user, session, &events);
        if written {
            self.engine.knowledge_was_changed(user);
            self.engine.tell_lists(user);
        }
        Ok(())
    }
}
