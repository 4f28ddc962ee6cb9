//! Links that an admin gives to one person: to create their account, or to choose a new password.
//!
//! THREAT[login-07] A link is a password for a while, and travels by whatever way people write to each other. So it counts once
//! and for a limited time, only its hash is stored, and it counts no longer than its maker may manage accounts.

use crate::{
    People, check_name,
    error::{Error, Result},
    logins::{SignedIn, Whence},
    new_secret,
    principal::Principal,
    profile::{check_language, check_time_zone},
    secret_hash,
    users::{Arrival, NewPerson, check_admin, check_target},
};
use domain::{AccountLink, AccountLinkId, Timestamp, User, UserId, UserRole};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{
    Tx, account_links,
    audit::{self, Action},
    logins, users,
};

const HOUR_MS: i64 = 3_600_000;
const USUAL_HOURS: u32 = 72;
const MOST_HOURS: u32 = 720;
/// That can be used at one time, of the whole server.
const MOST: u64 = 200;

/// What an admin asks for: an invitation with a role, or a new password for a person.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewAccountLink {
    /// The role of the person who is invited.
    pub role: Option<UserRole>,
    /// The person who chooses a new password.
    pub user_id: Option<UserId>,
    /// How long it can be used; 72 when absent.
    #[schemars(range(min = 1, max = 720))]
    pub valid_hours: Option<u32>,
}

/// What the holder of a link is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AccountLinkView {
    /// The name of the account whose password is chosen; null: a new account is created.
    pub name: Option<String>,
    pub role: UserRole,
    /// The name of the admin who made the link.
    pub made_by: String,
    pub expires_at: Timestamp,
}

/// What the holder of a link says. Without `Debug`: it holds a password.
pub struct Joining {
    pub token: String,
    /// For a new account.
    pub name: Option<String>,
    pub password: String,
    pub time_zone: Option<String>,
    pub language: Option<String>,
}

impl People {
    /// The link and its secret, which is shown once and nowhere kept.
    pub async fn make_account_link(
        &self,
        who: &Principal,
        new: NewAccountLink,
    ) -> Result<(AccountLink, String)> {
        check_admin(who)?;
        who.check_confirmed(self.now())?;
        let hours = new.valid_hours.unwrap_or(USUAL_HOURS);
        if !(1..=MOST_HOURS).contains(&hours) {
            let detail = format!("valid_hours must be 1 to {MOST_HOURS}.");
            return Err(Error::invalid("bad_expiry", detail));
        }
        let role = match (new.role, new.user_id) {
            (Some(role), None) if role != UserRole::Owner => role,
            (None, Some(user)) => self.target_of_link(who, user).await?,
            _ => {
                let detail = "Name a role other than owner to invite a person, or a user_id for a new password, not both.";
                return Err(Error::invalid("bad_account_link", detail));
            }
        };
        let (secret, now) = (new_secret()?, self.now());
        let link = AccountLink {
            id: AccountLinkId::from_uuid(self.inner.ids.uuid()),
            made_by: who.user_id,
            user_id: new.user_id,
            role,
            created_at: now,
            expires_at: now.plus_millis(i64::from(hours) * HOUR_MS),
        };
        let (hash, vault) = (secret_hash(&secret), self.store().vault().clone());
        let detail = json!({ "role": role, "for": new.user_id, "expires_at": link.expires_at });
        let entry = self.entry(
            who.actor(),
            Some(new.user_id.unwrap_or(who.user_id)),
            Action::InvitationCreated,
            link.id,
            detail,
        );
        let write = move |tx: &mut Tx| {
            account_links::prune(tx, now)?;
            let has_room = account_links::create(tx, &link, hash, MOST)?;
            if has_room {
                audit::append(tx, &vault, entry)?;
            }
            Ok(has_room)
        };
        if !self.store().write(write).await? {
            let detail = format!("There are already {MOST} open links. Revoke some that are not needed.");
            return Err(Error::conflict("too_many_links", detail));
        }
        Ok((link, secret))
    }

    async fn target_of_link(&self, who: &Principal, id: UserId) -> Result<UserRole> {
        let unknown = || Error::invalid("unknown_user", "user_id: There is no such account.");
        let user = self.user(id).await.map_err(|error| match error {
            Error::NotFound(_) => unknown(),
            other => other,
        })?;
        check_target(who, &user)?;
        if id == who.user_id && !who.is_operator() {
            let detail = "Change your own password with POST /v1/me/password, which asks for the old one.";
            return Err(Error::conflict("own_password", detail));
        }
        Ok(user.role)
    }

    /// Those that can still be used, the newest first.
    pub async fn account_links(&self) -> Result<Vec<AccountLink>> {
        let (now, most) = (self.now(), u32::try_from(MOST).unwrap_or(u32::MAX));
        Ok(self.store().read(move |tx| account_links::list(tx, now, most)).await?)
    }

    pub async fn revoke_account_link(&self, who: &Principal, id: AccountLinkId) -> Result<()> {
        check_admin(who)?;
        let vault = self.store().vault().clone();
        let entry = self.entry(who.actor(), Some(who.user_id), Action::InvitationRevoked, id, json!({}));
        let write = move |tx: &mut Tx| {
            let ended = account_links::end(tx, id)?;
            if ended {
                audit::append(tx, &vault, entry)?;
            }
            Ok(ended)
        };
        if self.store().write(write).await? { Ok(()) } else { Err(Error::NotFound("link")) }
    }

    /// What a link is for. It still counts afterwards.
    pub async fn look_at_account_link(&self, token: &str, from: &Whence) -> Result<AccountLinkView> {
        self.throttle_link(from.address, self.known_account_link(token)).await?;
        let (link, maker, person) = self.open_account_link(token).await?;
        Ok(AccountLinkView {
            name: person.map(|person| person.name),
            role: link.role,
            made_by: maker.name,
            expires_at: link.expires_at,
        })
    }

    async fn account_link_of(&self, token: &str) -> Result<Option<AccountLink>> {
        let (hash, now) = (secret_hash(token), self.now());
        Ok(self.store().read(move |tx| account_links::by_hash(tx, hash, now)).await?)
    }

    /// As what tries of this link are counted, if there is one.
    async fn known_account_link(&self, token: &str) -> Result<Option<String>> {
        Ok(self.account_link_of(token).await?.map(|link| link.id.to_string()))
    }

    /// The link with its maker, who may still do what it does, and the person whose password it is for.
    async fn open_account_link(&self, token: &str) -> Result<(AccountLink, User, Option<User>)> {
        let link = self.account_link_of(token).await?.ok_or_else(dead)?;
        let maker = self.user(link.made_by).await.map_err(|_| dead())?;
        let person = match link.user_id {
            Some(id) => Some(self.user(id).await.map_err(|_| dead())?),
            None => None,
        };
        let is_owners = person.as_ref().is_some_and(|person| person.role == UserRole::Owner);
        if !maker.role.is_admin() || (is_owners && maker.role != UserRole::Owner) {
            return Err(dead());
        }
        Ok((link, maker, person))
    }

    /// Creates the account, or sets the password, and signs the person in. Of several at once exactly one succeeds.
    pub async fn join(&self, joining: Joining, from: Whence) -> Result<SignedIn> {
        self.throttle_link(from.address, self.known_account_link(&joining.token)).await?;
        let (link, _, person) = self.open_account_link(&joining.token).await?;
        match person {
            Some(person) => self.choose_password(link, person, joining.password, from).await,
            None => self.create_invited(link, joining, from).await,
        }
    }

    async fn create_invited(&self, link: AccountLink, joining: Joining, from: Whence) -> Result<SignedIn> {
        let Joining { name, password, time_zone, language, .. } = joining;
        let name = name.unwrap_or_default();
        check_name(&name, "A name")?;
        // A browser says where it is; what is no place says nothing.
        let time_zone = time_zone.filter(|zone| check_time_zone(zone).is_ok());
        let language = language.filter(|tag| check_language(tag).is_ok());
        let person = NewPerson { name, role: link.role, password: Some(password), time_zone };
        let arrival =
            Arrival { actor: format!("{} by invitation", link.made_by), link: Some(link.id), language };
        let user = self.create_arriving(arrival, person).await?.ok_or_else(dead)?;
        self.sign_in(user, from, None).await
    }

    async fn choose_password(
        &self,
        link: AccountLink,
        person: User,
        password: String,
        from: Whence,
    ) -> Result<SignedIn> {
        let hash = self.inner.passwords.hash(password).await?;
        let (id, vault) = (person.id, self.store().vault().clone());
        let actor = format!("{id} by {}", link.id);
        let entry = self.entry(actor, Some(id), Action::PasswordChanged, id, json!({ "by": link.made_by }));
        let write = move |tx: &mut Tx| {
            if !account_links::end(tx, link.id)? {
                return Ok(false);
            }
            users::set_password_hash(tx, id, Some(&hash))?;
            logins::end_all(tx, id, None)?;
            // The person who had the old password may have made some.
            account_links::end_of(tx, id)?;
            audit::append(tx, &vault, entry)?;
            Ok(true)
        };
        if !self.store().write(write).await? {
            return Err(dead());
        }
        self.ending().end_logins(id, None);
        self.sign_in(person, from, None).await
    }
}

fn dead() -> Error {
    let detail = "This link is wrong, was already used or revoked, or is too old. Ask the person who gave it to you for a new one.";
    Error::unauthorized("dead_link", detail)
}
