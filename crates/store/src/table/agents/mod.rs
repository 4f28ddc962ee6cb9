//! Agents and their ordered capabilities. What an agent is made of is one sealed body; its capabilities are
//! rows of their own. All of it is sealed with the key of the agent's owner, also where others use it.

mod shares;

pub(crate) use shares::USABLE;
pub use shares::{accept, decline, offered, share, unshare_all};

use crate::{
    Conflict, DataKey, Error, PIECE_BYTES, Page, Paged, Result, Tx, Vault, args, crypto::seal::CellPlace,
    database::row::row,
};
use domain::{
    Agent, AgentId, AgentStatus, Budget, CapabilityRef, Limits, MarkupSettings, Parameters, PromptTree,
    Timestamp, ToolRule, UserId,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Serialize, Deserialize)]
struct AgentBody {
    name: String,
    model: Option<String>,
    system_prompt: String,
    #[serde(default)]
    prompt_tree: Option<Box<PromptTree>>,
    allowed_tools: Vec<String>,
    #[serde(default)]
    tool_rules: Vec<ToolRule>,
    handler: String,
    #[serde(default)]
    markup: MarkupSettings,
    parameters: Parameters,
    limits: Limits,
    #[serde(default)]
    budget: Budget,
}

row! {
    pub(crate) struct AgentRow {
        id: AgentId,
        user_id: UserId,
        status: String,
        created_at: Timestamp,
        updated_at: Timestamp,
        body: Vec<u8>,
        data_key: Vec<u8>,
        abilities_version: u64,
        models_version: u64,
    }
}

row! {
    pub(crate) struct CapabilityRow {
        position: u64,
        /// Empty: the sealed value has it, too.
        id: String,
        sealed: Option<Vec<u8>>,
    }
}

/// The columns of an [`AgentRow`] and of its capability, for `agents a` with [`JOINS`].
pub(crate) const COLUMNS: &str = "a.id, a.user_id, a.status, a.created_at, a.updated_at, a.body, k.data_key, \
     k.abilities_version, COALESCE((SELECT h.updated_at FROM house h WHERE h.name = 'models'), 0), c.position, c.capability_id, c.settings";
/// The key of the agent's owner, and its capabilities.
pub(crate) const JOINS: &str =
    "JOIN users k ON k.id = a.user_id LEFT JOIN agent_capabilities c ON c.agent_id = a.id";

fn place(id: &AgentId) -> CellPlace<'_> {
    CellPlace::new("agents", "body", id)
}

const fn status_name(status: AgentStatus) -> &'static str {
    match status {
        AgentStatus::Active => "active",
        AgentStatus::Archived => "archived",
    }
}

fn parse_status(name: &str) -> Result<AgentStatus> {
    [AgentStatus::Active, AgentStatus::Archived]
        .into_iter()
        .find(|status| status_name(*status) == name)
        .ok_or_else(|| Error::Corrupt("agents.status".to_owned()))
}

fn sealed_body(key: &DataKey, agent: &Agent) -> Result<Vec<u8>> {
    let body = AgentBody {
        name: agent.name.clone(),
        model: agent.model.clone(),
        system_prompt: agent.system_prompt.clone(),
        prompt_tree: agent.prompt_tree.clone(),
        allowed_tools: agent.allowed_tools.clone(),
        tool_rules: agent.tool_rules.clone(),
        handler: agent.handler.clone(),
        markup: agent.markup,
        parameters: agent.parameters,
        limits: agent.limits,
        budget: agent.budget,
    };
    key.seal_json(place(&agent.id), &body)
}

fn name_index(key: &DataKey, agent: &Agent) -> [u8; 32] {
    key.digests().name("agents", &agent.user_id.to_string(), &agent.name)
}

/// Binds a capability to its place in the list.
struct CapabilityPlace<'a>(&'a AgentId, u64, &'a str);

impl std::fmt::Display for CapabilityPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.0, self.1, self.2)
    }
}

/// The id is sealed together with the settings: people name abilities of their own in words of theirs.
fn insert_capabilities(tx: &mut Tx, key: &DataKey, agent: &Agent) -> Result<()> {
    let mut values = Vec::with_capacity(agent.capabilities.len().saturating_mul(4));
    for (position, capability) in (0_u64..).zip(&agent.capabilities) {
        let row = CapabilityPlace(&agent.id, position, "");
        let place = CellPlace::new("agent_capabilities", "settings", &row);
        values.extend(args![agent.id, position, "", Some(key.seal_json(place, capability)?)]);
    }
    let head = "INSERT INTO agent_capabilities (agent_id, position, capability_id, settings)";
    tx.insert(head, 4, values)?;
    Ok(())
}

/// [`Error::Conflict`] when the user has an agent of that name already (in any case).
pub fn create(tx: &mut Tx, key: &DataKey, agent: &Agent) -> Result<()> {
    let inserted = tx.run(
        "INSERT INTO agents (id, user_id, name_index, status, created_at, updated_at, body) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        args![
            agent.id,
            agent.user_id,
            name_index(key, agent),
            status_name(agent.status),
            agent.created_at,
            agent.updated_at,
            sealed_body(key, agent)?
        ],
    )?;
    if inserted == 0 {
        return Err(name_taken());
    }
    insert_capabilities(tx, key, agent)?;
    shares::insert(tx, agent)
}

fn name_taken() -> Error {
    Conflict::AgentName.into()
}

/// Rows of one agent after another, each with one capability or none, become agents.
pub(crate) fn fold(vault: &Vault, rows: Vec<(AgentRow, Option<CapabilityRow>)>) -> Result<Vec<Agent>> {
    let mut agents: Vec<(Agent, DataKey)> = Vec::new();
    for (row, capability) in rows {
        if agents.last().is_none_or(|(agent, _)| agent.id != row.id) {
            let key = vault.unwrap(row.user_id, &row.data_key)?;
            agents.push((open(&key, row)?, key));
        }
        if let (Some((agent, key)), Some(capability)) = (agents.last_mut(), capability) {
            let capability = open_capability(key, &agent.id, capability)?;
            agent.capabilities.push(capability);
        }
    }
    Ok(agents.into_iter().map(|(agent, _)| agent).collect())
}

fn open(key: &DataKey, row: AgentRow) -> Result<Agent> {
    let body: AgentBody = key.open_json(place(&row.id), &row.body)?;
    Ok(Agent {
        id: row.id,
        user_id: row.user_id,
        name: body.name,
        status: parse_status(&row.status)?,
        model: body.model,
        system_prompt: body.system_prompt,
        prompt_tree: body.prompt_tree,
        capabilities: Vec::new(),
        allowed_tools: body.allowed_tools,
        tool_rules: body.tool_rules,
        handler: body.handler,
        markup: body.markup,
        parameters: body.parameters,
        limits: body.limits,
        budget: body.budget,
        shared_with: Vec::new(),
        abilities_version: row.abilities_version,
        models_version: row.models_version,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

fn open_capability(key: &DataKey, agent: &AgentId, row: CapabilityRow) -> Result<CapabilityRef> {
    let place_row = CapabilityPlace(agent, row.position, &row.id);
    let place = CellPlace::new("agent_capabilities", "settings", &place_row);
    match &row.sealed {
        Some(sealed) if row.id.is_empty() => key.open_json(place, sealed),
        // As rows were before ids were sealed.
        Some(sealed) => {
            let settings: Map<String, Value> = key.open_json(place, sealed)?;
            Ok(CapabilityRef { id: row.id, settings })
        }
        None => Ok(CapabilityRef { id: row.id, settings: Map::new() }),
    }
}

/// An agent that the user may see: their own, or one that is shared.
pub fn get(tx: &mut Tx, vault: &Vault, user: UserId, id: AgentId) -> Result<Option<Agent>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM agents a {JOINS} WHERE a.id = $2 AND ({}) ORDER BY c.position",
        shares::VISIBLE
    );
    let found = fold(vault, tx.all(&sql, args![user, id])?)?;
    Ok(shares::fill(tx, found)?.pop())
}

/// The agents that the user may talk to, oldest first; no more than so many.
pub fn usable(tx: &mut Tx, vault: &Vault, user: UserId, most: u32) -> Result<Vec<Agent>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT * FROM agents a WHERE ({USABLE}) AND a.status = 'active' \
         ORDER BY a.id LIMIT $2) a {JOINS} ORDER BY a.id, c.position"
    );
    fold(vault, tx.all(&sql, args![user, most])?)
}

/// An agent of the user's own.
pub fn by_name(tx: &mut Tx, vault: &Vault, user: UserId, name: &str) -> Result<Option<Agent>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM agents a {JOINS} WHERE a.name_index = $1 AND a.user_id = $2 ORDER BY c.position"
    );
    let index = vault.name_index("agents", &user.to_string(), name);
    let found = fold(vault, tx.all(&sql, args![index, user])?)?;
    Ok(shares::fill(tx, found)?.pop())
}

/// The agents that the user may see, oldest first.
pub fn list(tx: &mut Tx, vault: &Vault, user: UserId, page: Page) -> Result<Paged<Agent>> {
    let after: Option<AgentId> = page.cursor_as()?;
    let after = after.map_or_else(String::new, |id| id.to_string());
    let visible = shares::VISIBLE;
    let count =
        format!("SELECT COUNT(*), COUNT(CASE WHEN a.id > $2 THEN 1 END) FROM agents a WHERE {visible}");
    let (total, left): (u64, u64) = tx.one(&count, args![user, after.clone()])?;
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT * FROM (\
           SELECT b.*, SUM(LENGTH(b.body)) OVER (ORDER BY b.id) - LENGTH(b.body) AS bytes_before \
           FROM (SELECT * FROM agents a WHERE ({visible}) AND a.id > $2 ORDER BY a.id LIMIT $3) b\
         ) s WHERE s.bytes_before < $4) a {JOINS} ORDER BY a.id, c.position"
    );
    let rows = tx.all(&sql, args![user, after, page.limit, PIECE_BYTES])?;
    let agents = shares::fill(tx, fold(vault, rows)?)?;
    let more = left > agents.len() as u64;
    let next_cursor = agents.last().filter(|_| more).map(|agent| agent.id.to_string());
    Ok(Paged { items: agents, total, total_is_more: false, next_cursor })
}

/// Stores every field but with whom it is shared; `false` when the user has no such agent, [`Error::Conflict`] when the name is another's.
pub fn update(tx: &mut Tx, key: &DataKey, agent: &Agent) -> Result<bool> {
    let index = name_index(key, agent);
    let taken: Option<AgentId> = tx.maybe(
        "SELECT id FROM agents WHERE user_id = $1 AND name_index = $2 AND id <> $3",
        args![agent.user_id, index, agent.id],
    )?;
    if taken.is_some() {
        return Err(name_taken());
    }
    let changed = tx
        .run(
            "UPDATE agents SET name_index = $3, status = $4, updated_at = $5, body = $6 \
             WHERE id = $1 AND user_id = $2",
            args![
                agent.id,
                agent.user_id,
                index,
                status_name(agent.status),
                agent.updated_at,
                sealed_body(key, agent)?
            ],
        )
        .map_err(|error| if error.is_same_key() { name_taken() } else { error })?;
    if changed == 0 {
        return Ok(false);
    }
    tx.run("DELETE FROM agent_capabilities WHERE agent_id = $1", args![agent.id])?;
    insert_capabilities(tx, key, agent)?;
    Ok(true)
}

/// The user's archived sessions with it go too; [`Error::Conflict`] while they have others, or it is at work for
/// anybody. Those of others stay, without an agent. `false` when there is none.
pub fn delete(tx: &mut Tx, user: UserId, id: AgentId) -> Result<bool> {
    let mine: Option<AgentId> =
        tx.maybe("SELECT id FROM agents WHERE id = $1 AND user_id = $2", args![id, user])?;
    if mine.is_none() {
        return Ok(false);
    }
    let busy = "SELECT COUNT(*) FROM sessions WHERE agent_id = $1 AND \
                ((user_id = $2 AND archived = 0 AND delete_at IS NULL AND kind = 'own') OR active_turn IS NOT NULL OR pending > 0)";
    let busy: u64 = tx.one(busy, args![id, user])?;
    if busy > 0 {
        return Err(Conflict::AgentInUse.into());
    }
    let inbox = "DELETE FROM inbox WHERE session_id IN (SELECT id FROM sessions WHERE agent_id = $1 AND user_id = $2)";
    tx.run(inbox, args![id, user])?;
    tx.run("DELETE FROM sessions WHERE agent_id = $1 AND user_id = $2", args![id, user])?;
    Ok(tx.run("DELETE FROM agents WHERE id = $1 AND user_id = $2", args![id, user])? > 0)
}
