//! What a restored database does not bring back: the ways in.
//!
//! THREAT[backup-01] Whoever was locked out after a backup was made is not in it as locked out. A login or key that was
//! ended since, perhaps because it was stolen, must not count again; nor should a copy elsewhere know browsers that
//! signed in here.

use super::restore::Restoring;
use crate::{
    Result, Tx, args,
    audit::{self, AuditEntry},
    key_ring,
};
use serde_json::json;

/// The schema's version that brought logins.
const LOGINS_SINCE: u64 = 2;

/// How many ways in were closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    pub logins: u64,
    pub keys: u64,
}

/// Ends every login and, unless they are to be kept, every key.
pub(super) async fn close(tx: &mut Tx, versions: &[u64], how: &Restoring) -> Result<Ended> {
    let mut ended = Ended::default();
    if versions.contains(&LOGINS_SINCE) {
        ended.logins = tx.run("DELETE FROM logins", args![]).await?;
    }
    if !how.keep_keys {
        let revoke = "UPDATE api_keys SET revoked_at = $1 WHERE revoked_at IS NULL";
        ended.keys = tx.run(revoke, args![how.at]).await?;
    }
    // What is older has no keys of the house yet to seal an entry with. The entry is also how machines know that what they
    // have noted of the log is gone by right.
    if ended != Ended::default() && versions.contains(&key_ring::SINCE) {
        let vault = key_ring::open(tx, &how.keys).await?;
        let entry = AuditEntry {
            at: how.at,
            user_id: None,
            actor: "operator".to_owned(),
            action: audit::RESTORED.to_owned(),
            subject: "house".to_owned(),
            detail: json!({ "ended_logins": ended.logins, "revoked_keys": ended.keys }),
        };
        match versions.contains(&audit::KEYED_SINCE) {
            true => audit::append(tx, &vault, entry).await?,
            false => audit::append_without_key(tx, &vault, entry).await?,
        }
    }
    Ok(ended)
}
