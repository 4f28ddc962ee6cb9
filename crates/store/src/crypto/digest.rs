//! Keyed digests: they let the database compare what it cannot read.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::{Error, Result, crypto::seal::Secret};

/// The keyed hash of the house. Without the key a thief cannot try out names or keys against a stolen database.
pub(crate) struct Digests {
    mac: Hmac<Sha256>,
}

impl Digests {
    pub fn new(key: &Secret) -> Result<Self> {
        let mac =
            Hmac::new_from_slice(key.as_slice()).map_err(|_| Error::Corrupt("a key's length".to_owned()))?;
        Ok(Self { mac })
    }

    /// `purpose` keeps the uses apart; lengths keep the parts apart.
    pub fn of(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.mac.clone();
        for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
            mac.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// By which a name is found without being stored: the same for every spelling that differs only in case.
    pub fn name(&self, table: &'static str, owner: &str, name: &str) -> [u8; 32] {
        self.of("name", &[table.as_bytes(), owner.as_bytes(), name.to_lowercase().as_bytes()])
    }
}
