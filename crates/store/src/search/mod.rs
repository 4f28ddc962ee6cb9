//! Looking through one's own conversations by decrypting them: newest first, in pieces, without an index.
//!
//! The caller says when it is enough; the next piece goes on from there. Memory is bounded by a batch of messages,
//! whatever they weigh.

pub(crate) mod needle;

use crate::{
    DataKey, Error, Needle, Result, Tx, args,
    database::row::row,
    messages::{self, MessageRow},
    sessions::{self, SessionFilter},
};
use domain::{Session, SessionId, Timestamp, UserId};
use std::str::FromStr;

/// Sessions, rows and bytes that are held at once. A batch is also how long a PostgreSQL client thread is kept.
const SESSIONS: u32 = 50;
const ROWS: u32 = 256;
const BYTES: u64 = 512 << 10;

/// What is looked for, where, and how many are wanted.
pub struct Search {
    pub needle: Needle,
    pub filter: SessionFilter,
    pub limit: u32,
    /// What the piece before gave as its `next_cursor`.
    pub cursor: Option<String>,
}

/// A session with what was found in it: its newest message that has the words, or its name (then without a `seq`).
#[derive(Clone, Debug, PartialEq)]
pub struct FoundInSession {
    pub session: Session,
    pub seq: Option<u64>,
    pub snippet: String,
}

/// What one piece of a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPage {
    pub found: Vec<FoundInSession>,
    /// Absent when everything has been looked through.
    pub next_cursor: Option<String>,
}

row! {
    struct Candidate {
        id: SessionId,
        updated_at: Timestamp,
        name: Option<Vec<u8>>,
    }
}

/// Where a search goes on: in this session before this message, or (0) after this session.
#[derive(Clone, Copy)]
struct SearchCursor {
    updated_at: i64,
    id: SessionId,
    before: u64,
}

impl SearchCursor {
    fn text(&self) -> String {
        format!("{}.{}.{}", self.updated_at, self.id, self.before)
    }
}

impl FromStr for SearchCursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parse = || {
            let mut parts = text.split('.');
            let cursor = Self {
                updated_at: parts.next()?.parse().ok()?,
                id: parts.next()?.parse().ok()?,
                before: parts.next()?.parse().ok()?,
            };
            parts.next().is_none().then_some(cursor)
        };
        parse().ok_or(Error::BadCursor)
    }
}

/// Looks on until `limit` sessions are found or `enough` says so, which is asked after every message; so every piece
/// gets on by at least one.
pub fn search(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    search: Search,
    enough: impl FnMut() -> bool,
) -> Result<FoundPage> {
    let mut hunt = Hunt { key, user, search: &search, enough, found: Vec::new(), scratch: Vec::new() };
    let mut after: Option<SearchCursor> = search.cursor.as_deref().map(str::parse).transpose()?;
    if let Some(cursor) = after.filter(|cursor| cursor.before > 0) {
        let half = hunt.one(tx, cursor.id)?;
        if let Some(next_cursor) = hunt.go_through(tx, half, Some(cursor))? {
            return Ok(FoundPage { found: hunt.found, next_cursor: Some(next_cursor) });
        }
    }
    loop {
        let batch = hunt.candidates(tx, after)?;
        let Some(last) = batch.last() else {
            return Ok(FoundPage { found: hunt.found, next_cursor: None });
        };
        after = Some(SearchCursor { updated_at: last.updated_at.as_millis(), id: last.id, before: 0 });
        if let Some(next_cursor) = hunt.go_through(tx, batch, None)? {
            return Ok(FoundPage { found: hunt.found, next_cursor: Some(next_cursor) });
        }
    }
}

struct Hunt<'a, E> {
    key: &'a DataKey,
    user: UserId,
    search: &'a Search,
    enough: E,
    found: Vec<FoundInSession>,
    scratch: Vec<u8>,
}

/// What came of one session.
enum SearchedSession {
    Found {
        seq: Option<u64>,
        snippet: String,
    },
    Nothing,
    /// It was enough, behind this message.
    Stopped(u64),
}

impl<E: FnMut() -> bool> Hunt<'_, E> {
    fn candidates(&self, tx: &mut Tx, after: Option<SearchCursor>) -> Result<Vec<Candidate>> {
        let filter = self.search.filter;
        let (time, id) = (after.map(|cursor| cursor.updated_at), after.map(|cursor| cursor.id));
        tx.all(
            "SELECT s.id, s.updated_at, s.name FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL \
             AND (s.hidden = 0 OR s.version_of IS NOT NULL) AND ($2 IS NULL OR s.archived = $2) AND ($3 IS NULL OR s.agent_id = $3) \
             AND ($4 IS NULL OR s.updated_at < $4 OR (s.updated_at = $4 AND s.id < $5)) \
             AND ($7 IS NULL OR s.parent_id = $7) AND ($8 IS NULL OR s.kind = $8) \
             AND ($9 IS NULL OR s.folder_id = $9) AND ($10 IS NULL OR s.pinned = $10) \
             ORDER BY s.updated_at DESC, s.id DESC LIMIT $6",
            args![
                self.user,
                filter.archived,
                filter.agent_id,
                time,
                id,
                SESSIONS,
                filter.parent_id,
                filter.kind,
                filter.folder_id,
                filter.pinned
            ],
        )
    }

    /// The session in which a piece ended, if it is still there.
    fn one(&self, tx: &mut Tx, id: SessionId) -> Result<Vec<Candidate>> {
        let sql = "SELECT s.id, s.updated_at, s.name FROM sessions s WHERE s.id = $1 AND s.user_id = $2";
        tx.all(sql, args![id, self.user])
    }

    /// Looks through these sessions. Gives the cursor when it was enough.
    fn go_through(
        &mut self,
        tx: &mut Tx,
        candidates: Vec<Candidate>,
        within: Option<SearchCursor>,
    ) -> Result<Option<String>> {
        for candidate in candidates {
            let updated_at = within.map_or(candidate.updated_at.as_millis(), |cursor| cursor.updated_at);
            let mut cursor = SearchCursor { updated_at, id: candidate.id, before: 0 };
            match self.look_into(tx, &candidate, within.map(|cursor| cursor.before))? {
                SearchedSession::Nothing => {}
                SearchedSession::Stopped(before) => {
                    cursor.before = before;
                    return Ok(Some(cursor.text()));
                }
                SearchedSession::Found { seq, snippet } => {
                    let session = sessions::get(tx, self.key, self.user, candidate.id)?;
                    self.found.extend(session.map(|session| FoundInSession { session, seq, snippet }));
                }
            }
            let full = u32::try_from(self.found.len()).is_ok_and(|found| found >= self.search.limit);
            if full || (self.enough)() {
                return Ok(Some(cursor.text()));
            }
        }
        Ok(None)
    }

    fn look_into(
        &mut self,
        tx: &mut Tx,
        candidate: &Candidate,
        from: Option<u64>,
    ) -> Result<SearchedSession> {
        if let (Some(sealed), None) = (&candidate.name, from) {
            let name = sessions::open_name(self.key, &candidate.id, sealed)?;
            if let Some(snippet) = self.search.needle.snippet(&name) {
                return Ok(SearchedSession::Found { seq: None, snippet });
            }
        }
        let mut before = from.unwrap_or(u64::MAX);
        loop {
            let rows = batch(tx, candidate.id, before)?;
            if rows.is_empty() {
                return Ok(SearchedSession::Nothing);
            }
            for row in rows {
                before = row.seq();
                if let Some(snippet) = self.snippet(&row, &candidate.id)? {
                    return Ok(SearchedSession::Found { seq: Some(before), snippet });
                }
                if (self.enough)() {
                    return Ok(SearchedSession::Stopped(before));
                }
            }
        }
    }

    fn snippet(&mut self, row: &MessageRow, session: &SessionId) -> Result<Option<String>> {
        let plain = row.plain(self.key, session)?;
        if !self.search.needle.may_be_in(&plain, &mut self.scratch) {
            return Ok(None);
        }
        Ok(self.search.needle.snippet(&messages::content_of(&plain)?))
    }
}

/// The newest messages before this one that together are not too many and not too large, but at least one.
fn batch(tx: &mut Tx, session: SessionId, before: u64) -> Result<Vec<MessageRow>> {
    let sql = format!(
        "SELECT {} FROM messages m WHERE m.session_id = $1 AND m.seq < $2 AND m.seq >= (\
           SELECT MIN(b.seq) FROM (\
             SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq DESC) AS total, \
               ROW_NUMBER() OVER (ORDER BY a.seq DESC) AS place \
             FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq < $2 \
                   ORDER BY seq DESC LIMIT $4) a\
           ) b WHERE b.place = 1 OR b.total <= $3\
         ) ORDER BY m.seq DESC",
        messages::COLUMNS
    );
    tx.all(&sql, args![session, before, BYTES, ROWS])
}
