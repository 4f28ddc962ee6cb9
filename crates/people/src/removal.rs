//! Removing a person, in two steps: first they are locked out, and when their agents have been stopped, everything they have
//! is deleted.

use crate::{
    People,
    error::{Error, Result},
    principal::Principal,
    users::{check_admin, check_target},
};
use domain::{User, UserId, UserRole};
use serde_json::json;
use std::time::Duration;
use store::{
    Conflict, Tx, account_links, agents, api_keys,
    audit::{self, Action},
    logins, users,
};
use tokio::time::Instant;

/// How long the erasure waits for readers of the database.
const READING: Duration = Duration::from_secs(5);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl People {
    /// Ends all logins and keys of a person whom an admin removes, and what runs on them.
    pub async fn lock_out(&self, who: &Principal, id: UserId) -> Result<User> {
        check_admin(who)?;
        who.check_confirmed(self.now())?;
        let user = self.user(id).await?;
        check_target(who, &user)?;
        if user.role == UserRole::Owner || user.id == who.user_id {
            let detail = "The owner account and your own account cannot be removed.";
            return Err(Error::conflict("cannot_remove", detail));
        }
        let now = self.now();
        let lock_out = move |tx: &mut Tx| {
            logins::end_all(tx, id, None)?;
            api_keys::revoke_all(tx, id, now)?;
            account_links::end_of(tx, id)?;
            agents::unshare_all(tx, id)
        };
        self.store().write(lock_out).await?;
        self.ending().end_user(id);
        Ok(user)
    }

    /// Deletes a person who was locked out, with everything they have.
    pub async fn delete_person(&self, who: &Principal, user: &User) -> Result<()> {
        let id = user.id;
        let entry = self.entry(who.actor(), Some(id), Action::UserRemoved, id, json!({ "role": user.role }));
        let vault = self.store().vault().clone();
        let write = move |tx: &mut Tx| {
            let removed = users::delete(tx, id)?;
            if removed {
                audit::append(tx, &vault, entry)?;
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
                Ok(false) if begun.elapsed() < READING => tokio::time::sleep(LOOK_AGAIN).await,
                Ok(false) => {
                    return tracing::warn!(user = %id, "the database is being read; a copy of a removed person's key goes \
                        from its files when the program is next stopped or another person is removed");
                }
                Err(error) => {
                    return tracing::warn!(user = %id, %error, "a copy of a removed person's key stays in the database's \
                        files for now");
                }
            }
        }
    }
}

/// Said while agents of a person who is removed are still at work.
pub fn still_working() -> Error {
    let detail = "This person was signed out, but their agents are still working. Try again in a moment.";
    Error::conflict("user_busy", detail)
}
