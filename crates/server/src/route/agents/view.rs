//! An agent as different people see it.

use crate::{app::App, caller::Caller};
use domain::{Agent, AgentId, AgentStatus, Timestamp, UserId};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AgentView {
    /// For its owner, and for admins, who may change it.
    Whole(Box<WholeAgent>),
    Shared(SharedAgent),
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct WholeAgent {
    #[serde(flatten)]
    agent: Agent,
    /// Whose it is, when it is not the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_by: Option<UserId>,
}

/// For those it is shared with: whom they talk to and what it can do, but not what its owner told it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SharedAgent {
    id: AgentId,
    name: String,
    status: AgentStatus,
    model: Option<String>,
    /// Without their settings, and without what its owner wrote.
    capabilities: Vec<String>,
    shared_by: UserId,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl AgentView {
    pub(crate) fn new(agent: Agent, caller: &Caller, app: &App) -> Self {
        if agent.user_id == caller.user_id || caller.role.is_admin() {
            let shared_by = (agent.user_id != caller.user_id).then_some(agent.user_id);
            return Self::Whole(Box::new(WholeAgent { agent, shared_by }));
        }
        // THREAT[abilities-02]: the names of what people write are theirs.
        let capabilities = agent.capabilities.into_iter();
        let known = capabilities.filter(|capability| app.engine.registry().get(&capability.id).is_some());
        Self::Shared(SharedAgent {
            id: agent.id,
            name: agent.name,
            status: agent.status,
            model: agent.model,
            capabilities: known.map(|capability| capability.id).collect(),
            shared_by: agent.user_id,
            created_at: agent.created_at,
            updated_at: agent.updated_at,
        })
    }
}
