//! What a machine notes of the audit log, to keep it outside of the database.
//!
//! THREAT[audit-02]: an older head of the log, from a backup or a journal, is put back together with the entries of then:
//! everything in the database fits. A machine that has noted a later entry knows better.

use super::{Action, GENESIS};
use crate::{
    Error, Result, Tx, Vault, args,
    crypto::seal::{CellPlace, from_json, to_json},
};
use domain::Timestamp;
use serde::{Deserialize, Serialize};

/// The newest entry that a machine has seen.
#[derive(Serialize, Deserialize)]
struct Note {
    position: u64,
    hash: [u8; 32],
    at: Timestamp,
}

fn place() -> CellPlace<'static> {
    CellPlace::new("note", "audit", &"head")
}

/// A note of the newest entry, sealed with the key of the house.
pub fn note(tx: &mut Tx, vault: &Vault) -> Result<Vec<u8>> {
    let newest = "SELECT position, hash, at FROM audit ORDER BY position DESC LIMIT 1";
    let found: Option<(u64, [u8; 32], Timestamp)> = tx.maybe(newest, args![])?;
    let (position, hash, at) = found.unwrap_or((0, GENESIS, Timestamp::from_millis(0)));
    vault.seal(place(), &to_json(&Note { position, hash, at })?)
}

/// Is what was noted still in the log? It is not after a backup was restored, which the log says then.
pub fn check_note(tx: &mut Tx, vault: &Vault, note: &[u8]) -> Result<()> {
    let Note { position, hash, at } = from_json(place(), &vault.open(place(), note)?)?;
    if position == 0 {
        return Ok(());
    }
    let there: Option<[u8; 32]> = tx.maybe("SELECT hash FROM audit WHERE position = $1", args![position])?;
    if there == Some(hash) {
        return Ok(());
    }
    let since = "SELECT COUNT(*) FROM audit WHERE action = $1 AND at > $2";
    if tx.one::<u64>(since, args![Action::HouseRestored.as_str(), at])? > 0 {
        return Ok(());
    }
    Err(Error::Audit { position, reason: "this machine has seen another entry there, which is gone" })
}
