//! The people of the house: added, changed and removed.

use crate::people::{
    principal::Principal,
    profile::{self, check_budget, check_time_zone},
};
use crate::{
    agents::check_name,
    engine::Engine,
    error::{Error, Result},
    patch::Change,
};
use domain::{Agent, Budget, CapabilityRef, User, UserId, UserRole};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, json};
use std::time::Duration;
use store::{
    Conflict, Tx, agents, api_keys,
    audit::{self, Action},
    logins,
    users::{self, NewUser},
};
use tokio::time::Instant;

/// What the agents of somebody who is removed get to stop.
const STOPPING: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A person to be.
pub struct NewPerson {
    pub name: String,
    pub role: UserRole,
    /// None for somebody who only uses the terminal.
    pub password: Option<String>,
    pub time_zone: Option<String>,
}

/// What is changed about a person by somebody else. Without `Debug`: it holds a password.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserChange {
    pub name: Option<String>,
    pub role: Option<UserRole>,
    pub password: Option<String>,
    /// What they may spend; null leaves it to the configuration of the house.
    pub budget: Change<Budget>,
}

impl Engine {
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

    pub(super) async fn create_person_by(&self, actor: String, new: NewPerson) -> Result<User> {
        check_name(&new.name, "A name")?;
        let time_zone = new.time_zone.unwrap_or_else(|| profile::DEFAULT_ZONE.to_owned());
        check_time_zone(&time_zone)?;
        let password_hash = match new.password {
            Some(password) => Some(self.inner.passwords.hash(password).await?),
            None => None,
        };
        let (now, id) = (self.now(), UserId::from_uuid(self.inner.ids.uuid()));
        let language = profile::DEFAULT_LANGUAGE.to_owned();
        let user =
            NewUser { id, name: new.name, role: new.role, password_hash, time_zone, language, at: now };
        let mut main = self.blank_agent(id, Agent::MAIN.to_owned(), now);
        main.capabilities = vec![CapabilityRef::from("current_time")];
        let entry = self.entry(actor, Some(id), Action::UserCreated, id, json!({ "role": new.role }));
        let vault = self.store().vault().clone();
        let write = async move |tx: &mut Tx| {
            let user = users::create(tx, &vault, user).await?;
            let key = users::data_key(tx, &vault, id).await?;
            agents::create(tx, &key, &main).await?;
            audit::append(tx, &vault, entry).await?;
            Ok(user)
        };
        let user = self.store().write(write).await.map_err(name_taken)?;
        if user.role == UserRole::Owner {
            self.inner.setup.close();
        }
        Ok(user)
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

    /// Everybody, in the order in which they came.
    pub async fn users(&self) -> Result<Vec<User>> {
        let store = self.store().clone();
        Ok(self.store().read(async move |tx| users::list(tx, store.vault()).await).await?)
    }

    /// Changes somebody's name, role or password. A new role or password ends their logins, and what runs for them.
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
        let mut what = Map::new();
        if let Some(name) = name.filter(|name| *name != user.name) {
            check_name(&name, "A name")?;
            user.name = name;
            what.insert("name".to_owned(), json!("changed"));
        }
        let role = role.filter(|role| *role != user.role);
        if let Some(role) = role {
            check_role(who, &user, role)?;
            what.insert("role".to_owned(), json!({ "from": user.role, "to": role }));
            user.role = role;
        }
        let before = user.budget.house;
        budget.apply(&mut user.budget.house, Budget::NONE);
        check_budget(&user.budget.house)?;
        if user.budget.house != before {
            what.insert("budget".to_owned(), json!({ "from": before, "to": user.budget.house }));
        }
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
        let write = async move |tx: &mut Tx| {
            let known = users::update(tx, &vault, &saved).await?;
            users::set_house_budget(tx, id, saved.budget.house).await?;
            if let Some(role) = role {
                users::set_role(tx, id, role).await?;
            }
            if let Some(hash) = &hash {
                users::set_password_hash(tx, id, Some(hash)).await?;
            }
            if ends_logins {
                logins::end_all(tx, id, None).await?;
            }
            audit::append(tx, &vault, entry).await?;
            Ok(known)
        };
        if !self.store().write(write).await.map_err(name_taken)? {
            return Err(Error::NotFound("user"));
        }
        if ends_logins {
            self.inner.watches.end_user(id);
        }
        Ok(user)
    }

    /// Removes somebody with everything they have. First they are locked out and their agents are stopped, so that the
    /// last step finds nothing at work.
    pub async fn remove_user(&self, who: &Principal, id: UserId) -> Result<()> {
        check_admin(who)?;
        who.check_confirmed(self.now())?;
        let user = self.user(id).await?;
        check_target(who, &user)?;
        if user.role == UserRole::Owner || user.id == who.user_id {
            let detail = "The owner account and your own account cannot be removed.";
            return Err(Error::conflict("cannot_remove", detail));
        }
        let now = self.now();
        let lock_out = async move |tx: &mut Tx| {
            logins::end_all(tx, id, None).await?;
            api_keys::revoke_all(tx, id, now).await?;
            agents::unshare_all(tx, id).await
        };
        self.store().write(lock_out).await?;
        self.inner.watches.end_user(id);
        self.stop_everything_of(id).await?;
        let entry = self.entry(who.actor(), Some(id), Action::UserRemoved, id, json!({ "role": user.role }));
        let vault = self.store().vault().clone();
        let write = async move |tx: &mut Tx| {
            let removed = users::delete(tx, id).await?;
            if removed {
                audit::append(tx, &vault, entry).await?;
            }
            Ok(removed)
        };
        match self.store().write(write).await {
            Ok(true) => {
                self.store().forget_key(id);
                self.erase_key(id).await;
                Ok(())
            }
            Ok(false) => Err(Error::NotFound("user")),
            Err(store::Error::Conflict(Conflict::UserAtWork)) => Err(still_working()),
            Err(other) => Err(other.into()),
        }
    }

    /// They are gone whatever becomes of this: what is left of their key opens nothing by itself, and a reader that was at
    /// work may still hold the state of before.
    async fn erase_key(&self, id: UserId) {
        let begun = Instant::now();
        loop {
            match self.store().erase().await {
                Ok(true) => return,
                Ok(false) if begun.elapsed() < STOPPING => tokio::time::sleep(LOOK_AGAIN).await,
                Ok(false) => {
                    return tracing::warn!(user = %id, "the database is being read; a copy of a removed person's key goes \
                        from its files when the program is next stopped or somebody else is removed");
                }
                Err(error) => {
                    return tracing::warn!(user = %id, %error, "a copy of a removed person's key stays in the database's \
                        files for now");
                }
            }
        }
    }

    /// Stops turns until none runs or waits. A stopped turn hands over to the next, so this goes round.
    async fn stop_everything_of(&self, id: UserId) -> Result<()> {
        let begun = Instant::now();
        loop {
            let working = self.store().read(async move |tx| users::at_work(tx, id).await).await?;
            if working.is_empty() {
                return Ok(());
            }
            for (session, user) in working {
                self.request_stop(user, session).await?;
            }
            if begun.elapsed() > STOPPING {
                return Err(still_working());
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

fn check_admin(who: &Principal) -> Result<()> {
    if who.role.is_admin() {
        return Ok(());
    }
    Err(Error::forbidden("role_insufficient", "Only the owner and admins can manage accounts."))
}

fn check_target(who: &Principal, user: &User) -> Result<()> {
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

fn still_working() -> Error {
    let detail = "This person was signed out, but their agents are still working. Try again in a moment.";
    Error::conflict("user_busy", detail)
}

fn name_taken(error: store::Error) -> Error {
    match error {
        store::Error::Conflict(what @ (Conflict::UserName | Conflict::SecondOwner)) => {
            Error::conflict("user_exists", what.to_string())
        }
        other => other.into(),
    }
}
