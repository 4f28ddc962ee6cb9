//! Writing entries down, changing and deleting them, by their person or by an agent.

use super::{
    EntryName, get,
    limits::{self, KnowledgeLimits},
    row,
};
use crate::{DataKey, Error, Result, Tx, args, numbers};
use domain::{
    EntryAction, EntryAuthor, EntryId, EntryOrigin, EntryState, EntryText, EntryVersion, KnowledgeEntry,
    KnowledgeStore, Label, Timestamp, UserId, VersionState,
    knowledge::{EntryRefusal, must_be_reviewed},
};

/// On whose behalf something is written down, and what they had read.
#[derive(Clone, Debug)]
pub struct EntryWriter {
    pub origin: EntryOrigin,
    pub label: Label,
    /// `false`: what must be reviewed counts at once, in a test of what would happen then.
    pub is_reviewed: bool,
    pub limits: KnowledgeLimits,
}

impl EntryWriter {
    /// Of words with this label, that of the entry.
    fn private(&self, label: Label) -> Label {
        let label = label.join(self.label).join(Label::TRUSTED_PRIVATE);
        if self.is_reviewed { label } else { label.declared_trusted() }
    }

    fn waits(&self, label: Label, by_person: bool) -> bool {
        self.is_reviewed && must_be_reviewed(self.origin.by, label, by_person)
    }
}

/// What of an entry is to be another; what is not there stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryEdit {
    pub title: Option<String>,
    pub body: Option<String>,
    pub pinned: Option<bool>,
    pub until: Option<Option<Timestamp>>,
}

impl EntryEdit {
    pub(super) fn over(&self, text: &EntryText) -> EntryText {
        EntryText {
            title: self.title.clone().or_else(|| text.title.clone()),
            body: self.body.clone().unwrap_or_else(|| text.body.clone()),
            pinned: self.pinned.unwrap_or(text.pinned),
            until: self.until.unwrap_or(text.until),
        }
    }

    fn keeps_words(&self, text: &EntryText) -> bool {
        self.body.is_none() || (text.title.is_some() && self.title.is_none())
    }
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryChanged {
    pub entry: KnowledgeEntry,
    /// It is not in force before its person keeps it.
    pub waits: bool,
    /// Where it waits: others had a say in it. Otherwise its person wrote or kept what would be changed.
    pub is_untrusted: bool,
}

pub(super) type EntryOutcome<T> = Result<std::result::Result<T, EntryRefusal>>;

/// Locks what the person has until the commit, and makes agents read it anew.
pub(super) fn hold(tx: &mut Tx, user: UserId) -> Result<()> {
    let sql = "UPDATE users SET knowledge_version = knowledge_version + 1 WHERE id = $1";
    if tx.run(sql, args![user])? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

pub fn create(
    tx: &mut Tx,
    key: &DataKey,
    (user, id): (UserId, EntryId),
    (store, text): (KnowledgeStore, EntryText),
    by: &EntryWriter,
) -> EntryOutcome<EntryChanged> {
    hold(tx, user)?;
    let (at, author) = (by.origin.at, by.origin.by);
    let label = by.private(by.label);
    let waits = by.waits(label, false);
    if let Some(same) = limits::same_as(tx, key, user, (id, store, &text), waits, at)? {
        return Ok(Err(same));
    }
    let full = match limits::full(tx, user, author, by.limits, at)? {
        None if waits => limits::crowded(tx, user, by.limits)?,
        full => full,
    };
    if let Some(full) = full {
        return Ok(Err(full));
    }
    let entry = KnowledgeEntry {
        id,
        user_id: user,
        store,
        number: numbers::next(tx, user, store.as_str())?,
        state: if waits { EntryState::Proposed } else { EntryState::Kept },
        by_person: author == EntryAuthor::Person,
        text,
        label,
        version: 1,
        proposal: waits.then_some(1),
        created_at: at,
        updated_at: at,
    };
    row::insert(tx, key, &entry, author)?;
    let version = version(&entry.text, (1, EntryAction::Write), (waits, label), by);
    row::insert_version(tx, key, id, &version)?;
    Ok(Ok(EntryChanged { entry, waits, is_untrusted: label.is_untrusted() }))
}

pub fn change(
    tx: &mut Tx,
    key: &DataKey,
    (user, name): (UserId, EntryName),
    edit: &EntryEdit,
    by: &EntryWriter,
) -> EntryOutcome<EntryChanged> {
    hold(tx, user)?;
    let Some(entry) = there(tx, key, user, name)? else { return Ok(Err(EntryRefusal::NotFound)) };
    let text = edit.over(&entry.text);
    // Words that stay bring their label with them.
    let kept = if edit.keeps_words(&entry.text) { entry.label } else { Label::TRUSTED_PRIVATE };
    let label = by.private(kept);
    let waits = by.waits(label, entry.by_person);
    let same = (entry.id, entry.store, &text);
    if let Some(same) = limits::same_as(tx, key, user, same, waits, by.origin.at)? {
        return Ok(Err(same));
    }
    replace(tx, key, entry, (EntryAction::Write, text), (waits, label), by)
}

/// Deletes it, or proposes to. What waits for its person is withdrawn at once.
pub fn remove(
    tx: &mut Tx,
    key: &DataKey,
    (user, name): (UserId, EntryName),
    by: &EntryWriter,
) -> EntryOutcome<EntryChanged> {
    hold(tx, user)?;
    let Some(entry) = there(tx, key, user, name)? else { return Ok(Err(EntryRefusal::NotFound)) };
    let label = by.private(by.label);
    let waits = entry.state == EntryState::Kept && by.waits(label, entry.by_person);
    let text = entry.text.clone();
    replace(tx, key, entry, (EntryAction::Delete, text), (waits, label), by)
}

fn there(tx: &mut Tx, key: &DataKey, user: UserId, name: EntryName) -> Result<Option<KnowledgeEntry>> {
    Ok(get(tx, key, user, name)?.filter(|entry| entry.state != EntryState::Gone))
}

fn version(
    text: &EntryText,
    (number, action): (u64, EntryAction),
    (waits, label): (bool, Label),
    by: &EntryWriter,
) -> EntryVersion {
    let state = if waits { VersionState::Proposed } else { VersionState::Kept };
    EntryVersion { version: number, action, state, text: text.clone(), label, origin: by.origin.clone() }
}

/// One more version of the entry. What waited is discarded: what waits is always the newest.
pub(super) fn replace(
    tx: &mut Tx,
    key: &DataKey,
    mut entry: KnowledgeEntry,
    (action, text): (EntryAction, EntryText),
    (waits, label): (bool, Label),
    by: &EntryWriter,
) -> EntryOutcome<EntryChanged> {
    if waits
        && entry.proposal.is_none()
        && let Some(full) = limits::crowded(tx, entry.user_id, by.limits)?
    {
        return Ok(Err(full));
    }
    discard_waiting(tx, key, &entry)?;
    let number = row::next_version(tx, entry.id)?;
    let version = version(&text, (number, action), (waits, label), by);
    row::insert_version(tx, key, entry.id, &version)?;
    entry.proposal = waits.then_some(number);
    entry.updated_at = by.origin.at;
    if !waits || entry.state == EntryState::Proposed {
        (entry.text, entry.label, entry.version) = (text, label, number);
    }
    if !waits {
        entry.state = in_force(action);
        entry.by_person |= by.origin.by == EntryAuthor::Person;
    }
    row::update(tx, key, &entry)?;
    Ok(Ok(EntryChanged { entry, waits, is_untrusted: label.is_untrusted() }))
}

/// What an entry is when a version of this kind is in force.
pub(super) const fn in_force(action: EntryAction) -> EntryState {
    match action {
        EntryAction::Write => EntryState::Kept,
        EntryAction::Delete => EntryState::Gone,
    }
}

pub(super) fn discard_waiting(tx: &mut Tx, key: &DataKey, entry: &KnowledgeEntry) -> Result<()> {
    let Some(number) = entry.proposal else { return Ok(()) };
    let Some(version) = row::version(tx, key, entry.id, number)? else { return Ok(()) };
    row::set_version_state(tx, entry.id, number, VersionState::Discarded, version.label)
}
