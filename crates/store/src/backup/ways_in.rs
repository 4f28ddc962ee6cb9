//! What a restored database does not bring back: the ways in.
//!
//! THREAT[backup-01] A person who was locked out after a backup was made is not in it as locked out. A login, key or link that
//! was ended or used since, perhaps because it was stolen, must not count again; nor should a copy elsewhere know browsers
//! that signed in here.

use super::restore::Restoring;
use crate::{Result, Tx, args};

/// How many ways in were closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClosedAccess {
    pub logins: u64,
    pub keys: u64,
    /// Links for a new account or a new password.
    pub account_links: u64,
    /// Links by which others read a conversation.
    pub session_links: u64,
}

/// Ends every login and every link and, unless they are to be kept, every key.
pub(super) fn close(tx: &mut Tx, how: &Restoring) -> Result<ClosedAccess> {
    let logins = tx.run("DELETE FROM logins", args![])?;
    let mut keys = 0;
    if !how.keep_keys {
        let revoke = "UPDATE api_keys SET revoked_at = $1 WHERE revoked_at IS NULL";
        keys = tx.run(revoke, args![how.at])?;
    }
    let account_links = tx.run("DELETE FROM account_links", args![])?;
    let session_links = tx.run("DELETE FROM session_links", args![])?;
    Ok(ClosedAccess { logins, keys, account_links, session_links })
}
