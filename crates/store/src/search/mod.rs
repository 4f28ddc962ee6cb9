//! Looking through one's own conversations by decrypting them: newest first, in pieces, without an index.
//!
//! A conversation is found once, however many versions of it have the words: in the one that is in the lists, or else in
//! another, where only what is no copy is looked at.
//!
//! The caller says when it is enough; the next piece goes on from there. Memory is bounded by a batch of messages,
//! whatever they weigh.

pub(crate) mod needle;
pub(crate) mod ranking;

use crate::{
    DataKey, Error, Needle, Result, Tx, args,
    database::row::row,
    messages::{self, MessageHead, MessageRow},
    sessions::{self, SessionFilter},
};
use domain::{Label, Role, Session, SessionId, Timestamp, UserId};
use std::str::FromStr;

/// Sessions, rows and bytes that are held at once. A batch is also how long a PostgreSQL client thread is kept.
const SESSIONS: u32 = 50;
const ROWS: u32 = 256;
const BYTES: u64 = 512 << 10;

/// In what a search looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchScope {
    /// Names of conversations and all messages, for their person.
    Everything,
    /// What people and agents said, for an agent. `takes_untrusted: false`: what others had a say in is only counted.
    Said { takes_untrusted: bool },
}

/// What is looked for, where, and how many are wanted.
pub struct Search {
    pub needle: Needle,
    pub scope: SearchScope,
    pub filter: SessionFilter,
    pub limit: u32,
    /// What the piece before gave as its `next_cursor`.
    pub cursor: Option<String>,
}

/// A session with what was found in it: its newest message that has the words, or its name (then without a message).
#[derive(Clone, Debug, PartialEq)]
pub struct FoundInSession {
    pub session: Session,
    pub message: Option<MessageHead>,
    pub snippet: String,
    /// Of the words of the message.
    pub label: Label,
}

/// Words that were found.
struct Snippet {
    text: String,
    label: Label,
}

/// What one piece of a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPage {
    pub found: Vec<FoundInSession>,
    /// Messages that have the words and were left out, because others had a say in them.
    pub left_out: u64,
    /// Absent when everything has been looked through.
    pub next_cursor: Option<String>,
}

row! {
    struct Candidate {
        id: SessionId,
        updated_at: Timestamp,
        name: Option<Vec<u8>>,
        version_of: Option<SessionId>,
    }
}

/// Of one version of a conversation, what is looked through.
#[derive(Clone, Copy)]
struct SearchedVersion {
    id: SessionId,
    /// Up to here it is a copy of what another version has.
    base: u64,
}

/// Where a search goes on: in this session before this message, or (0) after this session.
#[derive(Clone, Copy)]
struct SearchCursor {
    updated_at: i64,
    id: SessionId,
    before: u64,
    /// The other version of its conversation in which it goes on; none: in the session itself.
    version: Option<SessionId>,
}

impl SearchCursor {
    fn text(&self) -> String {
        let text = format!("{}.{}.{}", self.updated_at, self.id, self.before);
        self.version.map_or_else(|| text.clone(), |version| format!("{text}.{version}"))
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
                version: parts.next().map(str::parse).transpose().ok()?,
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
    let (found, scratch) = (Vec::new(), Vec::new());
    let mut hunt = Hunt { key, user, search: &search, enough, found, left_out: 0, scratch };
    let mut after: Option<SearchCursor> = search.cursor.as_deref().map(str::parse).transpose()?;
    if let Some(cursor) = after.filter(|cursor| cursor.before > 0) {
        let half = hunt.one(tx, cursor.id)?;
        if let Some(next_cursor) = hunt.go_through(tx, half, Some(cursor))? {
            return Ok(hunt.page(Some(next_cursor)));
        }
    }
    loop {
        let batch = hunt.candidates(tx, after)?;
        let Some(last) = batch.last() else {
            return Ok(hunt.page(None));
        };
        let updated_at = last.updated_at.as_millis();
        after = Some(SearchCursor { updated_at, id: last.id, before: 0, version: None });
        if let Some(next_cursor) = hunt.go_through(tx, batch, None)? {
            return Ok(hunt.page(Some(next_cursor)));
        }
    }
}

struct Hunt<'a, E> {
    key: &'a DataKey,
    user: UserId,
    search: &'a Search,
    enough: E,
    found: Vec<FoundInSession>,
    left_out: u64,
    scratch: Vec<u8>,
}

/// What came of one session.
enum SearchedSession {
    Found {
        id: SessionId,
        message: Option<MessageHead>,
        snippet: Snippet,
    },
    Nothing,
    /// It was enough, behind this message of this version.
    Stopped(SessionId, u64),
}

impl<E: FnMut() -> bool> Hunt<'_, E> {
    fn page(self, next_cursor: Option<String>) -> FoundPage {
        FoundPage { found: self.found, left_out: self.left_out, next_cursor }
    }

    fn candidates(&self, tx: &mut Tx, after: Option<SearchCursor>) -> Result<Vec<Candidate>> {
        let filter = self.search.filter;
        let (time, id) = (after.map(|cursor| cursor.updated_at), after.map(|cursor| cursor.id));
        tx.all(
            "SELECT s.id, s.updated_at, s.name, s.version_of FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL \
             AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.archived = $2) AND ($3 IS NULL OR s.agent_id = $3) \
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
        let sql = "SELECT s.id, s.updated_at, s.name, s.version_of FROM sessions s \
                   WHERE s.id = $1 AND s.user_id = $2 AND s.copying IS NULL AND s.delete_at IS NULL";
        tx.all(sql, args![id, self.user])
    }

    /// What is looked through of a conversation: the session itself, then its other versions, the newest first.
    fn versions(&self, tx: &mut Tx, candidate: &Candidate) -> Result<Vec<SearchedVersion>> {
        let mut versions = vec![SearchedVersion { id: candidate.id, base: 0 }];
        if let Some(group) = candidate.version_of {
            let sql = "SELECT id, COALESCE(version_base, 0) FROM sessions \
                       WHERE version_of = $1 AND user_id = $2 AND id <> $3 AND copying IS NULL AND delete_at IS NULL \
                       ORDER BY created_at DESC, id DESC";
            let others: Vec<(SessionId, u64)> = tx.all(sql, args![group, self.user, candidate.id])?;
            versions.extend(others.into_iter().map(|(id, base)| SearchedVersion { id, base }));
        }
        Ok(versions)
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
            let mut cursor = SearchCursor { updated_at, id: candidate.id, before: 0, version: None };
            match self.look_into(tx, &candidate, within)? {
                SearchedSession::Nothing => {}
                SearchedSession::Stopped(version, before) => {
                    cursor.before = before;
                    cursor.version = Some(version).filter(|version| *version != candidate.id);
                    return Ok(Some(cursor.text()));
                }
                SearchedSession::Found { id, message, snippet: Snippet { text: snippet, label } } => {
                    let session = sessions::get(tx, self.key, self.user, id)?;
                    let found = |session| FoundInSession { session, message, snippet, label };
                    self.found.extend(session.map(found));
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
        from: Option<SearchCursor>,
    ) -> Result<SearchedSession> {
        if let (Some(sealed), None, SearchScope::Everything) = (&candidate.name, from, self.search.scope) {
            let name = sessions::open_name(self.key, &candidate.id, sealed)?;
            if let Some(text) = self.search.needle.snippet(&name) {
                let snippet = Snippet { text, label: Label::WORST };
                return Ok(SearchedSession::Found { id: candidate.id, message: None, snippet });
            }
        }
        let versions = self.versions(tx, candidate)?;
        let going_on = from.map(|cursor| cursor.version.unwrap_or(cursor.id));
        let skipped = |version: &SearchedVersion| going_on.is_some_and(|id| id != version.id);
        for version in versions.into_iter().skip_while(skipped) {
            let before = from.filter(|_| going_on == Some(version.id)).map(|cursor| cursor.before);
            match self.look_into_version(tx, version, before.unwrap_or(u64::MAX))? {
                SearchedSession::Nothing => {}
                done => return Ok(done),
            }
        }
        Ok(SearchedSession::Nothing)
    }

    fn look_into_version(
        &mut self,
        tx: &mut Tx,
        SearchedVersion { id, base }: SearchedVersion,
        mut before: u64,
    ) -> Result<SearchedSession> {
        loop {
            let rows = batch(tx, id, base, before)?;
            if rows.is_empty() {
                return Ok(SearchedSession::Nothing);
            }
            for row in rows {
                before = row.seq();
                if let Some(snippet) = self.snippet(&row, &id)? {
                    return Ok(SearchedSession::Found { id, message: Some(row.head()), snippet });
                }
                if (self.enough)() {
                    return Ok(SearchedSession::Stopped(id, before));
                }
            }
        }
    }

    fn snippet(&mut self, row: &MessageRow, session: &SessionId) -> Result<Option<Snippet>> {
        let is_said = row.head().role != Role::Tool;
        if matches!(self.search.scope, SearchScope::Said { .. }) && !is_said {
            return Ok(None);
        }
        let plain = row.plain(self.key, session)?;
        if !self.search.needle.may_be_in(&plain, &mut self.scratch) {
            return Ok(None);
        }
        let (content, label) = messages::content_of(&plain)?;
        let Some(text) = self.search.needle.snippet(&content) else { return Ok(None) };
        // THREAT[memory-05] An agent is not told what others said because it looked for a word of theirs.
        if self.search.scope == (SearchScope::Said { takes_untrusted: false }) && label.is_untrusted() {
            self.left_out = self.left_out.saturating_add(1);
            return Ok(None);
        }
        Ok(Some(Snippet { text, label }))
    }
}

/// The newest messages before this one, and behind `after`, that together are not too many and not too large, but at least one.
fn batch(tx: &mut Tx, session: SessionId, after: u64, before: u64) -> Result<Vec<MessageRow>> {
    let sql = format!(
        "SELECT {} FROM messages m WHERE m.session_id = $1 AND m.seq < $2 AND m.seq > $5 AND m.seq >= (\
           SELECT MIN(b.seq) FROM (\
             SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq DESC) AS total, \
               ROW_NUMBER() OVER (ORDER BY a.seq DESC) AS place \
             FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq < $2 AND seq > $5 \
                   ORDER BY seq DESC LIMIT $4) a\
           ) b WHERE b.place = 1 OR b.total <= $3\
         ) ORDER BY m.seq DESC",
        messages::COLUMNS
    );
    tx.all(&sql, args![session, before, BYTES, ROWS, after])
}
