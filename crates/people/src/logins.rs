//! Signing in and out, and proving once more that it is really oneself.

use crate::{
    People,
    error::{Error, Result},
};
use crate::{
    login_throttle::{SignInAttempt, network_of},
    new_secret,
    principal::{Credential, Principal},
    secret_hash,
};
use domain::{Login, LoginId, Timestamp, User, UserId};
use serde_json::json;
use std::net::IpAddr;
use store::{
    DataKey, Tx, account_links,
    audit::{self, Action},
    known_places::{self, SignInPlace},
    logins::{self, LoginOwner, NewLogin},
    users,
};

/// A login that was not used for this long has ended.
const IDLE_MS: i64 = 12 * 3_600 * 1_000;
/// Every login has ended after this long.
const ABSOLUTE_MS: i64 = 30 * 24 * 3_600 * 1_000;
/// Use is noted this often: a write for every request would be too much.
const NOTED_MS: i64 = 5 * 60 * 1_000;
const USER_AGENT_CHARACTERS: usize = 200;
/// In the audit log, a person or an account whose name is not known.
const UNKNOWN: &str = "unknown";

/// A person who wants to sign in.
pub struct LoginAttempt {
    pub name: String,
    pub password: String,
    pub from: Whence,
}

/// Where an attempt to sign in comes from.
#[derive(Clone, Debug, Default)]
pub struct Whence {
    pub address: Option<IpAddr>,
    pub user_agent: Option<String>,
    /// The secret of the login that the same browser has had; it ends with the new one.
    pub previous: Option<String>,
    /// The secret by which the browser is known, if a person has signed in there before.
    pub browser: Option<String>,
    /// Where and how the browser says it is, for a person who signs in for the first time.
    pub time_zone: Option<String>,
    pub language: Option<String>,
}

/// A person who is in, and the secret by which they are known from now on.
pub struct SignedIn {
    pub user: User,
    pub login_id: LoginId,
    pub secret: String,
    /// What the browser keeps, also when they have signed out.
    pub browser: String,
}

/// Does a login that was not ended still count?
pub(crate) fn is_alive(login: &LoginOwner, now: Timestamp) -> bool {
    login.created_at.plus_millis(ABSOLUTE_MS) > now && login.seen_at.plus_millis(IDLE_MS) > now
}

impl People {
    /// THREAT[login-02] A name that no person has, a person without a password and a wrong password are the same answer after
    /// the same work.
    pub async fn login(&self, attempt: LoginAttempt) -> Result<SignedIn> {
        let LoginAttempt { name, password, from } = attempt;
        let mut known = None;
        if let Err(refused) = self.throttle(SignInAttempt::Login { name: &name, address: from.address }).await
        {
            if !matches!(refused, Error::TooMany { .. }) {
                return Err(refused);
            }
            known = self.known_place(&name, &from).await?;
            let place = known.as_deref().ok_or(refused)?;
            self.throttle(SignInAttempt::Known { name: &name, place }).await?;
        }
        let (store, asked) = (self.store().clone(), name.clone());
        let read = move |tx: &mut Tx| users::credentials(tx, store.vault(), &asked);
        let found = self.store().read(read).await?;
        let hash = found.as_ref().and_then(|(_, _, hash)| hash.clone());
        let fits = match self.inner.passwords.verify(password.clone(), hash.clone()).await {
            Err(refused @ Error::TooMany { .. }) => {
                if known.is_none() && self.known_place(&name, &from).await?.is_none() {
                    return Err(refused);
                }
                self.inner.passwords.verify_known(password, hash.clone()).await?
            }
            checked => checked?,
        };
        match found {
            Some((id, ..)) if fits => {
                let user = self.user(id).await.map_err(|_| bad_credentials())?;
                let user = self.settle_in(user, &from).await?;
                self.sign_in(user, from, hash).await
            }
            other => {
                self.note_failure(other.map(|(id, ..)| id), &from).await?;
                Err(bad_credentials())
            }
        }
    }

    /// Where this comes from, if the person of that name has signed in from there: first the browser, which is one
    /// person's, then the address, which may be many people's.
    async fn known_place(&self, name: &str, from: &Whence) -> Result<Option<String>> {
        let (store, name, browser) = (self.store().clone(), name.to_owned(), from.browser.clone());
        let address = from.address.map(|address| network_of(address).to_string());
        let read = move |tx: &mut Tx| {
            if let Some(browser) = browser
                && known_places::is_known(tx, store.vault(), &name, SignInPlace::Browser(&browser))?
            {
                return Ok(Some(browser));
            }
            let Some(address) = address else { return Ok(None) };
            let known = known_places::is_known(tx, store.vault(), &name, SignInPlace::Address(&address))?;
            Ok(known.then_some(address))
        };
        Ok(self.store().read(read).await?)
    }

    /// A new secret for a person who has proved who they are, by the password of this hash if there is one.
    ///
    /// THREAT[login-05] Checking a password takes a while, in which it may be replaced because another person has it. A
    /// login that was begun with the old one must not be made after the others were ended.
    pub(crate) async fn sign_in(&self, user: User, from: Whence, proof: Option<String>) -> Result<SignedIn> {
        let (now, secret, key) = (self.now(), new_secret()?, self.store().data_key(user.id).await?);
        let login_id = LoginId::from_uuid(self.inner.ids.uuid());
        let (kept, fresh) = (from.browser, new_secret()?);
        let network = from.address.map(|address| network_of(address).to_string());
        let new = NewLogin {
            id: login_id,
            user_id: user.id,
            secret_hash: secret_hash(&secret),
            user_agent: from.user_agent.map(|text| text.chars().take(USER_AGENT_CHARACTERS).collect()),
            address: from.address.map(|address| address.to_string()),
            at: now,
        };
        let actor = format!("{} by {login_id}", user.id);
        let detail = json!({ "address": new.address });
        let entry = self.entry(actor, Some(user.id), Action::LoginSucceeded, login_id, detail);
        let (vault, previous) =
            (self.store().vault().clone(), from.previous.map(|secret| secret_hash(&secret)));
        let user_id = user.id;
        let write = move |tx: &mut Tx| {
            if let Some(hash) = proof
                && !users::still_has_password(tx, user_id, &hash)?
            {
                return Ok(None);
            }
            logins::forget(tx, now.plus_millis(-ABSOLUTE_MS), now.plus_millis(-IDLE_MS))?;
            let replaced = replace(tx, previous)?;
            logins::create(tx, &key, new)?;
            let browser = match kept {
                // What a browser says is believed only if it was given that here.
                Some(kept) if known_places::is_known_to_anybody(tx, &vault, SignInPlace::Browser(&kept))? => {
                    kept
                }
                _ => fresh,
            };
            let places = network
                .as_deref()
                .map(SignInPlace::Address)
                .into_iter()
                .chain([SignInPlace::Browser(&browser)]);
            known_places::remember(tx, &vault, user_id, &places.collect::<Vec<_>>(), now)?;
            audit::append(tx, &vault, entry)?;
            Ok(Some((replaced, browser)))
        };
        let (replaced, browser) = self.store().write(write).await?.ok_or_else(bad_credentials)?;
        if let Some(replaced) = replaced {
            self.ending().end_login(replaced);
        }
        Ok(SignedIn { user, login_id, secret, browser })
    }

    async fn note_failure(&self, user: Option<UserId>, from: &Whence) -> Result<()> {
        let subject = user.map_or_else(|| UNKNOWN.to_owned(), |id| id.to_string());
        let detail = json!({ "address": from.address.map(|address| address.to_string()) });
        let entry = self.entry(UNKNOWN.to_owned(), user, Action::LoginFailed, subject, detail);
        let vault = self.store().vault().clone();
        Ok(self.store().write(move |tx| audit::append(tx, &vault, entry)).await?)
    }

    /// Whose login this is, if it is one that still counts.
    pub async fn authenticate_login(&self, secret: &str) -> Result<Option<Principal>> {
        let hash = secret_hash(secret);
        let found = self.store().glance(move |tx| logins::by_hash(tx, hash)).await?;
        let now = self.now();
        let Some(login) = found.filter(|login| is_alive(login, now)) else { return Ok(None) };
        let id = login.login_id;
        if login.seen_at.plus_millis(NOTED_MS) <= now {
            self.store().write(move |tx| logins::touch(tx, id, now)).await?;
        }
        let credential = Credential::Login { id, confirmed_at: login.confirmed_at };
        Ok(Some(Principal { user_id: login.user_id, role: login.role, credential }))
    }

    /// Those that still count, the newest first.
    pub async fn logins(&self, user: UserId) -> Result<Vec<Login>> {
        let (key, now): (DataKey, _) = (self.store().data_key(user).await?, self.now());
        let mut found = self.store().read(move |tx| logins::list(tx, &key, user)).await?;
        found.retain(|login| {
            login.created_at.plus_millis(ABSOLUTE_MS) > now && login.seen_at.plus_millis(IDLE_MS) > now
        });
        Ok(found)
    }

    pub async fn end_login(&self, who: &Principal, id: LoginId) -> Result<()> {
        let (user, vault) = (who.user_id, self.store().vault().clone());
        let entry = self.entry(who.actor(), Some(user), Action::LoginEnded, id, json!({}));
        let write = move |tx: &mut Tx| {
            let ended = logins::end(tx, user, id)?;
            if ended {
                audit::append(tx, &vault, entry)?;
            }
            Ok(ended)
        };
        if !self.store().write(write).await? {
            return Err(Error::NotFound("login"));
        }
        self.ending().end_login(id);
        Ok(())
    }

    /// Proves once more who is there; counts for five minutes, for this login only.
    pub async fn confirm(&self, who: &Principal, password: String, address: Option<IpAddr>) -> Result<()> {
        let Some(login) = who.login_id() else {
            let detail = "Only a sign-in can be confirmed. API keys and the terminal do not need this.";
            return Err(Error::conflict("no_login", detail));
        };
        let proof = self.check_password(who, password, address).await?;
        let (now, user, vault) = (self.now(), who.user_id, self.store().vault().clone());
        let entry = self.entry(who.actor(), Some(user), Action::LoginConfirmed, login, json!({}));
        let write = move |tx: &mut Tx| {
            let confirmed = users::still_has_password(tx, user, &proof)? && logins::confirm(tx, login, now)?;
            if confirmed {
                audit::append(tx, &vault, entry)?;
            }
            Ok(confirmed)
        };
        match self.store().write(write).await? {
            true => Ok(()),
            false => Err(Error::unauthorized("unauthorized", "You are no longer signed in. Sign in again.")),
        }
    }

    /// Replaces the caller's own password and ends their other logins.
    pub async fn change_password(
        &self,
        who: &Principal,
        old: String,
        new: String,
        address: Option<IpAddr>,
    ) -> Result<()> {
        let proof = self.check_password(who, old, address).await?;
        let hash = self.inner.passwords.hash(new).await?;
        let (user, but, vault) = (who.user_id, who.login_id(), self.store().vault().clone());
        let entry = self.entry(who.actor(), Some(user), Action::PasswordChanged, user, json!({}));
        let write = move |tx: &mut Tx| {
            if !users::still_has_password(tx, user, &proof)? {
                return Ok(false);
            }
            users::set_password_hash(tx, user, Some(&hash))?;
            logins::end_all(tx, user, but)?;
            account_links::end_of(tx, user)?;
            audit::append(tx, &vault, entry)?;
            Ok(true)
        };
        if !self.store().write(write).await? {
            return Err(wrong_password());
        }
        self.ending().end_logins(user, but);
        Ok(())
    }

    /// The hash that the password was found to have.
    async fn check_password(
        &self,
        who: &Principal,
        password: String,
        address: Option<IpAddr>,
    ) -> Result<String> {
        let user = who.user_id;
        self.throttle(SignInAttempt::Person { user }).await?;
        let hash = self.store().read(move |tx| users::password_hash(tx, user)).await?;
        let fits = self.inner.passwords.verify_known(password, hash.clone()).await?;
        if let Some(hash) = hash.filter(|_| fits) {
            return Ok(hash);
        }
        let from = Whence { address, ..Whence::default() };
        self.note_failure(Some(user), &from).await?;
        Err(wrong_password())
    }

    /// How many passwords were hashed or checked since the start.
    pub fn password_operations(&self) -> u64 {
        self.inner.passwords.operations()
    }
}

fn replace(tx: &mut Tx, previous: Option<[u8; 32]>) -> store::Result<Option<LoginId>> {
    let Some(hash) = previous else { return Ok(None) };
    let Some(login) = logins::by_hash(tx, hash)? else { return Ok(None) };
    logins::end(tx, login.user_id, login.login_id)?;
    Ok(Some(login.login_id))
}

fn wrong_password() -> Error {
    Error::forbidden("wrong_password", "Wrong password.")
}

fn bad_credentials() -> Error {
    Error::unauthorized("bad_credentials", "Wrong name or password.")
}
