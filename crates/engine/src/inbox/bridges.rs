//! Bridges: programs that deliver what others say, each with keys of its own.
//!
//! THREAT[chat-01] A caller that may name the source decides for whose words the server takes them, and in whose session they
//! arrive. A key is therefore bound to one bridge when it is made, and speaks for the peers of that bridge alone.

use crate::{
    engine::Engine,
    error::{Error, Result},
    inbox::peers::Peer,
};
use domain::{ApiKeyId, Scope};
use people::{Credential, Principal, check_source};
use serde_json::json;
use store::{
    Tx,
    api_keys::{self, SourceIndex},
    audit::{self, Action},
};

impl Engine {
    /// May this caller say something as this peer? Only a key of the peer's own bridge may, and it says nothing else.
    pub async fn check_peer(&self, who: &Principal, peer: &Peer) -> Result<()> {
        let Credential::Key { id, scope: Scope::Bridge, source } = who.credential else {
            if !peer.is_bridged() {
                return Ok(());
            }
            let detail = "A source other than cli needs the API key of that bridge. Create one with: \
                          majordomo api-key new --scope bridge --source NAME";
            return Err(Error::forbidden("scope_insufficient", detail));
        };
        if !peer.is_bridged() {
            let detail = "A bridge key delivers messages of other people, so `source` must name the bridge. For your own messages use a \
                          key with the scope chat.";
            return Err(Error::invalid("source_missing", detail));
        }
        check_source(&peer.source)?;
        let named = SourceIndex::new(self.store().vault(), who.user_id, &peer.source);
        match source {
            Some(bound) if bound == named => Ok(()),
            Some(_) => Err(other_bridge()),
            None => self.bind_key(who, id, &peer.source).await,
        }
    }

    /// A key that was made before keys were bound: the first source it names is its bridge from now on.
    async fn bind_key(&self, who: &Principal, id: ApiKeyId, source: &str) -> Result<()> {
        let (key, vault) = (self.store().data_key(who.user_id).await?, self.store().vault().clone());
        let entry = self.entry(who.actor(), Some(who.user_id), Action::ApiKeyBound, id, json!({}));
        let source = source.to_owned();
        let write = move |tx: &mut Tx| {
            let bound = api_keys::bind(tx, &key, id, &source)?;
            if bound {
                audit::append(tx, &vault, entry)?;
                return Ok(true);
            }
            // Another request has just bound it, perhaps to the same.
            let now = api_keys::by_ids(tx, &[id])?;
            let named = SourceIndex::new(&vault, key.owner(), &source);
            Ok(now.first().and_then(api_keys::KeyOwner::source) == Some(named))
        };
        if self.store().write(write).await? { Ok(()) } else { Err(other_bridge()) }
    }
}

fn other_bridge() -> Error {
    let detail = "This API key belongs to another bridge. Create one for this source with: \
                  majordomo api-key new --scope bridge --source NAME";
    Error::forbidden("source_not_yours", detail)
}
