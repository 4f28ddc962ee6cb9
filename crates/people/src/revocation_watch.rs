//! Ending what goes on longer than a moment when the proof that began it counts no more.
//!
//! THREAT[login-04] A stream that was opened with a key that is revoked a second later must not go on for hours. What
//! ends a proof here says so at once; what ends it elsewhere, or by the clock, is found by asking the store again.

use crate::{People, error::Result};
use crate::{
    api_keys::is_alive as is_key_alive,
    logins::is_alive,
    principal::{Credential, Principal},
};
use domain::{ApiKeyId, LoginId, UserId, UserRole};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use store::{Tx, api_keys, logins};
use tokio_util::sync::CancellationToken;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proof {
    Login(LoginId),
    Key(ApiKeyId),
}

impl Proof {
    fn of(principal: &Principal) -> Option<Self> {
        match principal.credential {
            Credential::Operator | Credential::Agent(_) => None,
            Credential::Login { id, .. } => Some(Self::Login(id)),
            Credential::Key { id, .. } => Some(Self::Key(id)),
        }
    }
}

/// One for all requests that run on the same proof.
struct Watched {
    proof: Proof,
    user_id: UserId,
    role: UserRole,
    ended: CancellationToken,
}

#[derive(Default)]
pub(crate) struct Watches {
    watched: Mutex<HashMap<Proof, Arc<Watched>>>,
}

/// Held for as long as a request runs or a stream is open. Clones watch the same.
#[derive(Clone)]
pub struct Watch {
    ended: CancellationToken,
    _holding: Option<Arc<Holding>>,
}

struct Holding {
    people: People,
    watched: Arc<Watched>,
}

impl Watch {
    /// Cancelled when the person who began this may not go on.
    pub fn ended(&self) -> &CancellationToken {
        &self.ended
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        let mut all = self.people.inner.watches.lock();
        let last = Arc::strong_count(&self.watched) <= 2;
        let ours = all.get(&self.watched.proof).is_some_and(|known| Arc::ptr_eq(known, &self.watched));
        if last && ours {
            all.remove(&self.watched.proof);
        }
    }
}

impl Watches {
    fn lock(&self) -> MutexGuard<'_, HashMap<Proof, Arc<Watched>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, which: impl Fn(&Watched) -> bool) {
        self.lock().retain(|_, watched| {
            let ends = which(watched);
            if ends {
                watched.ended.cancel();
            }
            !ends
        });
    }

    pub(crate) fn end_login(&self, id: LoginId) {
        self.end(|watched| watched.proof == Proof::Login(id));
    }

    pub(crate) fn end_key(&self, id: ApiKeyId) {
        self.end(|watched| watched.proof == Proof::Key(id));
    }

    /// Everything that runs for a user, except on one login if one is given.
    pub(crate) fn end_user(&self, user: UserId) {
        self.end(|watched| watched.user_id == user);
    }

    pub(crate) fn end_logins(&self, user: UserId, but: Option<LoginId>) {
        self.end(|watched| match watched.proof {
            Proof::Login(id) => watched.user_id == user && Some(id) != but,
            Proof::Key(_) => false,
        });
    }
}

impl People {
    /// Something that ends has been stored: other nodes are told to look, and what goes on here is ended by the caller.
    pub(crate) fn ending(&self) -> &Watches {
        self.inner.other_nodes.note_ended();
        &self.inner.watches
    }

    /// Watches the proof that a request came with.
    pub fn watch(&self, principal: &Principal) -> Watch {
        let Some(proof) = Proof::of(principal) else {
            return Watch { ended: CancellationToken::new(), _holding: None };
        };
        let new = || {
            let (user_id, role) = (principal.user_id, principal.role);
            Arc::new(Watched { proof, user_id, role, ended: CancellationToken::new() })
        };
        let watched = self.inner.watches.lock().entry(proof).or_insert_with(new).clone();
        let ended = watched.ended.clone();
        Watch { ended, _holding: Some(Arc::new(Holding { people: self.clone(), watched })) }
    }

    /// Ends what runs on a proof that counts no more.
    pub async fn recheck(&self) -> Result<()> {
        let (mut logins, mut keys) = (Vec::new(), Vec::new());
        for proof in self.inner.watches.lock().keys() {
            match proof {
                Proof::Login(id) => logins.push(*id),
                Proof::Key(id) => keys.push(*id),
            }
        }
        if logins.is_empty() && keys.is_empty() {
            return Ok(());
        }
        let asked: HashSet<Proof> =
            logins.iter().copied().map(Proof::Login).chain(keys.iter().copied().map(Proof::Key)).collect();
        let read = move |tx: &mut Tx| Ok((logins::by_ids(tx, &logins)?, api_keys::by_ids(tx, &keys)?));
        let (logins, keys) = self.store().read(read).await?;
        let now = self.now();
        let logins = logins.into_iter().filter(|login| is_alive(login, now));
        let keys = keys.into_iter().filter(|key| is_key_alive(key, now));
        let alive: HashMap<Proof, UserRole> = logins
            .map(|login| (Proof::Login(login.login_id), login.role))
            .chain(keys.map(|key| (Proof::Key(key.key_id), key.role)))
            .collect();
        // A proof that came after the question is left for the next one.
        self.inner.watches.end(|watched| {
            asked.contains(&watched.proof) && alive.get(&watched.proof) != Some(&watched.role)
        });
        Ok(())
    }
}
