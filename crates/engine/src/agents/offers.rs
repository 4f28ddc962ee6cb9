//! Agents that other people share: they are offered, and used by those who have accepted them.

use crate::{
    engine::Engine,
    error::{Error, Result},
    load_session::not_shared,
};
use domain::{Agent, AgentId, UserId};
use people::Principal;
use serde_json::json;
use std::collections::{HashMap, hash_map::Entry};
use store::{
    Tx, agents,
    audit::{self, Action},
    users,
};

/// By whom an agent of another person is shared, and whether it waits to be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharing {
    pub by: UserId,
    pub by_name: String,
    pub offered: bool,
}

impl Engine {
    /// Takes an agent that is shared with this person. A person who has it already keeps it.
    pub async fn accept_agent(&self, who: &Principal, id: AgentId) -> Result<Agent> {
        let (user, now, vault) = (who.user_id, self.now(), self.store().vault().clone());
        let agent = self.agent(user, id).await?;
        if agent.user_id == user {
            return Ok(agent);
        }
        let entry =
            self.entry(who.actor(), Some(user), Action::AgentAccepted, id, json!({ "by": agent.user_id }));
        let write = move |tx: &mut Tx| {
            let taken = agents::accept(tx, user, id, now)?;
            if taken {
                audit::append(tx, &vault, entry)?;
            }
            Ok(taken)
        };
        // Admins see what is shared with others, too.
        if self.store().write(write).await? { Ok(agent) } else { Err(not_shared()) }
    }

    /// Uses it no longer. As long as it is shared it stays offered; what was said with it stays readable.
    pub async fn decline_agent(&self, who: &Principal, id: AgentId) -> Result<()> {
        let (user, vault) = (who.user_id, self.store().vault().clone());
        let agent = self.agent(user, id).await?;
        let entry =
            self.entry(who.actor(), Some(user), Action::AgentDeclined, id, json!({ "by": agent.user_id }));
        let write = move |tx: &mut Tx| {
            if agents::decline(tx, user, id)? {
                audit::append(tx, &vault, entry)?;
            }
            Ok(())
        };
        Ok(self.store().write(write).await?)
    }

    /// What this person should know of those among these agents that are not theirs.
    pub async fn sharing(&self, user: UserId, agents: &[Agent]) -> Result<HashMap<AgentId, Sharing>> {
        let others: Vec<(AgentId, UserId)> = agents
            .iter()
            .filter(|agent| agent.user_id != user)
            .map(|agent| (agent.id, agent.user_id))
            .collect();
        if others.is_empty() {
            return Ok(HashMap::new());
        }
        let vault = self.store().vault().clone();
        let read = move |tx: &mut Tx| {
            let offered = agents::offered(tx, user)?;
            let mut names: HashMap<UserId, String> = HashMap::new();
            let mut known = HashMap::with_capacity(others.len());
            for (agent, by) in others {
                let by_name = match names.entry(by) {
                    Entry::Occupied(known) => known.get().clone(),
                    Entry::Vacant(unknown) => {
                        let person = users::by_id(tx, &vault, by)?;
                        unknown.insert(person.map(|person| person.name).unwrap_or_default()).clone()
                    }
                };
                known.insert(agent, Sharing { by, by_name, offered: offered.contains(&agent) });
            }
            Ok(known)
        };
        Ok(self.store().read(read).await?)
    }
}

impl Engine {
    /// Does it wait for this person to accept it?
    pub(crate) async fn is_offered(&self, user: UserId, id: AgentId) -> Result<bool> {
        Ok(self.store().read(move |tx| agents::offered(tx, user)).await?.contains(&id))
    }
}

/// For a person who wants to talk to an agent that they have not accepted.
pub(crate) fn not_accepted() -> Error {
    Error::conflict(
        "agent_not_accepted",
        "Another person shares this agent with you. Accept it before you talk to it.",
    )
}
