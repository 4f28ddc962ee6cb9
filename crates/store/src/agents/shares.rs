//! With whom agents are shared, and who may therefore see or use which. `$1` is always the user who asks.

use crate::{Result, Tx, args, tx::listed};
use domain::{Agent, AgentId, Share, UserId};

/// May the user talk to agent `a`? Their own, unless they are a guest, and those that are shared with them.
pub(crate) const USABLE: &str = "(a.user_id = $1 AND NOT EXISTS \
       (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) \
     OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1))";

/// May the user see agent `a`? Those that they may use, and for admins every one that is shared with anybody.
pub(super) const VISIBLE: &str = "(a.user_id = $1 AND NOT EXISTS \
       (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) \
     OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND (h.audience IN ('*', $1) \
       OR EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role IN ('owner', 'admin'))))";

pub(super) async fn insert(tx: &mut Tx, agent: &Agent) -> Result<()> {
    let values = agent.shared_with.iter().flat_map(|share| args![agent.id, *share]).collect();
    tx.insert("INSERT INTO agent_shares (agent_id, audience)", 2, values).await?;
    Ok(())
}

/// From now on it is shared with these and nobody else. A change of other fields does not come here: whoever makes one
/// has read the agent some time ago, and must not share again what its owner has taken back meanwhile.
pub async fn share(tx: &mut Tx, agent: &Agent) -> Result<()> {
    tx.run("DELETE FROM agent_shares WHERE agent_id = $1", args![agent.id]).await?;
    insert(tx, agent).await
}

/// Puts into each agent with whom it is shared.
pub(super) async fn fill(tx: &mut Tx, mut agents: Vec<Agent>) -> Result<Vec<Agent>> {
    let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
    let head = "SELECT agent_id, audience FROM agent_shares WHERE agent_id IN";
    let mut shares: Vec<(AgentId, Share)> = listed(tx, head, &ids).await?;
    shares.sort();
    for (id, share) in shares {
        if let Some(agent) = agents.iter_mut().find(|agent| agent.id == id) {
            agent.shared_with.push(share);
        }
    }
    Ok(agents)
}

/// Nobody but the user themself uses their agents any more.
pub async fn unshare_all(tx: &mut Tx, user: UserId) -> Result<()> {
    let sql = "DELETE FROM agent_shares WHERE agent_id IN (SELECT id FROM agents WHERE user_id = $1)";
    tx.run(sql, args![user]).await?;
    Ok(())
}
