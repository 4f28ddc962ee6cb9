//! Finding one session, alone or with the agent it is with.

use super::row::{COLUMNS, FIRST_SOURCE, JOIN_LAST_MESSAGE, ListedRow, SessionRow, open_listed};
use crate::{
    DataKey, Error, Result, Tx, Vault,
    agents::{self, AgentRow, CapabilityRow},
    args, folders, messages,
};
use domain::{Agent, AgentId, Session, SessionId, UserId};

pub fn get(tx: &mut Tx, key: &DataKey, user: UserId, id: SessionId) -> Result<Option<Session>> {
    let sql = format!(
        "SELECT {COLUMNS}, {FIRST_SOURCE}, {} FROM sessions s {JOIN_LAST_MESSAGE} \
         WHERE s.id = $1 AND s.user_id = $2 AND s.delete_at IS NULL",
        messages::COLUMNS
    );
    let found: Option<ListedRow> = tx.maybe(&sql, args![id, user])?;
    found.map(|row| open_listed(key, row)).transpose()
}

/// A session with the agent it is with.
#[derive(Clone, Debug, PartialEq)]
pub struct Staffed {
    /// Without `last_message`.
    pub session: Session,
    /// Narrowed as the session has it, with the model that was chosen for the session, and without `shared_with`.
    pub agent: Agent,
    /// The session's user may (still) use the agent.
    pub usable: bool,
}

/// Whether the agent is usable and how often what is known of its user was changed, the session, the words of its folder and how many files that has, the agent and one of its
/// capabilities.
type StaffedRow =
    (((bool, u64), SessionRow, (Option<Vec<u8>>, Option<u64>)), (AgentRow, Option<CapabilityRow>));

/// The session and its agent in one statement: the session opened with its user's key, the agent with its owner's.
/// `None` when the user has no such session, and when its agent is gone.
pub fn with_agent(
    tx: &mut Tx,
    vault: &Vault,
    key: &DataKey,
    user: UserId,
    id: SessionId,
) -> Result<Option<Staffed>> {
    let sql = format!(
        "SELECT CAST(CASE WHEN {} THEN 1 ELSE 0 END AS BIGINT), \
         (SELECT k.knowledge_version FROM users k WHERE k.id = s.user_id), {COLUMNS}, f.body, f.files, {} \
         FROM sessions s JOIN agents a ON a.id = s.agent_id \
         LEFT JOIN folders f ON f.id = s.folder_id AND f.user_id = s.user_id {} \
         WHERE s.id = $2 AND s.user_id = $1 ORDER BY c.position",
        agents::USABLE,
        agents::COLUMNS,
        agents::JOINS
    );
    let rows: Vec<StaffedRow> = tx.all(&sql, args![user, id])?;
    let (mut sessions, agent_rows): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let Some(((usable, knowledge_version), session, (folder, files))) = sessions.pop() else {
        return Ok(None);
    };
    let agent = agents::fold(vault, agent_rows)?.pop().ok_or(Error::NotFound)?;
    let mut session = session.open(key, None)?;
    session.keeping.knowledge_version = knowledge_version;
    if let (Some(id), Some(body)) = (session.keeping.folder_id, folder) {
        session.keeping.folder = Some(Box::new(folders::open_text(key, &id, &body)?));
        session.keeping.folder_has_files = files.is_some_and(|files| files > 0);
    }
    let mut agent = match &session.narrowing {
        Some(narrowing) => agent.narrowed(narrowing),
        None => agent,
    };
    if session.model.is_some() {
        agent.model.clone_from(&session.model);
    }
    Ok(Some(Staffed { session, agent, usable }))
}

/// The session as far as it can be told without its words; `None` when the user has no such session.
pub fn bare(tx: &mut Tx, key: &DataKey, user: UserId, id: SessionId) -> Result<Option<Session>> {
    let sql = format!("SELECT {COLUMNS} FROM sessions s WHERE s.id = $1 AND s.user_id = $2");
    let found: Option<SessionRow> = tx.maybe(&sql, args![id, user])?;
    found.map(|row| SessionRow { name: None, narrowing: None, ..row }.open(key, None)).transpose()
}

/// How far the log of a user's session has come; `None` when the user has no such session. It is all that a reader of the log
/// has to know, so nothing of the session is opened for it.
pub fn reach(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Option<u64>> {
    tx.maybe(
        "SELECT last_seq FROM sessions WHERE id = $1 AND user_id = $2 AND delete_at IS NULL",
        args![id, user],
    )
}

/// The conversation that an agent in one session has with another agent, if it is not archived.
pub fn colleague(tx: &mut Tx, user: UserId, parent: SessionId, agent: AgentId) -> Result<Option<SessionId>> {
    let sql = "SELECT id FROM sessions WHERE user_id = $1 AND parent_id = $2 AND agent_id = $3 \
               AND kind = 'colleague' AND archived = 0 ORDER BY created_at LIMIT 1";
    tx.maybe(sql, args![user, parent, agent])
}

/// With which agent it is.
pub fn agent_of(tx: &mut Tx, id: SessionId) -> Result<Option<AgentId>> {
    tx.maybe("SELECT agent_id FROM sessions WHERE id = $1", args![id])
}
