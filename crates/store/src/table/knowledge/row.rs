//! An entry and a version as their rows hold them, and how those are opened and sealed.

use crate::{
    DataKey, Result, Tx, args,
    crypto::seal::CellPlace,
    database::row::row,
    sessions::{label_bits, label_from},
};
use domain::{
    AgentId, CallId, EntryAction, EntryAuthor, EntryId, EntryOrigin, EntryState, EntryText, EntryVersion,
    KnowledgeEntry, KnowledgeStore, SessionId, Timestamp, TurnId, UserId, VersionState,
    knowledge::same_words,
};
use std::fmt;

row! {
    pub(super) struct EntryRow {
        id: EntryId,
        owner: UserId,
        store: KnowledgeStore,
        pub(super) number: u64,
        state: EntryState,
        by_person: bool,
        pinned: bool,
        label: i64,
        version: u64,
        proposal: Option<u64>,
        expires_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
        title: Option<Vec<u8>>,
        body: Vec<u8>,
    }
}

pub(super) const COLUMNS: &str = "id, owner, store, number, state, by_person, pinned, label, version, proposal, \
     expires_at, created_at, updated_at, title, body";

row! {
    pub(super) struct VersionRow {
        version: u64,
        action: EntryAction,
        state: VersionState,
        label: i64,
        actor: EntryAuthor,
        agent_id: Option<AgentId>,
        session_id: Option<SessionId>,
        turn_id: Option<TurnId>,
        call_id: Option<CallId>,
        at: Timestamp,
        body: Vec<u8>,
    }
}

pub(super) const VERSION_COLUMNS: &str = "v.version, v.action, v.state, v.label, v.actor, v.agent_id, v.session_id, \
     v.turn_id, v.call_id, v.at, v.body";

pub(super) fn title_place(id: &EntryId) -> CellPlace<'_> {
    CellPlace::new("knowledge", "title", id)
}

pub(super) fn body_place(id: &EntryId) -> CellPlace<'_> {
    CellPlace::new("knowledge", "body", id)
}

/// Binds the words of a version to their entry and their number.
struct VersionName(EntryId, u64);

impl fmt::Display for VersionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

fn version_place(name: &VersionName) -> CellPlace<'_> {
    CellPlace::new("knowledge_versions", "body", name)
}

/// By which the same words are found again, among what this person has in the same store.
pub(super) fn words_index(key: &DataKey, store: KnowledgeStore, text: &EntryText) -> Result<[u8; 32]> {
    let title = text.title.as_deref().map(same_words).unwrap_or_default();
    let body = same_words(&text.body);
    key.index("knowledge.words", &[store.as_str().as_bytes(), title.as_bytes(), body.as_bytes()])
}

impl EntryRow {
    pub(super) fn open(self, key: &DataKey) -> Result<KnowledgeEntry> {
        let Self { id, version, proposal, created_at, updated_at, .. } = self;
        let title = self.title.map(|sealed| key.open_text(title_place(&id), &sealed)).transpose()?;
        let body = key.open_text(body_place(&id), &self.body)?;
        Ok(KnowledgeEntry {
            id,
            user_id: self.owner,
            store: self.store,
            number: self.number,
            state: self.state,
            by_person: self.by_person,
            text: EntryText { title, body, pinned: self.pinned, until: self.expires_at },
            label: label_from(self.label),
            version,
            proposal,
            created_at,
            updated_at,
        })
    }
}

impl VersionRow {
    pub(super) fn open(self, key: &DataKey, id: EntryId) -> Result<EntryVersion> {
        let name = VersionName(id, self.version);
        let text = key.open_json(version_place(&name), &self.body)?;
        let Self { version, action, state, agent_id, session_id, turn_id, call_id, at, .. } = self;
        let origin = EntryOrigin { by: self.actor, agent_id, session_id, turn_id, call_id, at };
        Ok(EntryVersion { version, action, state, text, label: label_from(self.label), origin })
    }
}

pub(super) fn insert(tx: &mut Tx, key: &DataKey, entry: &KnowledgeEntry, maker: EntryAuthor) -> Result<()> {
    let EntryText { title, body, pinned, until } = &entry.text;
    let title = title.as_ref().map(|title| key.seal(title_place(&entry.id), title.as_bytes())).transpose()?;
    let sql = "INSERT INTO knowledge (id, owner, user_id, store, number, state, by_person, pinned, label, version, \
               proposal, proposed_at, expires_at, maker, words_index, created_at, updated_at, title, body) \
               VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16, $17)";
    tx.run(
        sql,
        args![
            entry.id,
            entry.user_id,
            entry.store,
            entry.number,
            entry.state,
            entry.by_person,
            *pinned,
            label_bits(entry.label),
            entry.version,
            entry.proposal,
            entry.proposal.map(|_| entry.created_at),
            *until,
            maker,
            words_index(key, entry.store, &entry.text)?,
            entry.created_at,
            title,
            key.seal(body_place(&entry.id), body.as_bytes())?
        ],
    )?;
    Ok(())
}

/// Stores the entry as it is now; `proposed_at` as of the version that waits.
pub(super) fn update(tx: &mut Tx, key: &DataKey, entry: &KnowledgeEntry) -> Result<()> {
    let EntryText { title, body, pinned, until } = &entry.text;
    let title = title.as_ref().map(|title| key.seal(title_place(&entry.id), title.as_bytes())).transpose()?;
    let sql = "UPDATE knowledge SET state = $3, by_person = $4, pinned = $5, label = $6, version = $7, proposal = $8, \
               proposed_at = $9, expires_at = $10, words_index = $11, updated_at = $12, title = $13, body = $14 \
               WHERE id = $1 AND owner = $2";
    tx.run(
        sql,
        args![
            entry.id,
            entry.user_id,
            entry.state,
            entry.by_person,
            *pinned,
            label_bits(entry.label),
            entry.version,
            entry.proposal,
            entry.proposal.map(|_| entry.updated_at),
            *until,
            words_index(key, entry.store, &entry.text)?,
            entry.updated_at,
            title,
            key.seal(body_place(&entry.id), body.as_bytes())?
        ],
    )?;
    Ok(())
}

pub(super) fn insert_version(tx: &mut Tx, key: &DataKey, id: EntryId, version: &EntryVersion) -> Result<()> {
    let EntryOrigin { by, agent_id, session_id, turn_id, call_id, at } = version.origin;
    let name = VersionName(id, version.version);
    let sql = "INSERT INTO knowledge_versions (entry_id, version, action, state, label, actor, agent_id, session_id, \
               turn_id, call_id, at, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let body = key.seal_json(version_place(&name), &version.text)?;
    tx.run(
        sql,
        args![
            id,
            version.version,
            version.action,
            version.state,
            label_bits(version.label),
            by,
            agent_id,
            session_id,
            turn_id,
            call_id,
            at,
            body
        ],
    )?;
    Ok(())
}

pub(super) fn version(tx: &mut Tx, key: &DataKey, id: EntryId, number: u64) -> Result<Option<EntryVersion>> {
    let sql = format!(
        "SELECT {VERSION_COLUMNS} FROM knowledge_versions v WHERE v.entry_id = $1 AND v.version = $2"
    );
    tx.maybe::<VersionRow>(&sql, args![id, number])?.map(|row| row.open(key, id)).transpose()
}

/// The newest version that was in force before this one.
pub(super) fn kept_before(
    tx: &mut Tx,
    key: &DataKey,
    id: EntryId,
    before: u64,
) -> Result<Option<EntryVersion>> {
    let sql = format!(
        "SELECT {VERSION_COLUMNS} FROM knowledge_versions v \
         WHERE v.entry_id = $1 AND v.version < $2 AND v.state = 'kept' ORDER BY v.version DESC LIMIT 1"
    );
    tx.maybe::<VersionRow>(&sql, args![id, before])?.map(|row| row.open(key, id)).transpose()
}

pub(super) fn next_version(tx: &mut Tx, id: EntryId) -> Result<u64> {
    let sql = "SELECT version FROM knowledge_versions WHERE entry_id = $1 ORDER BY version DESC LIMIT 1";
    let newest: Option<u64> = tx.maybe(sql, args![id])?;
    Ok(newest.unwrap_or_default().saturating_add(1))
}

pub(super) fn set_version_state(
    tx: &mut Tx,
    id: EntryId,
    version: u64,
    state: VersionState,
    label: domain::Label,
) -> Result<()> {
    let sql = "UPDATE knowledge_versions SET state = $3, label = $4 WHERE entry_id = $1 AND version = $2";
    tx.run(sql, args![id, version, state, label_bits(label)]).map(drop)
}
