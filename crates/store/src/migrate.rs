//! The schema's versions. A step is one transaction, so a program killed in the middle starts the step again.

use crate::{Error, Result, Tx, args};

/// One text for both engines: integers are BIGINT, and BLOB is spelt BYTEA for PostgreSQL.
const STEPS: &[&str] = &[include_str!("../migrations/0001_spine.sql")];

/// Any number: what counts is that every node locks the same one.
const LOCK: i64 = 0x6d61_6a6f_7264_6f6d;

/// The newest version this program knows.
pub(crate) fn known() -> u64 {
    u64::try_from(STEPS.len()).unwrap_or(u64::MAX)
}

/// Takes one step, if there is one to take. `false` means that the schema is the newest.
pub(crate) async fn step(tx: &mut Tx) -> Result<bool> {
    if tx.is_postgres() {
        // Nodes that start together wait here; the lock goes with the transaction.
        tx.run("SELECT pg_advisory_xact_lock($1)", args![LOCK]).await?;
    }
    tx.script("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)").await?;
    let found: u64 =
        tx.one("SELECT CAST(COALESCE(MAX(version), 0) AS BIGINT) FROM schema_version", args![]).await?;
    if found > known() {
        return Err(Error::NewerSchema { found, known: known() });
    }
    let Some(text) = usize::try_from(found).ok().and_then(|done| STEPS.get(done)) else { return Ok(false) };
    let text = if tx.is_postgres() { text.replace(" BLOB", " BYTEA") } else { (*text).to_owned() };
    tx.script(&text).await?;
    tx.run("INSERT INTO schema_version (version) VALUES ($1)", args![found.saturating_add(1)]).await?;
    Ok(true)
}
