//! What agents are told in every prompt: memories, and the titles of pages. Of what others had a say in, nothing: the labels that are
//! asked for are those without the first bit (`table/sessions/label.rs`).

use super::row::{body_place, title_place};
use crate::{DataKey, Result, Tx, args, database::row::row};
use domain::{
    EntryId, Timestamp, UserId,
    knowledge::{ToldKnowledge, ToldMemory, ToldPage},
};

/// Rows of each store that are read; no prompt has room for more.
const MOST: u32 = 300;

row! {
    struct MemoryRow {
        id: EntryId,
        number: u64,
        pinned: bool,
        expires_at: Option<Timestamp>,
        created_at: Timestamp,
        updated_at: Timestamp,
        body: Vec<u8>,
    }
}

row! {
    struct PageRow {
        id: EntryId,
        number: u64,
        pinned: bool,
        expires_at: Option<Timestamp>,
        title: Option<Vec<u8>>,
    }
}

/// Of a person, as of now: what has ended by itself is left out.
pub fn told(tx: &mut Tx, key: &DataKey, user: UserId, now: Timestamp) -> Result<ToldKnowledge> {
    let sql = "SELECT knowledge_version, \
               (SELECT COUNT(*) FROM knowledge WHERE owner = $1 AND state = 'kept' AND label IN (0, 2, 4, 6) AND store = 'memory' \
                AND (expires_at IS NULL OR expires_at > $2)), \
               (SELECT COUNT(*) FROM knowledge WHERE owner = $1 AND state = 'kept' AND label IN (0, 2, 4, 6) AND store = 'scratchpad' \
                AND (expires_at IS NULL OR expires_at > $2)) FROM users WHERE id = $1";
    let (version, memories, pages): (u64, u64, u64) = tx.one(sql, args![user, now])?;
    let sql = "SELECT id, number, pinned, expires_at, created_at, updated_at, body FROM knowledge \
               WHERE owner = $1 AND state = 'kept' AND label IN (0, 2, 4, 6) AND store = 'memory' AND (expires_at IS NULL OR expires_at > $2) \
               ORDER BY pinned DESC, created_at DESC, number DESC LIMIT $3";
    let told_memories = tx.all::<MemoryRow>(sql, args![user, now, MOST])?;
    let sql = "SELECT id, number, pinned, expires_at, title FROM knowledge \
               WHERE owner = $1 AND state = 'kept' AND label IN (0, 2, 4, 6) AND store = 'scratchpad' AND (expires_at IS NULL OR expires_at > $2) \
               ORDER BY pinned DESC, created_at DESC, number DESC LIMIT $3";
    let told_pages = tx.all::<PageRow>(sql, args![user, now, MOST])?;
    let more = |all: u64, read: usize| all.saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
    Ok(ToldKnowledge {
        version,
        more_memories: more(memories, told_memories.len()),
        more_pages: more(pages, told_pages.len()),
        memories: told_memories.into_iter().map(|row| row.open(key)).collect::<Result<_>>()?,
        pages: told_pages.into_iter().map(|row| row.open(key)).collect::<Result<_>>()?,
    })
}

impl MemoryRow {
    fn open(self, key: &DataKey) -> Result<ToldMemory> {
        let Self { id, number, pinned, expires_at: until, created_at, updated_at, body } = self;
        let body = key.open_text(body_place(&id), &body)?;
        Ok(ToldMemory { number, pinned, until, created_at, updated_at, body })
    }
}

impl PageRow {
    fn open(self, key: &DataKey) -> Result<ToldPage> {
        let Self { id, number, pinned, expires_at: until, title } = self;
        let title = title.map(|title| key.open_text(title_place(&id), &title)).transpose()?;
        Ok(ToldPage { number, pinned, until, title: title.unwrap_or_default() })
    }
}
