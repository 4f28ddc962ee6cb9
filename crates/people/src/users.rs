//! The people of the house: added, changed and removed.

use crate::{
    People, check_name,
    error::{Error, Result},
    principal::Principal,
    profile::{self, check_budget, check_time_zone},
};
use domain::{AccountLinkId, Agent, AgentId, Budget, Change, User, UserId, UserRole};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::{
    Conflict, Tx, account_links, agents,
    audit::{self, Action},
    logins, setup_links,
    users::{self, NewUser},
};

/// A person to be.
pub struct NewPerson {
    pub name: String,
    pub role: UserRole,
    /// None for a person who only uses the terminal.
    pub password: Option<String>,
    pub time_zone: Option<String>,
}

/// How a person comes to have an account.
pub(crate) struct Arrival {
    /// By whom, for the audit log.
    pub(crate) actor: String,
    /// The invitation that they use up.
    pub(crate) link: Option<AccountLinkId>,
    pub(crate) language: Option<String>,
}

/// What an admin changes about a person.
// Without `Debug`: it holds a password.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserChange {
    pub name: Option<String>,
    pub role: Option<UserRole>,
    pub password: Option<String>,
    /// What they may spend; null leaves it to the settings file of the server.
    pub budget: Change<Budget>,
}

impl People {
    /// Creates a person together with their agent `main`; whether they may be created is the caller's to know.
    pub async fn create_person(&self, new: NewPerson) -> Result<User> {
        self.create_person_by("operator".to_owned(), new).await
    }

    /// Creates a person whom an admin wants.
    pub async fn add_user(&self, who: &Principal, new: NewPerson) -> Result<User> {
        check_admin(who)?;
        who.check_confirmed(self.now())?;
        self.create_person_by(who.actor(), new).await
    }

    pub(crate) async fn create_person_by(&self, actor: String, new: NewPerson) -> Result<User> {
        let arrival = Arrival { actor, link: None, language: None };
        self.create_arriving(arrival, new).await?.ok_or(Error::Internal)
    }

    /// `None` when the link that they came by is used up.
    pub(crate) async fn create_arriving(&self, arrival: Arrival, new: NewPerson) -> Result<Option<User>> {
        let Arrival { actor, link, language } = arrival;
        check_name(&new.name, "A name")?;
        let time_zone = new.time_zone.unwrap_or_else(|| profile::DEFAULT_ZONE.to_owned());
        check_time_zone(&time_zone)?;
        let password_hash = match new.password {
            Some(password) => Some(self.inner.passwords.hash(password).await?),
            None => None,
        };
        let (now, id) = (self.now(), UserId::from_uuid(self.inner.ids.uuid()));
        let language = language.unwrap_or_else(|| profile::DEFAULT_LANGUAGE.to_owned());
        let user =
            NewUser { id, name: new.name, role: new.role, password_hash, time_zone, language, at: now };
        let agent_id = AgentId::from_uuid(self.inner.ids.uuid());
        let first = &self.inner.first_agent;
        let mut main = Agent::blank(agent_id, id, Agent::MAIN.to_owned(), first.limits, now);
        main.capabilities.clone_from(&first.capabilities);
        let entry = self.entry(actor, Some(id), Action::UserCreated, id, json!({ "role": new.role }));
        let vault = self.store().vault().clone();
        let write = move |tx: &mut Tx| {
            if let Some(link) = link
                && !account_links::end(tx, link)?
            {
                return Ok(None);
            }
            let user = users::create(tx, &vault, user)?;
            if user.role == UserRole::Owner {
                setup_links::end_all(tx)?;
            }
            let key = users::data_key(tx, &vault, id)?;
            agents::create(tx, &key, &main)?;
            audit::append(tx, &vault, entry)?;
            Ok(Some(user))
        };
        let user = self.store().write(write).await.map_err(name_taken)?;
        if user.as_ref().is_some_and(|user| user.role == UserRole::Owner) {
            self.inner.setup.close();
            self.inner.other_nodes.note_settled();
        }
        Ok(user)
    }

    pub async fn owner(&self) -> Result<Option<User>> {
        let store = self.store().clone();
        Ok(self.store().read(move |tx| users::owner(tx, store.vault())).await?)
    }

    pub async fn user(&self, id: UserId) -> Result<User> {
        let store = self.store().clone();
        let read = move |tx: &mut Tx| users::by_id(tx, store.vault(), id);
        self.store().read(read).await?.ok_or(Error::NotFound("user"))
    }

    pub async fn user_by_name(&self, name: String) -> Result<User> {
        let store = self.store().clone();
        let read = move |tx: &mut Tx| users::by_name(tx, store.vault(), &name);
        self.store().read(read).await?.ok_or(Error::NotFound("user"))
    }

    /// Everybody, in the order in which they came.
    pub async fn users(&self) -> Result<Vec<User>> {
        let store = self.store().clone();
        Ok(self.store().read(move |tx| users::list(tx, store.vault())).await?)
    }

    /// Changes a person's name, role or password. A new role or password ends their logins, and what runs for them.
    pub async fn change_user(&self, who: &Principal, id: UserId, change: UserChange) -> Result<User> {
        check_admin(who)?;
        who.check_confirmed(self.now())?;
        let mut user = self.user(id).await?;
        check_target(who, &user)?;
        let UserChange { name, role, password, budget } = change;
        if password.is_some() && user.id == who.user_id && !who.is_operator() {
            let detail = "Change your own password with POST /v1/me/password, which asks for the old one.";
            return Err(Error::conflict("own_password", detail));
        }
        let (mut what, role) = apply(who, &mut user, name, role, budget)?;
        let hash = match password {
            Some(password) => Some(self.inner.passwords.hash(password).await?),
            None => None,
        };
        if hash.is_some() {
            what.insert("password".to_owned(), json!("changed"));
        }
        if what.is_empty() {
            return Ok(user);
        }
        let ends_logins = role.is_some() || hash.is_some();
        let entry = self.entry(who.actor(), Some(id), Action::UserChanged, id, what.into());
        let (saved, vault) = (user.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            let known = users::update(tx, &vault, &saved)?;
            users::set_house_budget(tx, id, saved.budget.house)?;
            if let Some(role) = role {
                users::set_role(tx, id, role)?;
            }
            if let Some(hash) = &hash {
                users::set_password_hash(tx, id, Some(hash))?;
            }
            if ends_logins {
                logins::end_all(tx, id, None)?;
                account_links::end_of(tx, id)?;
            }
            audit::append(tx, &vault, entry)?;
            Ok(known)
        };
        if !self.store().write(write).await.map_err(name_taken)? {
            return Err(Error::NotFound("user"));
        }
        if ends_logins {
            self.ending().end_user(id);
        }
        Ok(user)
    }
}

/// What of the person is another than before, and the role if that is. Nothing is saved.
fn apply(
    who: &Principal,
    user: &mut User,
    name: Option<String>,
    role: Option<UserRole>,
    budget: Change<Budget>,
) -> Result<(Map<String, Value>, Option<UserRole>)> {
    let mut what = Map::new();
    if let Some(name) = name.filter(|name| *name != user.name) {
        check_name(&name, "A name")?;
        user.name = name;
        what.insert("name".to_owned(), json!("changed"));
    }
    let role = role.filter(|role| *role != user.role);
    if let Some(role) = role {
        check_role(who, user, role)?;
        what.insert("role".to_owned(), json!({ "from": user.role, "to": role }));
        user.role = role;
    }
    let before = user.budget.house;
    budget.apply(&mut user.budget.house, Budget::NONE);
    check_budget(&user.budget.house)?;
    if user.budget.house != before {
        what.insert("budget".to_owned(), json!({ "from": before, "to": user.budget.house }));
    }
    Ok((what, role))
}

pub(crate) fn check_admin(who: &Principal) -> Result<()> {
    if who.role.is_admin() {
        return Ok(());
    }
    Err(Error::forbidden("role_insufficient", "Only the owner and admins can manage accounts."))
}

pub(crate) fn check_target(who: &Principal, user: &User) -> Result<()> {
    if user.role == UserRole::Owner && who.role != UserRole::Owner {
        return Err(Error::forbidden("owner_untouchable", "Only the owner can change the owner account."));
    }
    Ok(())
}

fn check_role(who: &Principal, user: &User, role: UserRole) -> Result<()> {
    if role == UserRole::Owner || user.role == UserRole::Owner {
        return Err(Error::conflict("one_owner", "There is exactly one owner, and this cannot be changed."));
    }
    if user.id == who.user_id {
        return Err(Error::conflict("own_role", "You cannot change your own role. Ask another admin."));
    }
    Ok(())
}

fn name_taken(error: store::Error) -> Error {
    match error {
        store::Error::Conflict(what @ (Conflict::UserName | Conflict::SecondOwner)) => {
            Error::conflict("user_exists", what.to_string())
        }
        other => other.into(),
    }
}
