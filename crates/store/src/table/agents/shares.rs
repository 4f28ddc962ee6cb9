//! With whom agents are shared, and who may therefore see or use which. `$1` is always the user who asks.

use crate::{Result, Tx, args, database::tx::listed};
use domain::{Agent, AgentId, Share, Timestamp, UserId};

/// Agents that may be offered to a person and told at once; more than a house has.
const MOST_OFFERED: u32 = 1_000;

/// May the user talk to agent `a`? Their own, unless they are a guest; those that are shared with them and that they have
/// accepted; and those that an admin or the owner shares with everybody, which are the server's.
///
/// THREAT[agent-06] Another person decides what their agent is told: without being asked, nobody has it among theirs.
pub(crate) const USABLE: &str = "(a.user_id = $1 AND NOT EXISTS \
       (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) \
     OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1) AND (\
       EXISTS (SELECT 1 FROM agent_acceptances t WHERE t.agent_id = a.id AND t.user_id = $1) \
       OR (h.audience = '*' AND EXISTS \
         (SELECT 1 FROM users o WHERE o.id = a.user_id AND o.role IN ('owner', 'admin')))))";

/// May the user see agent `a`? Those that they may use, and for admins every one that is shared with anybody.
pub(super) const VISIBLE: &str = "(a.user_id = $1 AND NOT EXISTS \
       (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) \
     OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND (h.audience IN ('*', $1) \
       OR EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role IN ('owner', 'admin'))))";

pub(super) fn insert(tx: &mut Tx, agent: &Agent) -> Result<()> {
    let values = agent.shared_with.iter().flat_map(|share| args![agent.id, *share]).collect();
    tx.insert("INSERT INTO agent_shares (agent_id, audience)", 2, values)?;
    Ok(())
}

/// From now on it is shared with these and no others. A change of other fields does not come here: a person who makes one
/// has read the agent some time ago, and must not share again what its owner has taken back meanwhile.
pub fn share(tx: &mut Tx, agent: &Agent) -> Result<()> {
    tx.run("DELETE FROM agent_shares WHERE agent_id = $1", args![agent.id])?;
    insert(tx, agent)?;
    forget(tx, agent.id)
}

/// Who is offered it no longer has not accepted it either: offered again, they are asked again.
fn forget(tx: &mut Tx, agent: AgentId) -> Result<()> {
    let sql = "DELETE FROM agent_acceptances WHERE agent_id = $1 AND NOT EXISTS \
               (SELECT 1 FROM agent_shares h WHERE h.agent_id = $1 \
                AND h.audience IN ('*', agent_acceptances.user_id))";
    tx.run(sql, args![agent]).map(drop)
}

/// The user takes an agent that is shared with them. `false` when it is not.
pub fn accept(tx: &mut Tx, user: UserId, agent: AgentId, at: Timestamp) -> Result<bool> {
    let sql = "INSERT INTO agent_acceptances (agent_id, user_id, accepted_at) \
               SELECT a.id, $1, $3 FROM agents a WHERE a.id = $2 AND a.user_id <> $1 AND EXISTS \
                 (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1)) \
               ON CONFLICT (agent_id, user_id) DO UPDATE SET accepted_at = agent_acceptances.accepted_at";
    Ok(tx.run(sql, args![user, agent, at])? > 0)
}

/// The user has it no longer; it is offered to them as before. `false` when they had not accepted it.
pub fn decline(tx: &mut Tx, user: UserId, agent: AgentId) -> Result<bool> {
    let sql = "DELETE FROM agent_acceptances WHERE agent_id = $2 AND user_id = $1";
    Ok(tx.run(sql, args![user, agent])? > 0)
}

/// The agents that are shared with the user and that they may use only once they have accepted them.
pub fn offered(tx: &mut Tx, user: UserId) -> Result<Vec<AgentId>> {
    let sql = format!(
        "SELECT a.id FROM agents a WHERE a.user_id <> $1 AND EXISTS \
           (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1)) AND NOT ({USABLE}) \
         ORDER BY a.created_at, a.id LIMIT {MOST_OFFERED}"
    );
    tx.all(&sql, args![user])
}

/// Puts into each agent with whom it is shared.
pub(super) fn fill(tx: &mut Tx, mut agents: Vec<Agent>) -> Result<Vec<Agent>> {
    let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
    let head = "SELECT agent_id, audience FROM agent_shares WHERE agent_id IN";
    let mut shares: Vec<(AgentId, Share)> = listed(tx, head, &ids)?;
    shares.sort();
    for (id, share) in shares {
        if let Some(agent) = agents.iter_mut().find(|agent| agent.id == id) {
            agent.shared_with.push(share);
        }
    }
    Ok(agents)
}

/// Only the user themself uses their agents from now on.
pub fn unshare_all(tx: &mut Tx, user: UserId) -> Result<()> {
    let sql = "DELETE FROM agent_shares WHERE agent_id IN (SELECT id FROM agents WHERE user_id = $1)";
    tx.run(sql, args![user])?;
    let sql = "DELETE FROM agent_acceptances WHERE agent_id IN (SELECT id FROM agents WHERE user_id = $1)";
    tx.run(sql, args![user])?;
    Ok(())
}
