//! The first minute: the person who holds the set-up link becomes the owner.
//!
//! THREAT[setup-01] A server without an owner belongs to the first who finds it. So being the owner takes a secret that
//! only the person who started the program can read, for a quarter of an hour, once.

use crate::{
    People,
    error::{Error, Result},
};
use crate::{
    logins::{SignedIn, Whence},
    new_secret, secret_hash,
    users::NewPerson,
};
use domain::{Timestamp, UserRole};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

const VALID_MS: i64 = 15 * 60 * 1_000;

/// What opens the set-up.
pub struct SetupLink {
    pub token: String,
    pub expires_at: Timestamp,
}

#[derive(Default)]
pub(crate) struct SetupDesk {
    open: Mutex<Option<Open>>,
    /// An owner has come.
    pub(crate) settled: CancellationToken,
}

#[derive(Clone, Copy)]
struct Open {
    hash: [u8; 32],
    expires_at: Timestamp,
}

impl SetupDesk {
    fn put(&self, open: Option<Open>) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = open;
    }

    fn opens(&self, token: &str, now: Timestamp) -> bool {
        let open = *self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.is_some_and(|open| open.hash == secret_hash(token) && open.expires_at > now)
    }

    pub(crate) fn close(&self) {
        self.put(None);
        self.settled.cancel();
    }
}

impl People {
    /// A new link, which makes an earlier one worthless. `None` when the house has an owner.
    pub async fn open_setup(&self) -> Result<Option<SetupLink>> {
        if self.owner().await?.is_some() {
            self.inner.setup.close();
            return Ok(None);
        }
        let (token, expires_at) = (new_secret()?, self.now().plus_millis(VALID_MS));
        self.inner.setup.put(Some(Open { hash: secret_hash(&token), expires_at }));
        Ok(Some(SetupLink { token, expires_at }))
    }

    /// Resolves when an owner has come, by whichever way.
    pub async fn settled(&self) {
        self.inner.setup.settled.cancelled().await;
    }

    /// Creates the owner and signs them in. Of several at once exactly one succeeds.
    pub async fn set_up(
        &self,
        token: String,
        name: String,
        password: String,
        time_zone: Option<String>,
        from: Whence,
    ) -> Result<SignedIn> {
        self.inner.throttle.check_address(from.address)?;
        if self.owner().await?.is_some() {
            return Err(already_set_up());
        }
        if !self.inner.setup.opens(&token, self.now()) {
            let detail = "This set-up link is wrong, was already used, or is older than 15 minutes. The terminal of the server shows a \
                          new one, and so does the file setup-link in its data directory.";
            return Err(Error::unauthorized("bad_setup_token", detail));
        }
        let person = NewPerson { name, role: UserRole::Owner, password: Some(password), time_zone };
        let user = self.create_person_by("set-up".to_owned(), person).await.map_err(|error| match error {
            Error::Conflict { .. } => already_set_up(),
            other => other,
        })?;
        self.sign_in(user, from, None).await
    }
}

fn already_set_up() -> Error {
    Error::conflict("already_set_up", "There is already an owner account. Sign in instead.")
}
