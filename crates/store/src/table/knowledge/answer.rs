//! What only a person does: they keep or discard what waits, go back to an earlier version, and remove an entry for good.

use super::{
    EntryName, get, row,
    write::{EntryEdit, EntryOutcome, EntryWriter, hold, in_force, replace},
};
use crate::{DataKey, Result, Tx, args};
use domain::{
    EntryAction, EntryId, EntryState, KnowledgeEntry, SessionId, Timestamp, UserId, VersionState,
    knowledge::EntryRefusal,
};

/// A person answers what waits: `Some` keeps it, with the words that they put instead, `None` discards it. Whichever way, only the
/// version that they looked at is answered.
///
/// THREAT[memory-02] A person keeps what they saw: a version that came meanwhile waits on.
pub fn review(
    tx: &mut Tx,
    key: &DataKey,
    (user, id, seen): (UserId, EntryId, u64),
    keep: Option<&EntryEdit>,
    by: &EntryWriter,
) -> EntryOutcome<KnowledgeEntry> {
    hold(tx, user)?;
    let Some(mut entry) = get(tx, key, user, EntryName::Id(id))? else {
        return Ok(Err(EntryRefusal::NotFound));
    };
    let waiting = match entry.proposal {
        Some(number) if number == seen => row::version(tx, key, id, number)?,
        _ => None,
    };
    let Some(version) = waiting else { return Ok(Err(EntryRefusal::Changed)) };
    match keep {
        None => {
            row::set_version_state(tx, id, seen, VersionState::Discarded, version.label)?;
            if entry.state == EntryState::Proposed {
                entry.state = EntryState::Gone;
            }
        }
        Some(edit) if version.action == EntryAction::Write && *edit != EntryEdit::default() => {
            let text = edit.over(&version.text);
            let label = version.label.join(by.label).declared_trusted();
            let edited = replace(tx, key, entry, (EntryAction::Write, text), (false, label), by)?;
            return Ok(edited.map(|changed| changed.entry));
        }
        Some(_) => {
            let label = version.label.declared_trusted();
            row::set_version_state(tx, id, seen, VersionState::Kept, label)?;
            entry.state = in_force(version.action);
            entry.by_person = true;
            (entry.text, entry.label, entry.version) = (version.text, label, seen);
        }
    }
    (entry.proposal, entry.updated_at) = (None, by.origin.at);
    row::update(tx, key, &entry)?;
    Ok(Ok(entry))
}

/// Makes an earlier version the newest: the one that was in force before, or `to`, which must have been in force once.
pub fn undo(
    tx: &mut Tx,
    key: &DataKey,
    (user, id): (UserId, EntryId),
    to: Option<u64>,
    by: &EntryWriter,
) -> EntryOutcome<KnowledgeEntry> {
    hold(tx, user)?;
    let Some(entry) = get(tx, key, user, EntryName::Id(id))? else {
        return Ok(Err(EntryRefusal::NotFound));
    };
    let earlier = match to {
        Some(number) => row::version(tx, key, id, number)?,
        None => row::kept_before(tx, key, id, entry.version)?,
    };
    let (action, text, label) = match earlier.filter(|version| version.state == VersionState::Kept) {
        Some(version) => (version.action, version.text, version.label),
        // Before the first there was nothing.
        None if to.is_none() && entry.state == EntryState::Kept => {
            (EntryAction::Delete, entry.text.clone(), entry.label)
        }
        None => return Ok(Err(EntryRefusal::NothingBefore)),
    };
    let undone = replace(tx, key, entry, (action, text), (false, label), by)?;
    Ok(undone.map(|changed| changed.entry))
}

/// Takes back the newest change of this conversation after which its entry was not changed again. `None` where there is none.
pub fn undo_in(
    tx: &mut Tx,
    key: &DataKey,
    (user, session): (UserId, SessionId),
    by: &EntryWriter,
) -> EntryOutcome<Option<KnowledgeEntry>> {
    hold(tx, user)?;
    let sql = "SELECT k.id FROM knowledge k JOIN knowledge_versions v ON v.entry_id = k.id AND v.version = k.version \
               WHERE k.owner = $1 AND v.session_id = $2 AND v.state = 'kept' ORDER BY v.at DESC, k.id DESC LIMIT 1";
    match tx.maybe::<EntryId>(sql, args![user, session])? {
        Some(id) => Ok(undo(tx, key, (user, id), None, by)?.map(Some)),
        None => Ok(Ok(None)),
    }
}

/// Removes an entry with every version of it; nothing of it can be brought back. `false` when the user has no such entry.
pub fn purge(tx: &mut Tx, user: UserId, id: EntryId) -> Result<bool> {
    hold(tx, user)?;
    Ok(tx.run("DELETE FROM knowledge WHERE id = $1 AND owner = $2", args![id, user])? > 0)
}

/// Discards what has waited since this time or longer, of everybody; says how much it was.
pub fn drop_old_proposals(tx: &mut Tx, since: Timestamp) -> Result<u64> {
    let sql = "UPDATE knowledge_versions SET state = 'discarded' WHERE state = 'proposed' AND entry_id IN \
               (SELECT id FROM knowledge WHERE proposed_at IS NOT NULL AND proposed_at <= $1)";
    tx.run(sql, args![since])?;
    let sql = "UPDATE knowledge SET state = CASE WHEN state = 'proposed' THEN 'gone' ELSE state END, \
               proposal = NULL, proposed_at = NULL WHERE proposed_at IS NOT NULL AND proposed_at <= $1";
    tx.run(sql, args![since])
}
