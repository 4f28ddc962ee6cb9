//! How much a person's agents remember, and what keeps something from being written down.

use super::row::words_index;
use crate::{DataKey, Result, Tx, args};
use domain::{
    EntryAuthor, EntryId, EntryState, EntryText, KnowledgeStore, Timestamp, UserId, knowledge::EntryRefusal,
};

const DAY_MS: i64 = 24 * 3_600 * 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnowledgeLimits {
    /// Entries of one person, those that are gone included.
    pub entries: u64,
    /// That agents make within a day.
    pub a_day_by_agents: u64,
    /// That wait for one person.
    pub proposals: u64,
}

impl Default for KnowledgeLimits {
    fn default() -> Self {
        Self { entries: 100_000, a_day_by_agents: 200, proposals: 50 }
    }
}

/// Another entry of the person that is in force and says the same; where `proposed`, also one that waits.
pub(super) fn same_as(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    (id, store, text): (EntryId, KnowledgeStore, &EntryText),
    proposed: bool,
    now: Timestamp,
) -> Result<Option<EntryRefusal>> {
    let sql = "SELECT number FROM knowledge WHERE owner = $1 AND words_index = $2 AND id <> $3 \
               AND (state = 'kept' OR state = $4) AND (expires_at IS NULL OR expires_at > $5) LIMIT 1";
    let also = if proposed { EntryState::Proposed } else { EntryState::Kept };
    let same: Option<u64> = tx.maybe(sql, args![user, words_index(key, store, text)?, id, also, now])?;
    Ok(same.map(|number| EntryRefusal::SaidAlready { store, number }))
}

/// Why the person cannot have one more. Their row is locked, so that of two at once the second counts the first.
pub(super) fn full(
    tx: &mut Tx,
    user: UserId,
    by: EntryAuthor,
    limits: KnowledgeLimits,
    now: Timestamp,
) -> Result<Option<EntryRefusal>> {
    let sql = "SELECT (SELECT COUNT(*) FROM knowledge WHERE owner = $1), \
               (SELECT COUNT(*) FROM knowledge WHERE owner = $1 AND maker = $2 AND created_at > $3)";
    let since = now.plus_millis(-DAY_MS);
    let (all, today): (u64, u64) = tx.one(sql, args![user, EntryAuthor::Agent, since])?;
    Ok(match by {
        _ if all >= limits.entries => Some(EntryRefusal::TooMany),
        EntryAuthor::Agent if today >= limits.a_day_by_agents => Some(EntryRefusal::TooManyToday),
        _ => None,
    })
}

pub(super) fn crowded(tx: &mut Tx, user: UserId, limits: KnowledgeLimits) -> Result<Option<EntryRefusal>> {
    let sql = "SELECT COUNT(*) FROM knowledge WHERE owner = $1 AND proposed_at IS NOT NULL";
    let waiting: u64 = tx.one(sql, args![user])?;
    Ok((waiting >= limits.proposals).then_some(EntryRefusal::TooManyProposals))
}
