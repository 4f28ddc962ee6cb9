//! A person declares what a session holds trusted: they have looked at it, and answer for it.

use crate::{
    engine::Engine,
    error::{Error, Result},
    people::Principal,
};
use domain::{EventBody, Session, SessionId};
use serde_json::json;
use store::{Tx, audit, log, log::Entry, sessions};

impl Engine {
    /// Everything so far counts as trusted, its files included; what comes later counts again. Nothing becomes public by
    /// it. Not while a turn is active: what that has read already would come back under its old label.
    pub async fn trust_session(&self, who: &Principal, id: SessionId) -> Result<Session> {
        let user = who.user_id;
        let before = self.session(user, id).await?;
        let (key, now, vault) =
            (self.store().data_key(user).await?, self.now(), self.store().vault().clone());
        let detail = json!({ "label": before.label, "last_seq": before.last_seq });
        let entry = self.entry(who.actor(), Some(user), "session.trusted", id, detail);
        let write = async move |tx: &mut Tx| {
            // The declaration is an event as well, and the last of those that it covers.
            let seq = sessions::take_seq(tx, user, id, 1, now).await?;
            let body = EventBody::SessionUpdated(json!({ "trusted_seq": seq }));
            let events =
                log::append(tx, &key, id, user, seq, now, vec![Entry::Event { turn_id: None, body }]).await?;
            sessions::trust(tx, user, id).await?.ok_or(store::Error::NotFound)?;
            audit::append(tx, &vault, entry).await?;
            Ok(events)
        };
        let events = self.store().write(write).await.map_err(|error| match error {
            store::Error::NotFound => Error::NotFound("session"),
            store::Error::Conflict(_) => Error::conflict(
                "session_busy",
                "the session is at work; answer what it waits for, stop it, or wait until it is idle",
            ),
            other => other.into(),
        })?;
        self.publish(user, id, &events);
        self.session(user, id).await
    }
}
