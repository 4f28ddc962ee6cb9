//! An agent as different people see it.

use crate::{app::App, caller::Caller, problem::Problem};
use domain::{Agent, AgentId, AgentStatus, Timestamp, UserId};
use engine::Sharing;
use schemars::JsonSchema;
use serde::Serialize;

/// The feature of a capability that has tools for the files of a conversation.
const FILES: &str = "files";

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
    /// It has tools for the files of a conversation: what is attached there can lie among them.
    works_with_files: bool,
    #[serde(flatten)]
    sharing: Option<Shared>,
}

/// By whom it is shared, when it is not the caller's.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Shared {
    shared_by: UserId,
    shared_by_name: String,
    /// It is shared with the caller, who has to accept it before they can use it: `PUT /v1/agents/{id}/acceptance`.
    offered: bool,
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
    /// It has tools for the files of a conversation: what is attached there can lie among them.
    works_with_files: bool,
    #[serde(flatten)]
    sharing: Shared,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl AgentView {
    pub(crate) async fn new(agent: Agent, caller: &Caller, app: &App) -> Result<Self, Problem> {
        let views = Self::all(vec![agent], caller, app).await?;
        views.into_iter().next().ok_or_else(Problem::internal)
    }

    pub(crate) async fn all(agents: Vec<Agent>, caller: &Caller, app: &App) -> Result<Vec<Self>, Problem> {
        let mut sharing = app.engine.sharing(caller.user_id, &agents).await?;
        let view = |agent: Agent| {
            let sharing = sharing.remove(&agent.id).map(Shared::from);
            // What people write themselves has no features.
            let works_with_files = app.engine.registry().features(&agent.capabilities, FILES);
            match sharing {
                Some(sharing) if !caller.role.is_admin() => {
                    Self::shared(agent, sharing, works_with_files, app)
                }
                sharing => Self::Whole(Box::new(WholeAgent { agent, works_with_files, sharing })),
            }
        };
        Ok(agents.into_iter().map(view).collect())
    }

    fn shared(agent: Agent, sharing: Shared, works_with_files: bool, app: &App) -> Self {
        // THREAT[abilities-02]: the names of what people write are theirs.
        let capabilities = agent.capabilities.into_iter();
        let known = capabilities.filter(|capability| app.engine.registry().get(&capability.id).is_some());
        Self::Shared(SharedAgent {
            id: agent.id,
            name: agent.name,
            status: agent.status,
            model: agent.model,
            capabilities: known.map(|capability| capability.id).collect(),
            works_with_files,
            sharing,
            created_at: agent.created_at,
            updated_at: agent.updated_at,
        })
    }
}

impl From<Sharing> for Shared {
    fn from(sharing: Sharing) -> Self {
        let Sharing { by, by_name, offered } = sharing;
        Self { shared_by: by, shared_by_name: by_name, offered }
    }
}
