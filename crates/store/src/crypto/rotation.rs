//! Changing the master key, in steps of which each may be the last before a crash.
//!
//! 1. the next key is noted, and both open; when they do at every node, keys are wrapped by it;
//! 2. what the current key wraps is wrapped by the next, a few rows at a time;
//! 3. when nothing is left, the next key is the current one.
//!
//! Invariant: each wrapped key says which master key opens it, and that one is on the ring.

use crate::{
    Conflict, Error, MasterKey, Result, Store, Tx, Vault, args,
    crypto::{
        handed_key,
        key_ring::{self, CURRENT, HOUSE_KEYS, KnownKey, NEXT, RETIRED, house_place},
        seal,
    },
};
use domain::UserId;

/// Users per transaction.
const AT_ONCE: i64 = 4;

/// How far a change of the master key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyState {
    pub current: u32,
    /// Keys are being changed to this one.
    pub next: Option<u32>,
    pub retired: u32,
}

impl Store {
    pub async fn key_state(&self) -> Result<KeyState> {
        self.read(|tx: &mut Tx| Ok(state(&key_ring::known(tx)?))).await
    }

    /// The version under which the database knows a key.
    pub async fn key_version(&self, key: &MasterKey) -> Result<Option<u32>> {
        let check = key.check_value()?;
        let known = self.read(|tx: &mut Tx| key_ring::known(tx)).await?;
        Ok(known.iter().find(|known| known.check == check).map(|known| known.version))
    }

    /// Notes the key that is to come, which must be durable already, and hands it to other nodes. The same key may be given again.
    pub async fn note_next_key(&self, next: &MasterKey) -> Result<u32> {
        let (check, vault, key) = (next.check_value()?, self.vault().clone(), next.clone());
        let note = move |tx: &mut Tx| {
            let version = begin(tx, check)?;
            if tx.is_postgres() {
                handed_key::put(tx, &vault, version, &key)?;
            }
            Ok(version)
        };
        let version = self.write(note).await?;
        self.vault().add_master(version, next)?;
        Ok(version)
    }

    /// As [`Self::note_next_key`], and wraps with it from now on: every other node opens with it.
    pub async fn begin_rotation(&self, next: &MasterKey) -> Result<u32> {
        let version = self.note_next_key(next).await?;
        self.vault().wrap_by(version);
        Ok(version)
    }

    /// Wraps a few more keys with the newest master key; `false` when nothing is left to do.
    pub async fn rewrap_some(&self) -> Result<bool> {
        let vault = self.vault().clone();
        self.write(move |tx: &mut Tx| rewrap(tx, &vault)).await
    }

    /// Makes the next key the current one. `false` when some key is not wrapped by it yet.
    pub async fn finish_rotation(&self) -> Result<bool> {
        self.write(|tx: &mut Tx| finish(tx)).await
    }
}

fn state(known: &[KnownKey]) -> KeyState {
    let of = |status: &str| known.iter().find(|key| key.status == status).map(|key| key.version);
    let retired = known.iter().filter(|key| key.status == RETIRED).count();
    KeyState {
        current: of(CURRENT).unwrap_or_default(),
        next: of(NEXT),
        retired: u32::try_from(retired).unwrap_or(u32::MAX),
    }
}

fn begin(tx: &mut Tx, check: [u8; 32]) -> Result<u32> {
    let known = key_ring::known(tx)?;
    if let Some(same) = known.iter().find(|key| key.check == check) {
        return if same.status == NEXT { Ok(same.version) } else { Err(Conflict::UsedMasterKey.into()) };
    }
    if let Some(begun) = known.iter().find(|key| key.status == NEXT) {
        let used: u64 = tx.one("SELECT COUNT(*) FROM users WHERE key_version = $1", args![begun.version])?;
        let house_keys = wrapped_house_keys(tx)?;
        if used > 0 || house_keys.iter().any(|(_, version)| *version == Some(begun.version)) {
            return Err(Error::KeyFile(
                "A change of the master key was started with another new key. Put the file of that key (master.key.next) back."
                    .to_owned(),
            ));
        }
        tx.run("DELETE FROM master_keys WHERE version = $1", args![begun.version])?;
    }
    let version = known.iter().map(|key| key.version).max().unwrap_or_default().saturating_add(1);
    let note = "INSERT INTO master_keys (version, status, check_value) VALUES ($1, $2, $3)";
    tx.run(note, args![version, NEXT, check])?;
    Ok(version)
}

fn wrapped_house_keys(tx: &mut Tx) -> Result<Vec<(&'static str, Option<u32>)>> {
    let mut found = Vec::new();
    for name in HOUSE_KEYS {
        let wrapped: Vec<u8> = tx.one("SELECT value FROM meta WHERE name = $1", args![name])?;
        found.push((name, seal::version(&wrapped)));
    }
    Ok(found)
}

fn target(tx: &mut Tx) -> Result<u32> {
    let state = state(&key_ring::known(tx)?);
    Ok(state.next.unwrap_or(state.current))
}

fn rewrap(tx: &mut Tx, vault: &Vault) -> Result<bool> {
    let target = target(tx)?;
    for (name, version) in wrapped_house_keys(tx)? {
        if version == Some(target) {
            continue;
        }
        let old: Vec<u8> = tx.one("SELECT value FROM meta WHERE name = $1", args![name])?;
        let secret = vault.unwrap_secret(house_place(&name), "house", &old)?;
        let wrapped = vault.wrap_secret(target, house_place(&name), "house", &secret)?;
        tx.run("UPDATE meta SET value = $2 WHERE name = $1", args![name, wrapped.bytes])?;
        return Ok(true);
    }
    let sql = "SELECT id, data_key FROM users WHERE key_version <> $1 ORDER BY id LIMIT $2";
    let rows: Vec<(UserId, Vec<u8>)> = tx.all(sql, args![target, AT_ONCE])?;
    for (user, old) in &rows {
        let wrapped = vault.wrap_as(target, &vault.unwrap(*user, old)?)?;
        let update = "UPDATE users SET data_key = $2, key_version = $3 WHERE id = $1";
        tx.run(update, args![*user, wrapped.bytes, wrapped.version])?;
    }
    Ok(!rows.is_empty())
}

fn finish(tx: &mut Tx) -> Result<bool> {
    let target = target(tx)?;
    let left: u64 = tx.one("SELECT COUNT(*) FROM users WHERE key_version <> $1", args![target])?;
    let house_keys = wrapped_house_keys(tx)?;
    if left > 0 || house_keys.iter().any(|(_, version)| *version != Some(target)) {
        return Ok(false);
    }
    let retire = "UPDATE master_keys SET status = $2 WHERE version <> $1";
    tx.run(retire, args![target, RETIRED])?;
    tx.run("UPDATE master_keys SET status = $2 WHERE version = $1", args![target, CURRENT])?;
    Ok(true)
}
