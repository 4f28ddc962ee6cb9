//! People: who they are, how they prove it, what they may do, and how that ends.
//!
//! A [`Principal`] is somebody who has proved who they are, by a [`Credential`]. [`Watch`] tells a request that goes on
//! for longer when that proof counts no more.

pub(crate) mod api_keys;
pub(crate) mod login_throttle;
pub(crate) mod logins;
pub(crate) mod passwords;
pub(crate) mod principal;
pub(crate) mod profile;
pub(crate) mod revocation_watch;
pub(crate) mod settings;
pub(crate) mod setup_link;
pub(crate) mod users;

pub use crate::people::api_keys::{IssuedKey, NewKey};
pub(crate) use crate::people::login_throttle::Throttle;
pub use crate::people::login_throttle::network_of;
pub use crate::people::logins::{LoginAttempt, SignedIn, Whence};
pub(crate) use crate::people::passwords::Passwords;
pub use crate::people::principal::{Credential, Principal};
pub use crate::people::profile::MeChange;
pub use crate::people::revocation_watch::Watch;
pub(crate) use crate::people::revocation_watch::Watches;
pub(crate) use crate::people::setup_link::SetupDesk;
pub use crate::people::setup_link::SetupLink;
pub use crate::people::users::{NewPerson, UserChange};

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::UserId;
use sha2::{Digest, Sha256};
use store::{Page, Paged, Tx, audit::AuditEntry};

impl Engine {
    /// The audit log, newest first: of oneself; for admins of everybody, or of the one they ask for.
    pub async fn audit(
        &self,
        who: &Principal,
        wanted: Option<UserId>,
        page: Page,
    ) -> Result<Paged<AuditEntry>> {
        let whose = if who.role.is_admin() { wanted } else { Some(who.user_id) };
        let store = self.store().clone();
        let read = async move |tx: &mut Tx| store::audit::list(tx, store.vault(), whose, page).await;
        Ok(self.store().read(read).await?)
    }
}

/// 256 random bits, in characters that fit into a header, a cookie and a URL.
fn new_secret() -> Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| Error::Internal)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// What is stored of a secret. It has 256 random bits, so looking its hash up tells nobody anything.
fn secret_hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}
