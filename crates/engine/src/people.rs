//! People and the keys of their programs.

use crate::{
    agents::check_name,
    engine::Engine,
    error::{Error, Result},
};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{Agent, ApiKey, ApiKeyId, CapabilityRef, Scope, Timestamp, User, UserId, UserRole};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{Tx, api_keys, audit, audit::AuditEntry, users, users::NewUser};

const PASSWORD_CHARS: std::ops::RangeInclusive<usize> = 8..=1_000;
const KEY_PREFIX: &str = "mjd_";

/// Who is asking, and with what rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    pub user_id: UserId,
    pub role: UserRole,
    /// What the key allows; none for somebody who acts through the control socket.
    pub scope: Option<Scope>,
}

/// A person to be.
pub struct NewPerson {
    pub name: String,
    pub role: UserRole,
    /// None for somebody who only uses the terminal.
    pub password: Option<String>,
    pub time_zone: Option<String>,
}

pub struct NewKey {
    pub user_id: UserId,
    pub name: String,
    pub scope: Scope,
    pub expires_at: Option<Timestamp>,
}

/// A key with its secret, which is shown once and nowhere kept.
pub struct IssuedKey {
    pub key: ApiKey,
    pub secret: String,
}

impl Engine {
    /// Creates a person together with their agent `main`.
    pub async fn create_person(&self, new: NewPerson) -> Result<User> {
        check_name(&new.name, "a name")?;
        let password_hash = match new.password {
            Some(password) => Some(hash_password(password).await?),
            None => None,
        };
        let now = self.now();
        let id = UserId::from_uuid(self.inner.ids.uuid());
        let user = NewUser {
            id,
            name: new.name,
            role: new.role,
            password_hash,
            time_zone: new.time_zone.unwrap_or_else(|| "UTC".to_owned()),
            language: "en".to_owned(),
            at: now,
        };
        let mut main = self.blank_agent(id, Agent::MAIN.to_owned(), now);
        main.capabilities = vec![CapabilityRef::from("current_time")];
        let engine = self.clone();
        let write = async move |tx: &mut Tx| {
            let vault = engine.store().vault();
            let user = users::create(tx, vault, user).await?;
            let key = users::data_key(tx, vault, id).await?;
            store::agents::create(tx, &key, &main).await?;
            let detail = json!({ "role": user.role });
            audit::append(tx, vault, entry(now, id, "user.created", id.to_string(), detail)).await?;
            Ok(user)
        };
        self.store().write(write).await.map_err(|error| match error {
            store::Error::Conflict(what) => Error::conflict("user_exists", what),
            other => other.into(),
        })
    }

    pub async fn owner(&self) -> Result<Option<User>> {
        let store = self.store().clone();
        Ok(self.store().read(async move |tx| users::owner(tx, store.vault()).await).await?)
    }

    pub async fn user(&self, id: UserId) -> Result<User> {
        let store = self.store().clone();
        let read = async move |tx: &mut Tx| users::by_id(tx, store.vault(), id).await;
        self.store().read(read).await?.ok_or(Error::NotFound("user"))
    }

    pub async fn user_by_name(&self, name: String) -> Result<User> {
        let store = self.store().clone();
        let read = async move |tx: &mut Tx| users::by_name(tx, store.vault(), &name).await;
        self.store().read(read).await?.ok_or(Error::NotFound("user"))
    }

    pub(crate) async fn time_zone(&self, id: UserId) -> Option<String> {
        self.user(id).await.ok().map(|user| user.time_zone)
    }

    pub async fn issue_key(&self, new: NewKey) -> Result<IssuedKey> {
        check_name(&new.name, "a key's name")?;
        let now = self.now();
        if new.expires_at.is_some_and(|at| at <= now) {
            return Err(Error::invalid("bad_expiry", "expires_at is in the past"));
        }
        let bytes: [u8; 32] = random()?;
        let secret = format!("{KEY_PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes));
        let key = ApiKey {
            id: ApiKeyId::from_uuid(self.inner.ids.uuid()),
            user_id: new.user_id,
            name: new.name,
            scope: new.scope,
            expires_at: new.expires_at,
            created_at: now,
        };
        let data_key = self.store().data_key(new.user_id).await?;
        let (saved, hash, engine) = (key.clone(), hash_key(&secret), self.clone());
        let write = async move |tx: &mut Tx| {
            api_keys::create(tx, &data_key, &saved, hash).await?;
            let detail = json!({ "scope": saved.scope });
            let entry = entry(now, saved.user_id, "api_key.created", saved.id.to_string(), detail);
            audit::append(tx, engine.store().vault(), entry).await
        };
        self.store().write(write).await?;
        Ok(IssuedKey { key, secret })
    }

    /// Whose key this is, if it is one that still counts.
    pub async fn authenticate(&self, secret: &str) -> Result<Option<Principal>> {
        // The secret has 256 random bits, so looking its hash up tells nobody anything.
        let hash = hash_key(secret);
        let found = self.store().read(async move |tx| api_keys::by_hash(tx, hash).await).await?;
        let now = self.now();
        let valid = found.filter(|key| key.expires_at.is_none_or(|at| at > now));
        Ok(valid.map(|key| Principal { user_id: key.user_id, role: key.role, scope: Some(key.scope) }))
    }
}

fn entry(
    at: Timestamp,
    user: UserId,
    action: &str,
    subject: String,
    detail: serde_json::Value,
) -> AuditEntry {
    AuditEntry {
        at,
        user_id: Some(user),
        actor: "operator".to_owned(),
        action: action.to_owned(),
        subject,
        detail,
    }
}

fn hash_key(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| Error::Internal)?;
    Ok(bytes)
}

/// Argon2id, on a thread of its own: it is slow on purpose.
async fn hash_password(password: String) -> Result<String> {
    if !PASSWORD_CHARS.contains(&password.chars().count()) {
        return Err(Error::invalid("bad_password", "a password has 8 to 1000 characters"));
    }
    let hashing = tokio::task::spawn_blocking(move || {
        let params = Params::new(64 * 1024, 3, 1, None).map_err(|_| Error::Internal)?;
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        argon.hash_password(password.as_bytes()).map(|hash| hash.to_string()).map_err(|_| Error::Internal)
    });
    hashing.await.map_err(|_| Error::Internal)?
}
