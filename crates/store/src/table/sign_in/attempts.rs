//! How often something was tried, counted by all nodes together: so many at once, and then as many again in a minute.
//!
//! One row and one statement for each name: it holds when the last attempt counts no more, by the database's clock.

use crate::{Result, Tx, Vault, args, backup::hex};
use domain::Timestamp;

const MINUTE_MS: i64 = 60_000;

/// Counts one attempt. `None`: it may be made; otherwise after how many milliseconds it may.
pub fn take(
    tx: &mut Tx,
    vault: &Vault,
    (what, name): (&str, &str),
    per_minute: u32,
    now: Timestamp,
) -> Result<Option<i64>> {
    let each = MINUTE_MS / i64::from(per_minute.max(1));
    let index = hex(&vault.digests().of("attempts", &[what.as_bytes(), name.as_bytes()]));
    let sql = "INSERT INTO attempts (name, full_at) VALUES ($1, $2 + $3) ON CONFLICT (name) DO UPDATE SET \
               full_at = CASE WHEN attempts.full_at > $2 THEN attempts.full_at ELSE $2 END + $3 \
               WHERE attempts.full_at + $3 <= $2 + $4 RETURNING full_at";
    let most = each.saturating_mul(i64::from(per_minute));
    let taken: Option<i64> = tx.maybe(sql, args![index.as_str(), now, each, most])?;
    if taken.is_some() {
        return Ok(None);
    }
    let full_at: i64 = tx.one("SELECT full_at FROM attempts WHERE name = $1", args![index])?;
    Ok(Some(full_at.saturating_add(each).saturating_sub(most).saturating_sub(now.as_millis()).max(1)))
}

/// Forgets those that count no more.
pub fn prune(tx: &mut Tx, now: Timestamp) -> Result<u64> {
    tx.run("DELETE FROM attempts WHERE full_at < $1", args![now])
}
