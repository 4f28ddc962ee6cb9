//! Bridges: programs that deliver what others say, each with keys of its own.
//!
//! THREAT[chat-01] Whoever may name the source decides whose words these are taken for, and whose session they come to. A key
//! is therefore bound to one bridge when it is made, and speaks for the peers of that bridge alone.

use crate::{
    agents::check_name,
    engine::Engine,
    error::{Error, Result},
    inbox::peers::Peer,
    people::{Credential, Principal},
};
use domain::{ApiKeyId, Scope};
use serde_json::json;
use store::{
    Tx,
    api_keys::{self, SourceIndex},
    audit::{self, Action},
};

/// What people, agents and the program itself are told apart by: no bridge may be called so.
const RESERVED: [&str; 22] = [
    "agent",
    "api",
    "assistant",
    "bridge",
    "cli",
    "clock",
    "cron",
    "house",
    "main",
    "majordomo",
    "me",
    "owner",
    "person",
    "schedule",
    "scheduler",
    "self",
    "server",
    "system",
    "terminal",
    "tool",
    "user",
    "web",
];

/// May a bridge be called so? Only what can be read and cannot be taken for anything else.
pub(crate) fn check_source(source: &str) -> Result<()> {
    check_name(source, "source")?;
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.:@/ ".contains(character);
    if !source.chars().all(plain) {
        let detail =
            "source: The name of a bridge can only have letters from a to z, digits, spaces and -_.:@/.";
        return Err(Error::invalid("bad_source", detail));
    }
    let letters: String = source.chars().filter(char::is_ascii_alphanumeric).collect();
    if letters.is_empty() || RESERVED.contains(&letters.to_ascii_lowercase().as_str()) {
        let detail =
            format!("source: `{source}` is reserved. Give the bridge a name of its own, such as telegram.");
        return Err(Error::invalid("source_reserved", detail));
    }
    Ok(())
}

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
        let write = async move |tx: &mut Tx| {
            let bound = api_keys::bind(tx, &key, id, &source).await?;
            if bound {
                audit::append(tx, &vault, entry).await?;
                return Ok(true);
            }
            // Another request has just bound it, perhaps to the same.
            let now = api_keys::by_ids(tx, &[id]).await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_has_a_name_of_its_own() {
        for good in ["telegram", "Signal 2", "mail.example.org", "whatsapp_bot", "x"] {
            assert!(check_source(good).is_ok(), "{good}");
        }
        for bad in RESERVED {
            assert!(check_source(bad).is_err(), "{bad}");
            assert!(check_source(&bad.to_uppercase()).is_err(), "{bad}");
        }
        for bad in
            ["", " x", "a-gent", "C.R.O.N", "@owner", "..", "\u{430}gent", "telegram\n", "tele\u{200b}gram"]
        {
            assert!(check_source(bad).is_err(), "{bad:?}");
        }
    }
}
