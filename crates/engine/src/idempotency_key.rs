//! Requests that a client may repeat: the same key, the same thing.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use domain::UserId;
use std::str::FromStr;
use store::{
    Tx, Vault,
    idempotency::{self, KeyUse, Keyed},
};

const KEY_BYTES: usize = 255;

pub(crate) fn check_key(key: Option<&str>) -> Result<()> {
    if key.is_some_and(|key| key.is_empty() || key.len() > KEY_BYTES) {
        return Err(Error::invalid(
            "bad_idempotency_key",
            "An idempotency key must have 1 to 255 characters.",
        ));
    }
    Ok(())
}

/// What a repeated key has made before; none when this was the first time.
pub(crate) fn made<T: FromStr>(noted: KeyUse) -> Result<Option<T>> {
    match noted {
        KeyUse::First => Ok(None),
        KeyUse::Repeat { made, same_body: true } => made.parse().map(Some).map_err(|_| Error::Internal),
        KeyUse::Repeat { .. } => Err(Error::IdempotencyMismatch),
    }
}

/// Notes the key of a request that has one, in the transaction that makes the thing.
pub(crate) fn note(tx: &mut Tx, vault: &Vault, keyed: Option<&Keyed>) -> store::Result<KeyUse> {
    match keyed {
        Some(keyed) => idempotency::note(tx, vault, keyed),
        None => Ok(KeyUse::First),
    }
}

impl Engine {
    /// A request to make something, with what is asked for; `made` is what it makes if it is the first.
    pub(crate) fn keyed(
        &self,
        user_id: UserId,
        resource: &str,
        key: Option<String>,
        body: String,
        made: String,
    ) -> Option<Keyed> {
        let (resource, body, at) = (resource.to_owned(), body.into_bytes(), self.now());
        key.map(|key| Keyed { user_id, resource, key, body, made, at })
    }

    /// What the key has made before. Asked before anything is checked: what was taken the first time is not judged again, and
    /// what it made is not in its own way.
    pub(crate) async fn made_before<T: FromStr>(&self, keyed: Option<&Keyed>) -> Result<Option<T>> {
        let Some(keyed) = keyed.cloned() else { return Ok(None) };
        check_key(Some(&keyed.key))?;
        let store = self.store().clone();
        let read = move |tx: &mut Tx| idempotency::find(tx, store.vault(), &keyed);
        made(self.store().read(read).await?)
    }
}
