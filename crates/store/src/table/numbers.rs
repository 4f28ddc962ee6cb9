//! Small numbers by which a person and their agents name things: entries, schedules.
//!
//! Invariant: of one owner and noun each number is given once, also when what had it is deleted. It is taken in the transaction that
//! stores what has it, so that a number which is not used was never given.

use crate::{Result, Tx, args};
use domain::UserId;

/// The next number of this person's things of this kind. Another writer waits for it until the commit.
pub fn next(tx: &mut Tx, owner: UserId, noun: &'static str) -> Result<u64> {
    tx.one(
        "INSERT INTO numbers (owner, noun, last) VALUES ($1, $2, 1) \
         ON CONFLICT (owner, noun) DO UPDATE SET last = numbers.last + 1 RETURNING last",
        args![owner, noun],
    )
}

/// The numbers of a person who is removed.
pub(crate) fn forget(tx: &mut Tx, owner: UserId) -> Result<()> {
    tx.run("DELETE FROM numbers WHERE owner = $1", args![owner]).map(drop)
}
