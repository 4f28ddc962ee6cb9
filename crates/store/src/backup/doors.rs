//! What a restored database does not bring back: the ways in.
//!
//! THREAT[backup-01] Whoever was locked out after a backup was made is not in it as locked out. A login or key that was
//! ended since, perhaps because it was stolen, must not count again; nor should a copy elsewhere know browsers that
//! signed in here.

use super::restore::Restoring;
use crate::{Result, Tx, args};

/// How many ways in were closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClosedAccess {
    pub logins: u64,
    pub keys: u64,
}

/// Ends every login and, unless they are to be kept, every key.
pub(super) fn close(tx: &mut Tx, how: &Restoring) -> Result<ClosedAccess> {
    let logins = tx.run("DELETE FROM logins", args![])?;
    let mut keys = 0;
    if !how.keep_keys {
        let revoke = "UPDATE api_keys SET revoked_at = $1 WHERE revoked_at IS NULL";
        keys = tx.run(revoke, args![how.at])?;
    }
    Ok(ClosedAccess { logins, keys })
}
