//! Making a summary what models are told: one transaction.

use crate::error::{Error, Result};
use crate::summaries::compact::SummaryWork;
use domain::EventBody;
use store::{
    Conflict, Tx,
    compactions::{self, Compaction},
    log::{self, Entry},
    sessions,
};

const FASTER: &str = "Another summary of this conversation was made in the meantime. Look at that one first.";

impl SummaryWork<'_> {
    /// An error when another writer was faster, or the session is gone; then nothing has changed.
    pub(super) async fn publish(&self, made: &Compaction) -> Result<()> {
        let (key, user, session, now) = (self.key.clone(), self.user, self.session, self.engine.now());
        let new = made.clone();
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
            log::append(tx, &key, numbers, now, vec![Entry::Event { turn_id: None, body }])
        };
        fail::fail_point!("compaction_before_commit");
        let events = self.engine.store().write(write).await.map_err(|error| match error {
            store::Error::Conflict(Conflict::NewerSummary) => Error::conflict("compacting", FASTER),
            store::Error::NotFound => Error::NotFound("session"),
            other => other.into(),
        })?;
        fail::fail_point!("compaction_after_commit");
        self.engine.publish(user, session, &events);
        Ok(())
    }
}
