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
use store::{Tx, setup_links};
use tokio_util::sync::CancellationToken;

const VALID_MS: i64 = 15 * 60 * 1_000;

/// What opens the set-up.
pub struct SetupLink {
    pub token: String,
    pub expires_at: Timestamp,
}

#[derive(Default)]
pub(crate) struct SetupDesk {
    /// An owner has come.
    settled: CancellationToken,
}

impl SetupDesk {
    pub(crate) fn close(&self) {
        self.settled.cancel();
    }
}

impl People {
    /// A new link, which makes an earlier one of this node worthless. Any node of the same database opens it. `None` when the house has
    /// an owner.
    pub async fn open_setup(&self) -> Result<Option<SetupLink>> {
        if self.owner().await?.is_some() {
            self.inner.setup.close();
            return Ok(None);
        }
        let (token, expires_at) = (new_secret()?, self.link_time().plus_millis(VALID_MS));
        let node = self.inner.other_nodes.node().map_or_else(String::new, |node| node.to_string());
        let hash = secret_hash(&token);
        self.store().write(move |tx: &mut Tx| setup_links::put(tx, &node, hash, expires_at)).await?;
        Ok(Some(SetupLink { token, expires_at }))
    }

    /// Which all nodes have.
    fn link_time(&self) -> Timestamp {
        self.store().database_time(self.now())
    }

    /// Resolves when an owner has come, by whichever way.
    pub async fn settled(&self) {
        self.inner.setup.settled.cancelled().await;
    }

    async fn opens_setup(&self, token: &str) -> Result<bool> {
        let (hash, now) = (secret_hash(token), self.link_time());
        Ok(self.store().read(move |tx: &mut Tx| setup_links::opens(tx, hash, now)).await?)
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
        let known = async { Ok(self.opens_setup(&token).await?.then(|| "set-up".to_owned())) };
        self.throttle_link(from.address, known).await?;
        // The link first: one that an owner has just used up is gone, and then that owner is there.
        let opens = self.opens_setup(&token).await?;
        if self.owner().await?.is_some() {
            return Err(already_set_up());
        }
        if !opens {
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
