//! People: who they are, how they prove it, what they may do, and how that ends.
//!
//! A [`Principal`] is a person who has proved who they are, by a [`Credential`]. [`Watch`] tells a request that goes on
//! for longer when that proof counts no more.
//!
//! What it must never do: know a turn, a model or a tool. What of a person's agents has to end when the person is removed
//! is the engine's to know: it calls [`People::lock_out`] before and [`People::delete_person`] after.
//!
//! Start reading at `principal.rs`, then `logins.rs`.

mod api_keys;
mod bridge_name;
mod error;
mod invitations_and_resets;
mod login_throttle;
mod logins;
mod other_nodes;
mod passwords;
mod principal;
mod profile;
mod removal;
mod revocation_watch;
mod settings;
mod setup_link;
mod slots_per_person;
mod users;

pub use api_keys::{IssuedKey, NewKey};
pub use bridge_name::check_source;
pub use error::{Error, Result};
pub use invitations_and_resets::{AccountLinkView, Joining, NewAccountLink};
pub use login_throttle::network_of;
pub use logins::{LoginAttempt, SignedIn, Whence};
pub use other_nodes::PeopleNews;
pub use principal::{Credential, Principal};
pub use profile::MeChange;
pub use removal::still_working;
pub use revocation_watch::Watch;
pub use settings::PeopleSettings;
pub use setup_link::SetupLink;
pub use slots_per_person::{FullSlots, HeldSlot, ReturnedSlots, SlotRules};
pub use users::{NewPerson, UserChange};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use domain::{CapabilityRef, Limits, Timestamp, UserId};
use login_throttle::Throttle;
use other_nodes::OtherNodes;
use passwords::Passwords;
use revocation_watch::Watches;
use serde_json::Value;
use setup_link::SetupDesk;
use sha2::{Digest, Sha256};
use slots_per_person::Slots;
use std::sync::Arc;
use store::{
    Store,
    audit::{Action, AuditEntry},
};
use uuid::Uuid;

/// The time, and new ids in the order in which they are made.
pub trait TimeAndIds: Send + Sync {
    fn now(&self) -> Timestamp;
    fn uuid(&self) -> Uuid;
}

/// The people of the house. Cheap to clone; all clones are the same.
#[derive(Clone)]
pub struct People {
    inner: Arc<Inner>,
}

/// What the agent has that each person begins with.
pub struct FirstAgent {
    pub limits: Limits,
    pub capabilities: Vec<CapabilityRef>,
}

struct Inner {
    store: Store,
    ids: Arc<dyn TimeAndIds>,
    first_agent: FirstAgent,
    passwords: Passwords,
    throttle: Throttle,
    watches: Watches,
    setup: SetupDesk,
    slots: Slots,
    other_nodes: OtherNodes,
}

impl People {
    /// `password_memory`: what a password costs to check, in KiB.
    pub fn new(
        store: Store,
        ids: Arc<dyn TimeAndIds>,
        first_agent: FirstAgent,
        password_memory: u32,
    ) -> Self {
        let passwords = Passwords::new(password_memory);
        let (throttle, watches, setup) = (Throttle::default(), Watches::default(), SetupDesk::default());
        let (slots, other_nodes) = (Slots::default(), OtherNodes::default());
        let inner =
            Inner { store, ids, first_agent, passwords, throttle, watches, setup, slots, other_nodes };
        Self { inner: Arc::new(inner) }
    }

    fn store(&self) -> &Store {
        &self.inner.store
    }

    fn now(&self) -> Timestamp {
        self.inner.ids.now()
    }

    /// An entry of now. `user` may read it.
    fn entry(
        &self,
        actor: String,
        user: Option<UserId>,
        action: Action,
        subject: impl ToString,
        detail: Value,
    ) -> AuditEntry {
        AuditEntry::new(self.now(), actor, user, action, subject, detail)
    }
}

/// May a person or a key be called so?
fn check_name(name: &str, whose: &str) -> Result<()> {
    domain::name_problem(name, whose).map_or(Ok(()), |problem| Err(Error::invalid("bad_name", problem)))
}

/// 256 random bits, in characters that fit into a header, a cookie and a URL.
fn new_secret() -> Result<String> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| Error::Internal)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

/// What is stored of a secret. It has 256 random bits, so looking its hash up tells nothing.
fn secret_hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}
