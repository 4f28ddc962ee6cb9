//! What agents remember of people: entries, and every version of each. Changing them is in [`write`] and [`answer`].
//!
//! Invariants: every statement names the owner. What is told is trusted. At most one version of an entry waits, and it is its
//! newest.

mod answer;
mod flush;
mod hunt;
mod limits;
mod row;
mod told;
mod write;

pub use answer::{drop_old_proposals, purge, review, undo, undo_in};
pub use flush::{SessionPage, flush};
pub use hunt::EntryHunt;
pub use limits::KnowledgeLimits;
pub use told::told;
pub use write::{EntryChanged, EntryEdit, EntryWriter, change, create, remove};

use crate::{DataKey, Page, Paged, Result, Tx, args, database::page::one_more};
use domain::{EntryId, EntryState, EntryVersion, KnowledgeEntry, KnowledgeStore, Timestamp, UserId};
use row::{COLUMNS, EntryRow, VERSION_COLUMNS, VersionRow};

/// Versions of one entry that are shown.
const MOST_VERSIONS: u32 = 200;

/// How an entry is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryName {
    Id(EntryId),
    Number(KnowledgeStore, u64),
}

/// `None` when the user has no such entry.
pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, name: EntryName) -> Result<Option<KnowledgeEntry>> {
    let found: Option<EntryRow> = match name {
        EntryName::Id(id) => {
            let sql = format!("SELECT {COLUMNS} FROM knowledge WHERE id = $1 AND owner = $2");
            tx.maybe(&sql, args![id, user])?
        }
        EntryName::Number(store, number) => {
            let sql =
                format!("SELECT {COLUMNS} FROM knowledge WHERE owner = $1 AND store = $2 AND number = $3");
            tx.maybe(&sql, args![user, store, number])?
        }
    };
    found.map(|row| row.open(key)).transpose()
}

/// Which entries are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFilter {
    pub store: KnowledgeStore,
    pub state: EntryState,
    /// What ended by itself before this is no longer kept but gone.
    pub now: Timestamp,
    /// Only what agents may be told: in nothing of it others had a say.
    pub is_told: bool,
}

impl EntryFilter {
    /// With the time as $3.
    const fn condition(self) -> &'static str {
        match self.state {
            EntryState::Kept if self.is_told => {
                "state = 'kept' AND label IN (0, 2, 4, 6) AND (expires_at IS NULL OR expires_at > $3)"
            }
            EntryState::Kept => "state = 'kept' AND (expires_at IS NULL OR expires_at > $3)",
            EntryState::Proposed => "proposed_at IS NOT NULL AND proposed_at <= $3",
            EntryState::Gone => "(state = 'gone' OR (state = 'kept' AND expires_at <= $3))",
        }
    }
}

/// A user's entries of one kind, oldest first. Those that wait for their person include those of which only a change waits.
pub fn list(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    filter: EntryFilter,
    page: Page,
) -> Result<Paged<KnowledgeEntry>> {
    let after: Option<u64> = page.cursor_as()?;
    let condition = filter.condition();
    let counted = format!("SELECT COUNT(*) FROM knowledge WHERE owner = $1 AND store = $2 AND {condition}");
    let total = tx.one(&counted, args![user, filter.store, filter.now])?;
    let sql = format!(
        "SELECT {COLUMNS} FROM knowledge WHERE owner = $1 AND store = $2 AND {condition} AND number > $4 ORDER BY number LIMIT $5"
    );
    let values = args![user, filter.store, filter.now, after.unwrap_or_default(), one_more(page.limit)];
    let piece = tx.piece::<EntryRow>(&sql, values)?;
    Paged::from_piece(piece, page.limit, total, |row| row.number.to_string()).try_map(|row| row.open(key))
}

/// What has become of an entry, newest first; nothing when the user has no such entry.
pub fn versions(tx: &mut Tx, key: &DataKey, user: UserId, id: EntryId) -> Result<Vec<EntryVersion>> {
    let sql = format!(
        "SELECT {VERSION_COLUMNS} FROM knowledge_versions v JOIN knowledge k ON k.id = v.entry_id \
         WHERE v.entry_id = $1 AND k.owner = $2 ORDER BY v.version DESC LIMIT $3"
    );
    let rows: Vec<VersionRow> = tx.all(&sql, args![id, user, MOST_VERSIONS])?;
    rows.into_iter().map(|row| row.open(key, id)).collect()
}
