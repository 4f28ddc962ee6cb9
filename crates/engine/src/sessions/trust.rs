//! A person declares what a session holds trusted: they have looked at it, and answer for it.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::{EventBody, Session, SessionId};
use people::Principal;
use serde_json::json;
use store::{
    Conflict, Tx,
    audit::{self, Action},
    log::{self, Entry},
    sessions,
};

/// Why a session was not declared trusted.
#[derive(Debug, thiserror::Error)]
enum TrustRefusal {
    #[error("the session has no such event")]
    NoSuchEvent,
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl Engine {
    /// Everything up to the event `seq`, the newest one that the person saw, counts as trusted; what came later counts again.
    /// When no message came later, the session itself and its files do, too. Nothing becomes public by it. Not while a turn is
    /// active: what that has read already would come back under its old label.
    ///
    /// THREAT[label-04] Nobody answers for what they have not seen, and no program answers for a person: it takes a login that
    /// was just confirmed, or the machine itself, and the number that was looked at.
    pub async fn trust_session(&self, who: &Principal, id: SessionId, seq: u64) -> Result<Session> {
        who.check_in_person(self.now())?;
        let user = who.user_id;
        let before = self.session(user, id).await?;
        let (key, now, vault) =
            (self.store().data_key(user).await?, self.now(), self.store().vault().clone());
        let detail = json!({ "label": before.label, "last_seq": before.last_seq, "seq": seq });
        let entry = self.entry(who.actor(), Some(user), Action::SessionTrusted, id, detail);
        let write = move |tx: &mut Tx| {
            // The session first, as everybody who writes to one.
            let own = sessions::take_seq(tx, user, id, 1, now)?;
            let (_, last_message) = sessions::newest(tx, user, id)?.ok_or(store::Error::NotFound)?;
            if seq == 0 || seq >= own.first() {
                return Err(TrustRefusal::NoSuchEvent);
            }
            let body = EventBody::SessionUpdated(json!({ "trusted_seq": seq.max(before.trusted_seq) }));
            let events = log::append(tx, &key, own, now, vec![Entry::Event { turn_id: None, body }])?;
            if !sessions::trust(tx, user, id, seq, last_message <= seq)? {
                return Err(store::Error::NotFound.into());
            }
            audit::append(tx, &vault, entry)?;
            Ok(events)
        };
        let events = self.store().attempt(write).await.map_err(|refusal| match refusal {
            TrustRefusal::Store(store::Error::NotFound) => Error::NotFound("session"),
            TrustRefusal::NoSuchEvent => Error::conflict(
                "seq_unknown",
                "seq: This conversation has no such event. Send the number of the newest event that you have read.",
            ),
            TrustRefusal::Store(store::Error::Conflict(Conflict::SessionAtWork)) => Error::conflict(
                "session_busy",
                "A reply is running in this conversation. Answer what it is waiting for, stop it, or wait until it has ended.",
            ),
            TrustRefusal::Store(error) => error.into(),
        })?;
        self.publish(user, id, &events);
        self.session(user, id).await
    }
}
