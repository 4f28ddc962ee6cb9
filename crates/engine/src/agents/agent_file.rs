//! An agent as a file, to be carried from house to house.
//!
//! THREAT[import-01]: a file comes from anywhere. It is nothing but the fields of an agent, checked as if a person had
//! typed them; taking it in starts nothing, fetches nothing and widens no rights.

use crate::{
    agents::AgentFields,
    engine::Engine,
    error::{Error, Result},
};
use capability::permits;
use domain::{Agent, AgentId, Change, UserId};
use people::Principal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

const FORMAT: &str = "majordomo-agent";
const VERSION: u32 = 1;
/// What belongs to the house and not to the agent.
const LEFT_AT_HOME: [&str; 7] =
    ["id", "status", "user_id", "has_api_key", "shared_with", "created_at", "updated_at"];

/// What `export` writes and `import` reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentFile {
    /// `majordomo-agent`.
    pub format: String,
    /// 1.
    pub version: u32,
    /// The fields that `POST /v1/agents` takes.
    pub agent: Map<String, Value>,
}

/// An agent as it was made of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedAgent {
    pub agent: Agent,
    /// What the file asked for and was not given.
    pub warnings: Vec<String>,
}

impl Engine {
    pub async fn export_agent(&self, user: UserId, id: AgentId) -> Result<AgentFile> {
        let agent = self.editable_agent(user, id).await?;
        Ok(AgentFile { format: FORMAT.to_owned(), version: VERSION, agent: fields(&agent)? })
    }

    /// Makes an agent of a file, under its own name or another. Settings by which it would permit itself something are left
    /// out, and that is told.
    pub async fn import_agent(
        &self,
        who: &Principal,
        file: AgentFile,
        name: Option<String>,
        idempotency_key: Option<String>,
    ) -> Result<ImportedAgent> {
        if file.format != FORMAT || file.version != VERSION {
            let detail = format!(
                "This is not an agent file that this version can read: format must be \"{FORMAT}\" and version {VERSION}."
            );
            return Err(Error::invalid("bad_agent_file", detail));
        }
        let mut fields: AgentFields = serde_json::from_value(Value::Object(file.agent)).map_err(|error| {
            Error::invalid("bad_agent_file", format!("The agent in the file cannot be used: {error}."))
        })?;
        fields.shared_with = Change::Keep;
        if let Some(name) = name {
            fields.name = Change::Set(name);
        }
        let warnings = without_permits(&mut fields);
        let made = self.create_agent_once(who, fields, "agent import", idempotency_key).await;
        let made = made.map_err(|error| match error {
            Error::Conflict { code: "name_taken", .. } => Error::conflict(
                "name_taken",
                "You already have an agent of that name. Rename one of the two, or import under another name (in the terminal: --as NAME).",
            ),
            other => other,
        })?;
        Ok(ImportedAgent { agent: made, warnings })
    }
}

/// Takes out of the fields what only the person who imports them may say.
fn without_permits(fields: &mut AgentFields) -> Vec<String> {
    let Change::Set(capabilities) = &mut fields.capabilities else { return Vec::new() };
    let taken = capabilities.iter_mut().filter_map(|capability| {
        let setting = permits::take_out(&mut capability.settings)?;
        let id = &capability.id;
        Some(format!(
            "{id}: {setting} of the file were left out. Add those that you want the agent to reach yourself."
        ))
    });
    taken.collect()
}

fn fields(agent: &Agent) -> Result<Map<String, Value>> {
    let Ok(Value::Object(mut fields)) = serde_json::to_value(agent) else { return Err(Error::Internal) };
    for name in LEFT_AT_HOME {
        fields.remove(name);
    }
    Ok(fields)
}
