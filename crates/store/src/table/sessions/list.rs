//! Lists of a person's sessions.

use super::row::{COLUMNS, FIRST_SOURCE, JOIN_LAST_MESSAGE, ListedRow, open_listed};
use crate::{
    Arg, DataKey, Page, Paged, Result, Tx, args,
    database::{page::one_more, tx::listed},
    messages,
};
use domain::{AgentId, FolderId, Session, SessionId, SessionKind, SessionStatus, UserId};
use std::str::FromStr;

/// How many sessions a list counts at most, so that a page costs the same however many a person has.
const COUNTED: u64 = 1_000;
/// People that one statement asks about.
const MOST_PEOPLE: usize = 64;

/// Which sessions; the default is all of the user's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    pub archived: Option<bool>,
    pub agent_id: Option<AgentId>,
    pub parent_id: Option<SessionId>,
    pub kind: Option<SessionKind>,
    pub folder_id: Option<FolderId>,
    pub pinned: Option<bool>,
}

/// Where a list of sessions goes on: after this time and, at the same time, after this id.
struct ListCursor {
    updated_at: i64,
    id: SessionId,
}

impl FromStr for ListCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (time, id) = text.split_once('.').ok_or(())?;
        Ok(Self { updated_at: time.parse().map_err(|_| ())?, id: id.parse().map_err(|_| ())? })
    }
}

/// The user's sessions, the one that changed last first.
pub fn list(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    filter: SessionFilter,
    page: Page,
) -> Result<Paged<Session>> {
    let (matching, mut values) = asked(user, filter);
    let count = format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM sessions s WHERE {matching} LIMIT {}) counted",
        COUNTED + 1
    );
    let total: u64 = tx.one(&count, values.clone())?;
    let mut after = String::new();
    if let Some(ListCursor { updated_at, id }) = page.cursor_as::<ListCursor>()? {
        let (time, place) = (values.len().saturating_add(1), values.len().saturating_add(2));
        values.extend(args![updated_at, id]);
        after = format!(
            "AND s.updated_at <= ${time} AND (s.updated_at < ${time} OR (s.updated_at = ${time} AND s.id < ${place}))"
        );
    }
    values.extend(args![one_more(page.limit)]);
    let sql = format!(
        "SELECT {COLUMNS}, {FIRST_SOURCE}, {} FROM sessions s {JOIN_LAST_MESSAGE} WHERE {matching} {after} \
         ORDER BY s.updated_at DESC, s.id DESC LIMIT ${}",
        messages::COLUMNS,
        values.len()
    );
    // Each comes with the whole of its last message, for the beginning of it.
    let piece = tx.piece::<ListedRow>(&sql, values)?;
    let mut paged = Paged::from_piece(piece, page.limit, total.min(COUNTED), |(row, ..)| {
        format!("{}.{}", row.updated_at.as_millis(), row.id)
    });
    paged.total_is_more = total > COUNTED;
    paged.try_map(|row| open_listed(key, row))
}

/// What the filter asks for, as a condition. It names no more than that: an index can answer it as long as each column that
/// is named is part of it.
fn asked(user: UserId, filter: SessionFilter) -> (String, Vec<Arg>) {
    let SessionFilter { archived, agent_id, parent_id, kind, folder_id, pinned } = filter;
    let mut condition =
        "s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0".to_owned();
    let mut values = args![user];
    let asked = [
        ("archived", archived.map(Arg::from)),
        ("agent_id", agent_id.map(Arg::from)),
        ("parent_id", parent_id.map(Arg::from)),
        ("kind", kind.map(Arg::from)),
        ("folder_id", folder_id.map(Arg::from)),
        ("pinned", pinned.map(Arg::from)),
    ];
    for (column, value) in asked {
        if let Some(value) = value {
            values.push(value);
            // As a question of its own, so that a list is read in its order and not collected and sorted.
            condition.push_str(&format!(" AND (${0} IS NULL OR s.{column} = ${0})", values.len()));
        }
    }
    (condition, values)
}

/// The user's sessions that are not archived, in short: id, newest `seq`, status.
pub fn glances(tx: &mut Tx, user: UserId) -> Result<Vec<(SessionId, u64, SessionStatus)>> {
    let sql = "SELECT id, last_seq, status FROM sessions WHERE user_id = $1 AND archived = 0 AND copying IS NULL AND delete_at IS NULL \
               AND hidden = 0 \
               ORDER BY updated_at DESC, id DESC";
    tx.all(sql, args![user])
}

/// How far the logs of these sessions have come, and whose they are. One that is gone is left out.
pub fn newest_of(tx: &mut Tx, sessions: &[SessionId]) -> Result<Vec<(SessionId, UserId, u64)>> {
    listed(tx, "SELECT id, user_id, last_seq FROM sessions WHERE id IN", sessions)
}

/// How far the logs have come of those sessions of these people that changed last, so many of each. The last number is 0 for a session
/// that is in their lists: it is neither archived nor another version.
pub fn newest_of_people(
    tx: &mut Tx,
    people: &[UserId],
    each: u32,
) -> Result<Vec<(SessionId, UserId, u64, u64)>> {
    let mut newest = Vec::new();
    for chunk in people.chunks(MOST_PEOPLE) {
        let one = |place: usize| {
            format!(
                "(SELECT id, user_id, last_seq, archived + hidden AS apart FROM sessions \
                 WHERE user_id = ${} AND copying IS NULL AND delete_at IS NULL ORDER BY updated_at DESC LIMIT {each})",
                place + 1
            )
        };
        let parts: Vec<String> = (0..chunk.len()).map(one).collect();
        let sql = format!(
            "SELECT /* PostgreSQL */ id, user_id, last_seq, apart FROM ({}) AS newest",
            parts.join(" UNION ALL ")
        );
        newest.extend(
            tx.all::<(SessionId, UserId, u64, u64)>(&sql, chunk.iter().map(|user| (*user).into()).collect())?,
        );
    }
    Ok(newest)
}
