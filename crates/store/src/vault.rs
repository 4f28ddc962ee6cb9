//! Everything that is derived from the master key.

use crate::{
    DataKey, Error, MasterKey, Result,
    digest::Digests,
    seal::{self, Place, Secret},
};
use domain::UserId;
use hkdf::Hkdf;
use sha2::Sha256;
use std::{fmt, sync::Arc};

/// The key hierarchy: master key → key-encryption key → one data key per user. Cheap to clone.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    /// Wraps the users' data keys.
    wrapping: Secret,
    /// Seals what belongs to nobody in particular: the audit log.
    house: Secret,
    check: [u8; 32],
    digests: Arc<Digests>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vault")
    }
}

impl Vault {
    /// The version of the key-encryption key, kept beside each wrapped key; a rotated master key counts up.
    pub(crate) const KEY_VERSION: u32 = 1;

    pub(crate) fn new(master: &MasterKey) -> Result<Self> {
        let hkdf = Hkdf::<Sha256>::new(Some(b"majordomo"), master.secret().as_slice());
        let derive = |purpose: &str| -> Result<Secret> {
            let mut key = Secret::default();
            hkdf.expand(purpose.as_bytes(), key.as_mut_slice())
                .map_err(|_| Error::Corrupt("a derived key's length".to_owned()))?;
            Ok(key)
        };
        Ok(Self(Arc::new(Inner {
            wrapping: derive("key encryption, version 1")?,
            house: derive("house rows, version 1")?,
            check: *derive("key check")?,
            digests: Arc::new(Digests::new(&derive("digests")?)?),
        })))
    }

    /// A fresh random key for a user who is being created.
    pub fn new_data_key(&self, user: UserId) -> Result<DataKey> {
        Ok(DataKey::new(user, seal::random_secret()?, self.0.digests.clone()))
    }

    /// The form in which a data key may lie in the database.
    pub fn wrap(&self, key: &DataKey) -> Result<Vec<u8>> {
        let owner = key.owner();
        let place = Place::new("users", "data_key", &owner);
        seal::seal(&self.0.wrapping, Self::KEY_VERSION, &owner.to_string(), place, key.secret().as_slice())
    }

    pub fn unwrap(&self, user: UserId, wrapped: &[u8]) -> Result<DataKey> {
        let place = Place::new("users", "data_key", &user);
        let plain = seal::open(&self.0.wrapping, Self::KEY_VERSION, &user.to_string(), place, wrapped)?;
        let plain = zeroize::Zeroizing::new(plain);
        let secret: [u8; 32] = plain.as_slice().try_into().map_err(|_| place.refused())?;
        Ok(DataKey::new(user, Secret::new(secret), self.0.digests.clone()))
    }

    /// By which a name is found: a keyed digest of table, owner and the name in lower case.
    pub fn name_index(&self, table: &'static str, owner: &str, name: &str) -> [u8; 32] {
        self.0.digests.name(table, owner, name)
    }

    pub(crate) fn digests(&self) -> &Digests {
        &self.0.digests
    }

    /// Tells one master key from another without telling anything of it.
    pub(crate) fn check_value(&self) -> [u8; 32] {
        self.0.check
    }

    pub(crate) fn seal(&self, place: Place<'_>, plain: &[u8]) -> Result<Vec<u8>> {
        seal::seal(&self.0.house, Self::KEY_VERSION, "house", place, plain)
    }

    pub(crate) fn open(&self, place: Place<'_>, value: &[u8]) -> Result<Vec<u8>> {
        seal::open(&self.0.house, Self::KEY_VERSION, "house", place, value)
    }
}
