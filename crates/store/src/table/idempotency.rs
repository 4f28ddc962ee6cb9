//! Idempotency keys of everything that is not a message: a repeated key finds what the first one made.

use crate::{Result, Tx, Vault, args};
use domain::{Timestamp, UserId};

/// A request that a client may repeat.
#[derive(Clone, Debug)]
pub struct Keyed {
    pub user_id: UserId,
    /// What it is about, for instance `fork session_…`: the same key elsewhere is another one.
    pub resource: String,
    pub key: String,
    /// What was asked for: the same key must not ask for something else.
    pub body: Vec<u8>,
    /// What it makes, if it is the first.
    pub made: String,
    pub at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyUse {
    First,
    Repeat { made: String, same_body: bool },
}

/// What names the key, and what it asks for.
fn digests(vault: &Vault, keyed: &Keyed) -> ([u8; 32], [u8; 32]) {
    let (user, resource) = (keyed.user_id.to_string(), keyed.resource.as_bytes());
    let idem = vault.digests().of("idempotency.key", &[user.as_bytes(), resource, keyed.key.as_bytes()]);
    (idem, vault.digests().of("idempotency.body", &[user.as_bytes(), resource, &keyed.body]))
}

/// Whether the key was used before; notes nothing.
pub fn find(tx: &mut Tx, vault: &Vault, keyed: &Keyed) -> Result<KeyUse> {
    let (idem, digest) = digests(vault, keyed);
    let find = "SELECT made, digest FROM idempotency_keys WHERE user_id = $1 AND idem = $2";
    let found: Option<(String, [u8; 32])> = tx.maybe(find, args![keyed.user_id, idem])?;
    Ok(match found {
        Some((made, known)) => KeyUse::Repeat { made, same_body: known == digest },
        None => KeyUse::First,
    })
}

/// Notes the key in the transaction that makes the thing, so that both are there or neither.
pub fn note(tx: &mut Tx, vault: &Vault, keyed: &Keyed) -> Result<KeyUse> {
    let (idem, digest) = digests(vault, keyed);
    let insert = "INSERT INTO idempotency_keys (user_id, idem, digest, made, created_at) \
                  VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_id, idem) DO NOTHING";
    let values = args![keyed.user_id, idem, digest, keyed.made.as_str(), keyed.at];
    if tx.run(insert, values)? > 0 {
        return Ok(KeyUse::First);
    }
    find(tx, vault, keyed)
}

/// Forgets keys that were used before. Says how many.
pub fn prune(tx: &mut Tx, before: Timestamp) -> Result<u64> {
    tx.run("DELETE FROM idempotency_keys WHERE created_at < $1", args![before])
}
