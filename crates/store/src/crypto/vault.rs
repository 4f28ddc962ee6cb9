//! The keys of the house, opened: what wraps, what seals, what digests.

use crate::{
    DataKey, Error, MasterKey, Result,
    crypto::{
        digest::Digests,
        seal::{self, CellPlace, Secret},
    },
};
use domain::UserId;
use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU32, Ordering},
    },
};

/// The key hierarchy: master keys → one key of the house and one data key per user. Cheap to clone.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    /// Open the other keys. Two of them count while the master key is being changed.
    wrapping: RwLock<BTreeMap<u32, Secret>>,
    /// The version that wraps new ones: not every key that opens here opens at every other node already.
    wraps: AtomicU32,
    /// Seals what belongs to no single person, for instance the audit log.
    house: Secret,
    digests: Arc<Digests>,
    /// The newest master key that something was wrapped by and that is not here; 0 where there was none.
    missed: AtomicU32,
}

/// A key in the form in which it may lie in the database.
pub(crate) struct Wrapped {
    /// The version of the master key that wrapped it.
    pub version: u32,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault")
    }
}

impl Vault {
    /// The version of the house's own key, which never changes: only its wrapping does.
    const HOUSE_VERSION: u32 = 1;

    /// `wrapping` are the wrapping keys of master keys, by their versions; `wraps` is the current one.
    pub(crate) fn new(
        wrapping: BTreeMap<u32, Secret>,
        wraps: u32,
        house: Secret,
        digests: &Secret,
    ) -> Result<Self> {
        let digests = Arc::new(Digests::new(digests)?);
        let (wrapping, wraps, missed) = (RwLock::new(wrapping), AtomicU32::new(wraps), AtomicU32::new(0));
        Ok(Self(Arc::new(Inner { wrapping, wraps, house, digests, missed })))
    }

    /// A fresh random key for a user who is being created.
    pub fn new_data_key(&self, user: UserId) -> Result<DataKey> {
        Ok(DataKey::new(user, seal::random_secret()?, self.0.digests.clone()))
    }

    pub(crate) fn wrap(&self, key: &DataKey) -> Result<Wrapped> {
        self.wrap_as(self.0.wraps.load(Ordering::Relaxed), key)
    }

    /// Wraps it with the master key of this version.
    pub(crate) fn wrap_as(&self, version: u32, key: &DataKey) -> Result<Wrapped> {
        let owner = key.owner();
        let place = CellPlace::new("users", "data_key", &owner);
        self.wrap_secret(version, place, &owner.to_string(), key.secret())
    }

    pub(crate) fn unwrap(&self, user: UserId, wrapped: &[u8]) -> Result<DataKey> {
        let place = CellPlace::new("users", "data_key", &user);
        let secret = self.unwrap_secret(place, &user.to_string(), wrapped)?;
        Ok(DataKey::new(user, secret, self.0.digests.clone()))
    }

    pub(crate) fn wrap_secret(
        &self,
        version: u32,
        place: CellPlace<'_>,
        owner: &str,
        secret: &Secret,
    ) -> Result<Wrapped> {
        let wrapping = self.0.wrapping.read().unwrap_or_else(PoisonError::into_inner);
        wrap_secret(&wrapping, version, place, owner, secret)
    }

    pub(crate) fn unwrap_secret(&self, place: CellPlace<'_>, owner: &str, wrapped: &[u8]) -> Result<Secret> {
        let wrapping = self.0.wrapping.read().unwrap_or_else(PoisonError::into_inner);
        unwrap_secret(&wrapping, place, owner, wrapped).inspect_err(|error| {
            if let Error::NewerMasterKey { version } = error {
                self.0.missed.fetch_max(*version, Ordering::Relaxed);
            }
        })
    }

    /// The master key that was asked for and is not here, if there is one: another process may have changed it.
    pub(crate) fn missed(&self) -> Option<u32> {
        let missed = self.0.missed.load(Ordering::Relaxed);
        let wrapping = self.0.wrapping.read().unwrap_or_else(PoisonError::into_inner);
        let is_newer = wrapping.last_key_value().is_some_and(|(newest, _)| missed > *newest);
        is_newer.then_some(missed)
    }

    /// There is no such master key: what asked for it is damaged.
    pub(crate) fn forget_missed(&self, version: u32) {
        // Where another was asked for meanwhile, that one stays.
        let _ = self.0.missed.compare_exchange(version, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// From now on keys that are wrapped by this master key open, too.
    pub(crate) fn add_master(&self, version: u32, master: &MasterKey) -> Result<()> {
        let key = master.wrapping_key()?;
        self.0.wrapping.write().unwrap_or_else(PoisonError::into_inner).insert(version, key);
        Ok(())
    }

    /// From now on new keys are wrapped by this master key, which must be here.
    pub(crate) fn wrap_by(&self, version: u32) {
        self.0.wraps.fetch_max(version, Ordering::Relaxed);
    }

    pub(crate) fn has(&self, version: u32) -> bool {
        self.0.wrapping.read().unwrap_or_else(PoisonError::into_inner).contains_key(&version)
    }

    /// The newest master key that is here, and the one that wraps new keys.
    pub(crate) fn versions(&self) -> (u32, u32) {
        let wrapping = self.0.wrapping.read().unwrap_or_else(PoisonError::into_inner);
        let newest = wrapping.last_key_value().map_or(0, |(version, _)| *version);
        (newest, self.0.wraps.load(Ordering::Relaxed))
    }

    /// By which a name is found: a keyed digest of table, owner and the name in lower case.
    pub fn name_index(&self, table: &'static str, owner: &str, name: &str) -> [u8; 32] {
        self.0.digests.name(table, owner, name)
    }

    pub(crate) fn digests(&self) -> &Digests {
        &self.0.digests
    }

    pub(crate) fn seal(&self, place: CellPlace<'_>, plain: &[u8]) -> Result<Vec<u8>> {
        seal::seal(&self.0.house, Self::HOUSE_VERSION, "house", place, plain)
    }

    pub(crate) fn open(&self, place: CellPlace<'_>, value: &[u8]) -> Result<Vec<u8>> {
        seal::open(&self.0.house, Self::HOUSE_VERSION, "house", place, value)
    }
}

/// Wraps with the key of this version.
pub(crate) fn wrap_secret(
    keys: &BTreeMap<u32, Secret>,
    version: u32,
    place: CellPlace<'_>,
    owner: &str,
    secret: &Secret,
) -> Result<Wrapped> {
    let key = keys.get(&version).ok_or(Error::WrongMasterKey)?;
    let bytes = seal::seal(key, version, owner, place, secret.as_slice())?;
    Ok(Wrapped { version, bytes })
}

/// The wrapped form says which of the keys opens it.
pub(crate) fn unwrap_secret(
    keys: &BTreeMap<u32, Secret>,
    place: CellPlace<'_>,
    owner: &str,
    wrapped: &[u8],
) -> Result<Secret> {
    let version = seal::version(wrapped).ok_or_else(|| place.refused())?;
    let key = keys.get(&version).ok_or_else(|| unknown(keys, version, place))?;
    let plain = zeroize::Zeroizing::new(seal::open(key, version, owner, place, wrapped)?);
    let secret: [u8; 32] = plain.as_slice().try_into().map_err(|_| place.refused())?;
    Ok(Secret::new(secret))
}

/// Master keys are counted up: one that is newer than all of ours was made elsewhere, any other version was never one.
fn unknown(keys: &BTreeMap<u32, Secret>, version: u32, place: CellPlace<'_>) -> Error {
    match keys.last_key_value() {
        Some((newest, _)) if version > *newest => Error::NewerMasterKey { version },
        _ => place.refused(),
    }
}
