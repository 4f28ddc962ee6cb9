//! Master keys at hand, and what the database knows of them.

use crate::{
    Error, MasterKey, Result, Tx, Vault, args,
    crypto::{
        seal::{CellPlace, Secret, random_secret},
        vault::{unwrap_secret, wrap_secret},
    },
    database::row::row,
};
use std::collections::BTreeMap;

/// Every master key there is. Which of them is which is known to the database.
#[derive(Clone, Debug, Default)]
pub struct KeyRing(Vec<MasterKey>);

impl From<MasterKey> for KeyRing {
    fn from(key: MasterKey) -> Self {
        Self(vec![key])
    }
}

impl From<Vec<MasterKey>> for KeyRing {
    fn from(keys: Vec<MasterKey>) -> Self {
        Self(keys)
    }
}

impl KeyRing {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn find(&self, check: [u8; 32]) -> Result<Option<&MasterKey>> {
        for key in &self.0 {
            if key.check_value()? == check {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
}

row! {
    /// A master key as the database knows it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct KnownKey {
        pub version: u32,
        pub status: String,
        pub check: [u8; 32],
    }
}

/// The schema's version that brought the table of master keys.
pub(crate) const SINCE: u64 = 5;

pub(crate) const CURRENT: &str = "current";
pub(crate) const NEXT: &str = "next";
pub(crate) const RETIRED: &str = "retired";

/// The two keys that are the house's own.
pub(crate) const HOUSE_KEYS: [&str; 2] = ["house_key", "digest_key"];

pub(crate) fn house_place<'a>(name: &'a &'static str) -> CellPlace<'a> {
    CellPlace::new("meta", "value", name)
}

pub(crate) fn known(tx: &mut Tx) -> Result<Vec<KnownKey>> {
    tx.all("SELECT version, status, check_value FROM master_keys ORDER BY version", args![])
}

/// Does the database know a master key of this version?
pub(crate) fn is_known(tx: &mut Tx, version: u32) -> Result<bool> {
    Ok(known(tx)?.iter().any(|key| key.version == version))
}

/// Opens the house's keys with those at hand. The first key that opens a database is noted; later ones must
/// be known to it.
pub(crate) fn open(tx: &mut Tx, ring: &KeyRing) -> Result<Vault> {
    let legacy: Option<[u8; 32]> = tx.maybe("SELECT value FROM meta WHERE name = 'key_check'", args![])?;
    if known(tx)?.is_empty() {
        let check = match (legacy, ring.0.first()) {
            (Some(check), _) => check,
            (None, Some(first)) => first.check_value()?,
            (None, None) => return Err(Error::WrongMasterKey),
        };
        let note = "INSERT INTO master_keys (version, status, check_value) VALUES (1, $1, $2) \
                    ON CONFLICT DO NOTHING";
        tx.run(note, args![CURRENT, check])?;
    }
    let mut wrapping = BTreeMap::new();
    let mut has_current = None;
    for known in known(tx)? {
        let Some(key) = ring.find(known.check)? else { continue };
        wrapping.insert(known.version, key.wrapping_key()?);
        if known.status == CURRENT {
            has_current = Some((known.version, key));
        }
    }
    let (version, current) = has_current.ok_or(Error::WrongMasterKey)?;
    let (house, digests) = if legacy.is_some() {
        (current.first_house_key()?, current.first_digest_key()?)
    } else {
        (random_secret()?, random_secret()?)
    };
    let [house_name, digest_name] = HOUSE_KEYS;
    let house = house_key(tx, (&wrapping, version), house_name, house)?;
    let digests = house_key(tx, (&wrapping, version), digest_name, digests)?;
    Vault::new(wrapping, version, house, &digests)
}

/// Is one of these the master key of a database of these versions?
pub(crate) fn check(tx: &mut Tx, versions: &[u64], ring: &KeyRing) -> Result<()> {
    let current: Option<[u8; 32]> = if versions.contains(&SINCE) {
        tx.maybe("SELECT check_value FROM master_keys WHERE status = $1", args![CURRENT])?
    } else {
        tx.maybe("SELECT value FROM meta WHERE name = 'key_check'", args![])?
    };
    match current {
        Some(check) if ring.find(check)?.is_none() => Err(Error::WrongMasterKey),
        _ => Ok(()),
    }
}

/// The key of that name; `first` becomes it if there is none.
fn house_key(
    tx: &mut Tx,
    (wrapping, version): (&BTreeMap<u32, Secret>, u32),
    name: &'static str,
    first: Secret,
) -> Result<Secret> {
    let find = "SELECT value FROM meta WHERE name = $1";
    let found: Option<Vec<u8>> = tx.maybe(find, args![name])?;
    let wrapped = match found {
        Some(wrapped) => wrapped,
        None => {
            let wrapped = wrap_secret(wrapping, version, house_place(&name), "house", &first)?;
            let note = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            tx.run(note, args![name, wrapped.bytes])?;
            // Another node may have been first.
            tx.one(find, args![name])?
        }
    };
    unwrap_secret(wrapping, house_place(&name), "house", &wrapped)
}
