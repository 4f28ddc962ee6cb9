//! Removes a person with everything they have. First they are locked out and their agents are stopped, so that the last
//! step finds nothing at work.

use crate::{bus::node_note::NodeNote, engine::Engine, error::Result};
use domain::UserId;
use people::{Principal, still_working};
use std::time::Duration;
use store::users;
use tokio::time::Instant;

/// What the agents of a person who is removed get to stop.
const STOPPING: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl Engine {
    pub async fn remove_user(&self, who: &Principal, id: UserId) -> Result<()> {
        let user = self.people().lock_out(who, id).await?;
        self.stop_everything_of(id).await?;
        self.people().delete_person(who, &user).await?;
        self.tell(NodeNote::Removed { user: id });
        Ok(())
    }

    /// Stops turns until none runs or waits. A stopped turn hands over to the next, so this goes round.
    async fn stop_everything_of(&self, id: UserId) -> Result<()> {
        let begun = Instant::now();
        loop {
            let working = self.store().read(move |tx| users::at_work(tx, id)).await?;
            if working.is_empty() {
                return Ok(());
            }
            for (session, user) in working {
                self.request_stop(user, session, None).await?;
            }
            if begun.elapsed() > STOPPING {
                return Err(still_working().into());
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}
