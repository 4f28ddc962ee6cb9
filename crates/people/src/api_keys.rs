//! The keys of people's programs.

use crate::{
    People, check_name, check_source,
    error::{Error, Result},
};
use crate::{
    new_secret,
    principal::{Credential, Principal},
    secret_hash,
};
use domain::{ApiKey, ApiKeyId, Scope, Timestamp, UserId};
use serde_json::json;
use store::{
    Conflict, Tx,
    api_keys::{self, KeyOwner},
    audit::{self, Action},
};

const PREFIX: &str = "mjd_";

pub struct NewKey {
    pub user_id: UserId,
    pub name: String,
    pub scope: Scope,
    /// The bridge of a key of the scope `bridge`; none for others.
    pub source: Option<String>,
    pub expires_at: Option<Timestamp>,
}

/// A key with its secret, which is shown once and nowhere kept.
pub struct IssuedKey {
    pub key: ApiKey,
    pub secret: String,
}

/// A key that delivers what others say does so for one bridge, which it names; no other key has one.
fn check_bridge(new: &NewKey) -> Result<()> {
    match (new.scope, new.source.as_deref()) {
        (Scope::Bridge, Some(source)) => check_source(source),
        (Scope::Bridge, None) => {
            let detail = "source: A bridge key needs the name of its bridge, such as telegram.";
            Err(Error::invalid("source_missing", detail))
        }
        (_, Some(_)) => {
            Err(Error::invalid("bad_source", "source: Only a key with the scope bridge can have a source."))
        }
        (_, None) => Ok(()),
    }
}

/// Does a key that was not revoked still count?
pub(crate) fn is_alive(key: &KeyOwner, now: Timestamp) -> bool {
    key.expires_at.is_none_or(|at| at > now)
}

impl People {
    /// Makes a key on behalf of its user; whether they may is the caller's to know.
    pub async fn issue_key(&self, new: NewKey) -> Result<IssuedKey> {
        self.make_key(format!("{} at the terminal", new.user_id), new).await
    }

    /// Makes a key that a person asks for. Any key outlives the login that made it, so it takes a confirmation.
    pub async fn issue_key_for(&self, who: &Principal, new: NewKey) -> Result<IssuedKey> {
        who.check_confirmed(self.now())?;
        self.make_key(who.actor(), new).await
    }

    async fn make_key(&self, actor: String, new: NewKey) -> Result<IssuedKey> {
        check_name(&new.name, "The name of a key")?;
        check_bridge(&new)?;
        let now = self.now();
        if new.expires_at.is_some_and(|at| at <= now) {
            return Err(Error::invalid("bad_expiry", "expires_at is in the past. Choose a later date."));
        }
        let secret = format!("{PREFIX}{}", new_secret()?);
        let key = ApiKey {
            id: ApiKeyId::from_uuid(self.inner.ids.uuid()),
            user_id: new.user_id,
            name: new.name,
            scope: new.scope,
            source: new.source,
            expires_at: new.expires_at,
            created_at: now,
        };
        let data_key = self.store().data_key(new.user_id).await?;
        let detail = json!({ "scope": key.scope, "expires_at": key.expires_at });
        let entry = self.entry(actor, Some(key.user_id), Action::ApiKeyCreated, key.id, detail);
        let (saved, hash, vault) = (key.clone(), secret_hash(&secret), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            api_keys::create(tx, &data_key, &saved, hash)?;
            audit::append(tx, &vault, entry)
        };
        self.store().write(write).await.map_err(|error| match error {
            store::Error::Conflict(what @ Conflict::TooManyKeys) => {
                Error::conflict("too_many_keys", what.to_string())
            }
            other => other.into(),
        })?;
        Ok(IssuedKey { key, secret })
    }

    pub async fn api_keys(&self, user: UserId) -> Result<Vec<ApiKey>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx| api_keys::list(tx, &key, user)).await?)
    }

    pub async fn revoke_key(&self, who: &Principal, id: ApiKeyId) -> Result<()> {
        let (user, now, vault) = (who.user_id, self.now(), self.store().vault().clone());
        let entry = self.entry(who.actor(), Some(user), Action::ApiKeyRevoked, id, json!({}));
        let write = move |tx: &mut Tx| {
            let revoked = api_keys::revoke(tx, user, id, now)?;
            if revoked {
                audit::append(tx, &vault, entry)?;
            }
            Ok(revoked)
        };
        if !self.store().write(write).await? {
            return Err(Error::NotFound("key"));
        }
        self.ending().end_key(id);
        Ok(())
    }

    /// Whose key this is, if it is one that still counts.
    pub async fn authenticate(&self, secret: &str) -> Result<Option<Principal>> {
        let hash = secret_hash(secret);
        let found = self.store().glance(move |tx| api_keys::by_hash(tx, hash)).await?;
        let now = self.now();
        Ok(found.filter(|key| is_alive(key, now)).map(|key| Principal {
            user_id: key.user_id,
            role: key.role,
            credential: Credential::Key { id: key.key_id, scope: key.scope, source: key.source() },
        }))
    }
}
