//! Sessions: making, finding, listing, archiving and deleting them. How their turns queue is in [`queue`].

mod copy;
mod numbers;
mod queue;

pub use copy::{begin_copy, drop_copies, finish_copy};
pub use numbers::Numbers;
pub(crate) use queue::MOST_PER_CALL;
pub use queue::{
    Active, Advance, Advanced, Steered, Taken, advance, drop_pending, hold_idle, requeue, steer, take_input,
    take_seq,
};

use crate::{
    Conflict, DataKey, Error, Page, Paged, Result, Tx, Vault,
    agents::{self, AgentRow, CapabilityRow},
    args,
    crypto::seal::Place,
    database::{page::one_more, row::row},
    messages::{self, MessageRow},
};
use domain::{
    Agent, AgentId, Confidentiality, Integrity, Label, LastMessage, Message, Session, SessionId, SessionKind,
    SessionStatus, Timestamp, Usage, UserId,
};
use std::str::FromStr;

/// How much of the newest message a list shows.
const PREVIEW_CHARACTERS: usize = 200;

row! {
    struct SessionRow {
        id: SessionId,
        user_id: UserId,
        agent_id: AgentId,
        parent_id: Option<SessionId>,
        status: SessionStatus,
        archived: bool,
        message_count: u64,
        last_seq: u64,
        read_seq: u64,
        input_tokens: u64,
        output_tokens: u64,
        cached_tokens: u64,
        cost_microusd: Option<u64>,
        label: i64,
        trusted_seq: u64,
        doubted_seq: u64,
        own_files: bool,
        created_at: Timestamp,
        updated_at: Timestamp,
        name: Option<Vec<u8>>,
        handler: Option<String>,
        kind: SessionKind,
        narrowing: Option<Vec<u8>>,
    }
}

const COLUMNS: &str = "s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, \
     s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, \
     s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.kind, s.narrowing";

/// The newest message that a person or the agent wrote.
const JOIN_LAST_MESSAGE: &str = "LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (\
     SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') \
     ORDER BY n.seq DESC LIMIT 1)";

fn place(id: &SessionId) -> Place<'_> {
    Place::new("sessions", "name", id)
}

fn narrowing_place(id: &SessionId) -> Place<'_> {
    Place::new("sessions", "narrowing", id)
}

pub(crate) fn seal_name(key: &DataKey, id: &SessionId, name: &str) -> Result<Vec<u8>> {
    key.seal(place(id), name.as_bytes())
}

pub(crate) fn open_name(key: &DataKey, id: &SessionId, sealed: &[u8]) -> Result<String> {
    key.open_text(place(id), sealed)
}

/// Bits, so that joining two labels is OR.
const UNTRUSTED: i64 = 1;
const PRIVATE: i64 = 2;
const COMMON: i64 = 4;

pub(crate) fn label_bits(label: Label) -> i64 {
    let untrusted = if label.integrity == Integrity::Untrusted { UNTRUSTED } else { 0 };
    let private = match label.confidentiality {
        Confidentiality::Public => 0,
        Confidentiality::Common => COMMON,
        Confidentiality::Private => PRIVATE,
    };
    untrusted | private
}

pub(crate) fn label_from(bits: i64) -> Label {
    Label {
        integrity: if bits & UNTRUSTED == 0 { Integrity::Trusted } else { Integrity::Untrusted },
        confidentiality: match () {
            () if bits & PRIVATE != 0 => Confidentiality::Private,
            () if bits & COMMON != 0 => Confidentiality::Common,
            () => Confidentiality::Public,
        },
    }
}

impl SessionRow {
    fn open(self, key: &DataKey, last: Option<MessageRow>) -> Result<Session> {
        let name = self.name.map(|sealed| key.open_text(place(&self.id), &sealed)).transpose()?;
        let sealed = self.narrowing.as_deref();
        let narrowing = sealed.map(|sealed| key.open_json(narrowing_place(&self.id), sealed)).transpose()?;
        Ok(Session {
            last_message: last.map(|row| preview(key, &self.id, row)).transpose()?,
            id: self.id,
            user_id: self.user_id,
            name,
            agent_id: self.agent_id,
            handler: self.handler,
            status: self.status,
            archived: self.archived,
            kind: self.kind,
            parent_id: self.parent_id,
            narrowing,
            message_count: self.message_count,
            last_seq: self.last_seq,
            read_seq: self.read_seq,
            usage: Usage {
                input_tokens: self.input_tokens,
                output_tokens: self.output_tokens,
                cached_tokens: self.cached_tokens,
                cost_microusd: self.cost_microusd,
            },
            label: label_from(self.label),
            trusted_seq: self.trusted_seq,
            doubted_seq: self.doubted_seq,
            own_files: self.own_files,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

fn preview(key: &DataKey, session: &SessionId, row: MessageRow) -> Result<LastMessage> {
    let message = row.open(key, session)?;
    let content = message.content.chars().take(PREVIEW_CHARACTERS).collect();
    let Message { seq, role, created_at, .. } = message;
    Ok(LastMessage { seq, role, content, created_at })
}

/// Stores a session as it is given; the agent must be one that its user may use ([`Error::Constraint`] otherwise).
pub async fn create(tx: &mut Tx, key: &DataKey, session: &Session) -> Result<()> {
    let name =
        session.name.as_deref().map(|name| key.seal(place(&session.id), name.as_bytes())).transpose()?;
    let narrowing = session.narrowing.as_deref();
    let narrowing =
        narrowing.map(|narrowing| key.seal_json(narrowing_place(&session.id), narrowing)).transpose()?;
    let sql = format!(
        "INSERT INTO sessions (user_id, id, agent_id, parent_id, status, archived, message_count, last_seq, \
         read_seq, pending, steering, input_tokens, output_tokens, cached_tokens, cost_microusd, label, \
         created_at, updated_at, name, handler, kind, narrowing, trusted_seq, doubted_seq, own_files) \
         SELECT $1, $2, a.id, $4, $5, $6, $7, $8, $9, 0, 0, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, \
         $22, $23 \
         FROM agents a WHERE a.id = $3 AND ({})",
        agents::USABLE
    );
    let stored = tx
        .run(
            &sql,
            args![
                session.user_id,
                session.id,
                session.agent_id,
                session.parent_id,
                session.status,
                session.archived,
                session.message_count,
                session.last_seq,
                session.read_seq,
                session.usage.input_tokens,
                session.usage.output_tokens,
                session.usage.cached_tokens,
                session.usage.cost_microusd,
                label_bits(session.label),
                session.created_at,
                session.updated_at,
                name,
                session.handler.clone(),
                session.kind,
                narrowing,
                session.trusted_seq,
                session.doubted_seq,
                session.own_files
            ],
        )
        .await?;
    if stored == 0 {
        return Err(Error::Constraint("this person may not use this agent".to_owned()));
    }
    Ok(())
}

pub async fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: SessionId) -> Result<Option<Session>> {
    let sql = format!(
        "SELECT {COLUMNS}, {} FROM sessions s {JOIN_LAST_MESSAGE} WHERE s.id = $1 AND s.user_id = $2",
        messages::COLUMNS
    );
    let found: Option<(SessionRow, Option<MessageRow>)> = tx.maybe(&sql, args![id, user]).await?;
    found.map(|(row, last)| row.open(key, last)).transpose()
}

/// A session with the agent it is with.
#[derive(Clone, Debug, PartialEq)]
pub struct Staffed {
    /// Without `last_message`.
    pub session: Session,
    /// Narrowed as the session has it, and without `shared_with`.
    pub agent: Agent,
    /// The session's user may (still) use the agent.
    pub usable: bool,
}

/// Whether the agent is usable, the session, the agent and one of its capabilities.
type StaffedRow = ((bool, SessionRow), (AgentRow, Option<CapabilityRow>));

/// The session and its agent in one statement: the session opened with its user's key, the agent with its owner's.
/// `None` when the user has no such session, and when its agent is gone.
pub async fn with_agent(
    tx: &mut Tx,
    vault: &Vault,
    key: &DataKey,
    user: UserId,
    id: SessionId,
) -> Result<Option<Staffed>> {
    let sql = format!(
        "SELECT CAST(CASE WHEN {} THEN 1 ELSE 0 END AS BIGINT), {COLUMNS}, {} \
         FROM sessions s JOIN agents a ON a.id = s.agent_id {} \
         WHERE s.id = $2 AND s.user_id = $1 ORDER BY c.position",
        agents::USABLE,
        agents::COLUMNS,
        agents::JOINS
    );
    let rows: Vec<StaffedRow> = tx.all(&sql, args![user, id]).await?;
    let (mut sessions, agent_rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let Some((usable, session)) = sessions.pop() else { return Ok(None) };
    let agent = agents::fold(vault, agent_rows)?.pop().ok_or(Error::NotFound)?;
    let session = session.open(key, None)?;
    let agent = match &session.narrowing {
        Some(narrowing) => agent.narrowed(narrowing),
        None => agent,
    };
    Ok(Some(Staffed { session, agent, usable }))
}

/// The session as far as it can be told without its words; `None` when the user has no such session.
pub async fn bare(tx: &mut Tx, key: &DataKey, user: UserId, id: SessionId) -> Result<Option<Session>> {
    let sql = format!("SELECT {COLUMNS} FROM sessions s WHERE s.id = $1 AND s.user_id = $2");
    let found: Option<SessionRow> = tx.maybe(&sql, args![id, user]).await?;
    found.map(|row| SessionRow { name: None, narrowing: None, ..row }.open(key, None)).transpose()
}

/// The conversation that an agent in one session has with another agent, if it is not archived.
pub async fn colleague(
    tx: &mut Tx,
    user: UserId,
    parent: SessionId,
    agent: AgentId,
) -> Result<Option<SessionId>> {
    let sql = "SELECT id FROM sessions WHERE user_id = $1 AND parent_id = $2 AND agent_id = $3 \
               AND kind = 'colleague' AND archived = 0 ORDER BY created_at LIMIT 1";
    tx.maybe(sql, args![user, parent, agent]).await
}

/// With which agent it is.
pub async fn agent_of(tx: &mut Tx, id: SessionId) -> Result<Option<AgentId>> {
    tx.maybe("SELECT agent_id FROM sessions WHERE id = $1", args![id]).await
}

/// Which sessions; the default is all of the user's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    pub archived: Option<bool>,
    pub agent_id: Option<AgentId>,
    pub parent_id: Option<SessionId>,
    pub kind: Option<SessionKind>,
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
pub async fn list(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    filter: SessionFilter,
    page: Page,
) -> Result<Paged<Session>> {
    let matching = "s.user_id = $1 AND s.copying IS NULL AND ($2 IS NULL OR s.archived = $2) AND ($3 IS NULL OR s.agent_id = $3) \
                    AND ($4 IS NULL OR s.parent_id = $4) AND ($5 IS NULL OR s.kind = $5)";
    let mut values = args![user, filter.archived, filter.agent_id, filter.parent_id, filter.kind];
    let count = format!("SELECT COUNT(*) FROM sessions s WHERE {matching}");
    let total = tx.one(&count, values.clone()).await?;
    let (time, id) = match page.cursor_as::<ListCursor>()? {
        Some(cursor) => (Some(cursor.updated_at), Some(cursor.id)),
        None => (None, None),
    };
    values.extend(args![time, id, one_more(page.limit)]);
    let sql = format!(
        "SELECT {COLUMNS}, {} FROM sessions s {JOIN_LAST_MESSAGE} WHERE {matching} \
         AND ($6 IS NULL OR s.updated_at < $6 OR (s.updated_at = $6 AND s.id < $7)) \
         ORDER BY s.updated_at DESC, s.id DESC LIMIT $8",
        messages::COLUMNS
    );
    // Each comes with the whole of its last message, for the beginning of it.
    let piece = tx.piece::<(SessionRow, Option<MessageRow>)>(&sql, values).await?;
    let paged = Paged::from_piece(piece, page.limit, total, |(row, _)| {
        format!("{}.{}", row.updated_at.as_millis(), row.id)
    });
    let items = paged.items.into_iter().map(|(row, last)| row.open(key, last)).collect::<Result<_>>()?;
    Ok(Paged { items, total: paged.total, next_cursor: paged.next_cursor })
}

/// The user's sessions that are not archived, in short: id, newest `seq`, status.
pub async fn glances(tx: &mut Tx, user: UserId) -> Result<Vec<(SessionId, u64, SessionStatus)>> {
    let sql = "SELECT id, last_seq, status FROM sessions WHERE user_id = $1 AND archived = 0 AND copying IS NULL \
               ORDER BY updated_at DESC, id DESC";
    tx.all(sql, args![user]).await
}

/// Whether its person says that they wrote what they add to it; none when they have no such session.
pub async fn own_files(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Option<bool>> {
    tx.maybe("SELECT own_files FROM sessions WHERE id = $1 AND user_id = $2", args![id, user]).await
}

/// Notes that its person wrote what they add to it from now on, or that they did not.
pub async fn set_own_files(tx: &mut Tx, user: UserId, id: SessionId, own: bool) -> Result<bool> {
    let sql = "UPDATE sessions SET own_files = $3 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, own]).await? > 0)
}

/// Has its turns run by another handler than its agent's, or by that again.
pub async fn set_handler(
    tx: &mut Tx,
    user: UserId,
    id: SessionId,
    handler: Option<&str>,
    now: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE sessions SET handler = $3, updated_at = $4 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, handler.map(str::to_owned), now]).await? > 0)
}

/// `false` when the user has no such session.
pub async fn rename(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    id: SessionId,
    name: Option<&str>,
    at: Timestamp,
) -> Result<bool> {
    let name = name.map(|name| key.seal(place(&id), name.as_bytes())).transpose()?;
    let sql = "UPDATE sessions SET name = $3, updated_at = $4 WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, name, at]).await? > 0)
}

/// How far its user has read; never beyond the end of the log. `false` when the user has no such session. Reading
/// changes nothing about when a session was last used.
pub async fn set_read_seq(tx: &mut Tx, user: UserId, id: SessionId, seq: u64) -> Result<bool> {
    let sql = "UPDATE sessions SET read_seq = CASE WHEN $3 > last_seq THEN last_seq ELSE $3 END \
               WHERE id = $1 AND user_id = $2";
    Ok(tx.run(sql, args![id, user, seq]).await? > 0)
}

/// [`Error::Conflict`] while a turn is active; `false` when the user has no such session.
pub async fn set_archived(
    tx: &mut Tx,
    user: UserId,
    id: SessionId,
    archived: bool,
    at: Timestamp,
) -> Result<bool> {
    let sql = "UPDATE sessions SET archived = $3, updated_at = $4 \
               WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0";
    let changed = tx.run(sql, args![id, user, archived, at]).await?;
    if changed == 0 {
        return busy_or_absent(tx, user, id).await;
    }
    for child in descendants(tx, user, id).await? {
        if tx.run(sql, args![child, user, archived, at]).await? == 0 {
            return Err(at_work());
        }
    }
    Ok(true)
}

/// The sessions in which other agents work for a session, and for those.
async fn descendants(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Vec<SessionId>> {
    let sql = "WITH RECURSIVE below (id) AS (\
                 SELECT s.id FROM sessions s WHERE s.parent_id = $1 AND s.user_id = $2 AND s.kind <> 'own' \
                 UNION SELECT s.id FROM sessions s JOIN below b ON s.parent_id = b.id \
                 WHERE s.user_id = $2 AND s.kind <> 'own') SELECT id FROM below";
    tx.all(sql, args![id, user]).await
}

fn at_work() -> Error {
    Conflict::SessionAtWork.into()
}

/// What it holds up to the event `seq` is trusted from now on. Where that is `all` there is, so are the session itself and its
/// files; otherwise they stay as they are, because what came later may be in them. [`Error::Conflict`] while a turn is active,
/// whose prompt may hold what nobody has looked at; `false` when the user has no such session.
pub async fn trust(tx: &mut Tx, user: UserId, id: SessionId, seq: u64, all: bool) -> Result<bool> {
    // What was declared once stays so, whatever an older window shows.
    let sql = "UPDATE sessions SET trusted_seq = CASE WHEN trusted_seq > $3 THEN trusted_seq ELSE $3 END, \
                 label = label & $4 \
               WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0";
    let kept = if all { !UNTRUSTED } else { !0 };
    if tx.run(sql, args![id, user, seq, kept]).await? == 0 {
        busy_or_absent(tx, user, id).await?;
        return Ok(false);
    }
    if all {
        let sql = "UPDATE session_files SET label = label & $2 WHERE session_id = $1";
        tx.run(sql, args![id, kept]).await?;
    }
    Ok(true)
}

/// The newest event of a session, and its newest message; 0 where there is none.
pub async fn newest(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Option<(u64, u64)>> {
    let sql = "SELECT s.last_seq, COALESCE((SELECT MAX(m.seq) FROM messages m WHERE m.session_id = s.id), 0) \
               FROM sessions s WHERE s.id = $1 AND s.user_id = $2";
    tx.maybe(sql, args![id, user]).await
}

/// What was declared trusted is so no longer from this event on: what it holds there has changed.
pub async fn doubt(tx: &mut Tx, id: SessionId, seq: u64) -> Result<()> {
    let sql = "UPDATE sessions SET trusted_seq = $2 WHERE id = $1 AND trusted_seq > $2";
    tx.run(sql, args![id, seq.saturating_sub(1)]).await.map(drop)
}

/// Something of this origin is part of it from now on. A session is private from the beginning.
pub async fn taint(tx: &mut Tx, id: SessionId, label: Label) -> Result<()> {
    if label.is_untrusted() {
        tx.run("UPDATE sessions SET label = label | $2 WHERE id = $1", args![id, label_bits(label)]).await?;
    }
    Ok(())
}

/// Everything of it goes; what its model calls cost stays. [`Error::Conflict`] while a turn is active;
/// `false` when the user has no such session.
pub async fn delete(tx: &mut Tx, user: UserId, id: SessionId) -> Result<bool> {
    let sql = "DELETE FROM sessions WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0";
    // Asked before the delete, which lets go of the children.
    let children = descendants(tx, user, id).await?;
    if tx.run(sql, args![id, user]).await? == 0 {
        return busy_or_absent(tx, user, id).await;
    }
    tx.run("DELETE FROM inbox WHERE session_id = $1", args![id]).await?;
    for child in children {
        if tx.run(sql, args![child, user]).await? == 0 {
            return Err(at_work());
        }
        tx.run("DELETE FROM inbox WHERE session_id = $1", args![child]).await?;
    }
    Ok(true)
}

async fn busy_or_absent(tx: &mut Tx, user: UserId, id: SessionId) -> Result<bool> {
    let found: Option<SessionId> =
        tx.maybe("SELECT id FROM sessions WHERE id = $1 AND user_id = $2", args![id, user]).await?;
    match found {
        Some(_) => Err(at_work()),
        None => Ok(false),
    }
}
