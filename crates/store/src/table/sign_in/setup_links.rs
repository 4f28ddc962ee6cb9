//! The links by which the owner comes: one of each node that shows one, and any node opens it. The secret is never here, only its hash.

use crate::{Result, Tx, args};
use domain::Timestamp;

/// The link that a node shows from now on; the one that it showed before is worth nothing.
pub fn put(tx: &mut Tx, node: &str, secret_hash: [u8; 32], expires_at: Timestamp) -> Result<()> {
    tx.run(
        "INSERT INTO setup_links (node, secret_hash, expires_at) VALUES ($1, $2, $3) \
         ON CONFLICT (node) DO UPDATE SET secret_hash = $2, expires_at = $3",
        args![node, secret_hash, expires_at],
    )?;
    Ok(())
}

/// Is this the secret of a link that can be used?
pub fn opens(tx: &mut Tx, secret_hash: [u8; 32], now: Timestamp) -> Result<bool> {
    let sql = "SELECT COUNT(*) FROM setup_links WHERE secret_hash = $1 AND expires_at > $2";
    Ok(tx.one::<u64>(sql, args![secret_hash, now])? > 0)
}

/// There is an owner: none of them opens anything.
pub fn end_all(tx: &mut Tx) -> Result<()> {
    tx.run("DELETE FROM setup_links", args![])?;
    Ok(())
}
