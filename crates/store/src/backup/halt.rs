//! What a restored database does not go on with: the work of that time.
//!
//! THREAT[backup-02] After a backup was made, the house went on: what the backup shows as running, waiting or permitted
//! has run, was answered or was used since. Going on with it would pay a second time. So nothing of it goes on before a
//! person asks for it: turns are ended, in words, by the first start (`restored` marks them until then), and what was
//! permitted for a moment is forgotten, and schedules are paused. What was being deleted is kept: a backup is there to bring things back, and its first
//! start must not take them away.

use crate::{Result, Tx, args, titles};
use domain::Timestamp;

/// How much was stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Halted {
    /// Turns that ran, waited for a person or for another turn.
    pub turns: u64,
    /// Rules that permitted something once, or for a session.
    pub rules: u64,
    /// Conversations that were being deleted, and are kept.
    pub deletions: u64,
    /// Schedules, which are paused until their people resume them.
    pub schedules: u64,
}

/// Marks every turn that has not ended, and takes back whatever could set one going.
pub(super) fn halt(tx: &mut Tx, at: Timestamp) -> Result<Halted> {
    let turns = "UPDATE turns SET restored = 1, epoch = epoch + 1, owner = NULL, lease_until = NULL, \
                   status = CASE WHEN status = 'queued' THEN 'queued' ELSE 'running' END WHERE status <> 'ended'";
    let turns = tx.run(turns, args![])?;
    // What forbids something still does.
    let rules = "DELETE FROM rules WHERE action = 'allow' AND scope IN ('once', 'session')";
    let rules = tx.run(rules, args![])?;
    let over = [
        "UPDATE approvals SET status = 'denied', settled_at = $1 WHERE status = 'pending'",
        "UPDATE questions SET status = 'withdrawn', settled_at = $1 WHERE status = 'pending'",
        "UPDATE errands SET status = 'withdrawn', due = NULL, settled_at = $1 WHERE status IN ('pending', 'ended')",
        "UPDATE model_calls SET status = 'failed', ended_at = $1 WHERE status = 'started'",
    ];
    for sql in over {
        tx.run(sql, args![at])?;
    }
    tx.run("UPDATE errands SET due = NULL WHERE due IS NOT NULL", args![])?;
    let deletions = tx.run("UPDATE sessions SET delete_at = NULL WHERE delete_at IS NOT NULL", args![])?;
    // What was due since has come, and would come again.
    let schedules =
        tx.run("UPDATE schedules SET state = 'paused', next_at = NULL WHERE state = 'active'", args![])?;
    titles::give_up(tx)?;
    // A master key that was on its way then has come or was given up since.
    tx.run("DELETE FROM handed_keys", args![])?;
    // Those that ran then are gone, and none of them is to look alive.
    tx.run("DELETE FROM nodes", args![])?;
    Ok(Halted { turns, rules, deletions, schedules })
}
