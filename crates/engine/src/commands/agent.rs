//! `/agent`: the minds one talks to.

use crate::commands::{
    About, Command, CommandAnswer, Form, Invocation, Need, answer::code_span, line::Words,
};
use crate::{
    agents::{AgentFields, offers::Sharing},
    error::{Error, Result},
};
use async_trait::async_trait;
use domain::{Agent, AgentId, AgentStatus};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::Page;

/// What a list shows.
const LISTED: u32 = 100;
/// What has parts: naming one leaves the others.
const MERGED: [&str; 3] = ["limits", "markup", "parameters"];

pub(super) struct SlashAgent;

const ABOUT: About = About {
    name: "agent",
    summary: "list, show, change, create and delete agents",
    details: "SETTINGS are `name=value` words or a JSON object, with the fields of an agent: model, \
              system_prompt, capabilities, limits and so on. Other fields stay as they are; null sets a field back \
              to its default; of limits, markup and parameters only the named parts change. The agent main \
              cannot be deleted, and another agent only when its conversations are archived or deleted.",
    category: "agents",
    forms: FORMS,
};

#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
enum AgentAction {
    List {},
    Show { agent: Option<String> },
    Configure { agent: Option<String>, settings: Option<Value> },
    Create { name: Option<String>, settings: Option<Value> },
    Delete { agent: Option<String> },
}

#[async_trait]
impl Command for SlashAgent {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["list", "show", "configure", "create", "delete"] },
                "agent": { "type": "string", "description": "Name or id of the agent." },
                "name": { "type": "string", "description": "For create." },
                "settings": { "type": "object", "description": "For configure and create: the fields to set; null means the default." }
            },
            "required": ["action"],
            "additionalProperties": false
        })
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        let deed: AgentAction = invocation.read(arguments)?;
        let need = match &deed {
            AgentAction::List {} | AgentAction::Show { .. } => Need::Manage,
            AgentAction::Configure { .. } | AgentAction::Create { .. } | AgentAction::Delete { .. } => {
                Need::OwnAgents
            }
        };
        invocation.actor.check(need)?;
        match deed {
            AgentAction::List {} => invocation.list_agents().await,
            AgentAction::Show { agent } => invocation.show_agent(agent).await,
            AgentAction::Configure { agent, settings } => invocation.configure_agent(agent, settings).await,
            AgentAction::Create { name, settings } => invocation.make_agent(name, settings).await,
            AgentAction::Delete { agent } => invocation.remove_agent(agent).await,
        }
    }
}

const FORMS: &[Form] = &[
    Form::new("/agent list", "list", "your agents and those that are shared with you"),
    Form::new("/agent show [AGENT]", "show", "one agent; without a name, the agent of this conversation")
        .words(&["agent"]),
    Form::new(
        "/agent configure AGENT SETTINGS",
        "configure",
        "change the named fields, for instance `model=demo/demo`",
    )
    .words(&["agent"])
    .rest("settings"),
    Form::new("/agent create NAME [SETTINGS]", "create", "create an agent").words(&["name"]).rest("settings"),
    Form::new("/agent delete AGENT", "delete", "delete one of your agents").words(&["agent"]),
];

impl Invocation {
    /// By its name or id: one's own before one that another person shares.
    pub(super) async fn agent_named(&self, wanted: &str) -> Result<Agent> {
        if let Ok(id) = wanted.parse::<AgentId>() {
            return self.engine.agent(self.user(), id).await;
        }
        match self.engine.agent_by_name(self.user(), wanted.to_owned()).await {
            Err(Error::NotFound(_)) => {}
            other => return other,
        }
        let shared = self.engine.agents(self.user(), Page::first(LISTED)).await?;
        let found = shared.items.into_iter().find(|agent| agent.name == wanted);
        found.ok_or(Error::NotFound("agent"))
    }

    async fn agent_or_here(&self, wanted: Option<String>) -> Result<Agent> {
        match (wanted, self.session) {
            (Some(wanted), _) => self.agent_named(&wanted).await,
            (None, Some(here)) => {
                let session = self.engine.session(self.user(), here).await?;
                self.engine.agent(self.user(), session.agent_id).await
            }
            (None, None) => Err(self.misuse("name the agent")),
        }
    }

    async fn list_agents(&self) -> Result<CommandAnswer> {
        let found = self.engine.agents(self.user(), Page::first(LISTED)).await?;
        let sharing = self.engine.sharing(self.user(), &found.items).await?;
        let line = |agent: &Agent| self.agent_line(agent, sharing.get(&agent.id));
        let text: Vec<String> = found.items.iter().map(line).collect();
        let items: Vec<Value> = found.items.iter().map(|agent| self.view(agent)).collect();
        Ok(CommandAnswer::new(text.join("\n"), json!({ "items": items, "total": found.total })))
    }

    async fn show_agent(&self, wanted: Option<String>) -> Result<CommandAnswer> {
        let agent = self.agent_or_here(wanted).await?;
        let view = self.view(&agent);
        let shown = serde_json::to_string_pretty(&view).map_err(|_| Error::Internal)?;
        let sharing = self.engine.sharing(self.user(), std::slice::from_ref(&agent)).await?;
        let line = self.agent_line(&agent, sharing.get(&agent.id));
        let text = format!("{line}\n\n```json\n{}\n```", shown.replace("```", "'''"));
        Ok(CommandAnswer::new(text, json!({ "agent": view })))
    }

    async fn configure_agent(
        &self,
        wanted: Option<String>,
        settings: Option<Value>,
    ) -> Result<CommandAnswer> {
        let Some(wanted) = wanted else { return Err(self.misuse("name the agent")) };
        let mut settings = self.settings(settings)?;
        if settings.is_empty() {
            return Err(self.misuse("name what to change, for instance model=demo/demo"));
        }
        let agent = self.agent_named(&wanted).await?;
        // Whose settings they may not see they cannot merge into, either.
        let agent = self.engine.editable_agent(self.user(), agent.id).await?;
        merge(&mut settings, &agent)?;
        let changed = self.engine.change_agent(self.principal(), agent.id, self.fields(settings)?).await?;
        let text =
            format!("{} was changed. The change applies from the next reply on.", code_span(&changed.name));
        Ok(CommandAnswer::new(text, json!({ "agent": self.view(&changed) })))
    }

    async fn make_agent(&self, name: Option<String>, settings: Option<Value>) -> Result<CommandAnswer> {
        let mut settings = self.settings(settings)?;
        if let Some(name) = name {
            settings.insert("name".to_owned(), name.into());
        }
        let agent = self.engine.create_agent(self.principal(), self.fields(settings)?).await?;
        let text = format!(
            "{} was created. `/session create agent={}` starts a conversation with it.",
            code_span(&agent.name),
            agent.id
        );
        Ok(CommandAnswer::new(text, json!({ "agent": self.view(&agent) })))
    }

    async fn remove_agent(&self, wanted: Option<String>) -> Result<CommandAnswer> {
        let Some(wanted) = wanted else { return Err(self.misuse("name the agent")) };
        let agent = self.agent_named(&wanted).await?;
        self.engine.delete_agent(self.principal(), agent.id).await?;
        Ok(CommandAnswer::new(
            format!("{} was deleted.", code_span(&agent.name)),
            json!({ "deleted": agent.id }),
        ))
    }

    /// What was set, from a call or from a line.
    fn settings(&self, given: Option<Value>) -> Result<Map<String, Value>> {
        let text = match given {
            None => return Ok(Map::new()),
            Some(Value::Object(fields)) => return Ok(fields),
            Some(Value::String(text)) => text,
            Some(_) => return Err(self.misuse("settings must be an object")),
        };
        if text.trim_start().starts_with('{') {
            return serde_json::from_str(&text)
                .map_err(|error: serde_json::Error| self.misuse(&not_json(&error)));
        }
        let mut fields = Map::new();
        let mut words = Words::new(&text);
        while let Some(word) = words.next().map_err(|problem| self.misuse(&problem))? {
            let Some((name, value)) = word.split_once('=').filter(|(name, _)| !name.is_empty()) else {
                return Err(self.misuse("write settings as name=value, or as one JSON object"));
            };
            let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            if fields.insert(name.to_owned(), value).is_some() {
                return Err(self.misuse(&format!("{name} is given twice")));
            }
        }
        Ok(fields)
    }

    fn fields(&self, settings: Map<String, Value>) -> Result<AgentFields> {
        serde_json::from_value(Value::Object(settings)).map_err(|error| self.misuse(&error.to_string()))
    }

    /// One of another person is named with them: many have an agent of the same name.
    fn agent_line(&self, agent: &Agent, sharing: Option<&Sharing>) -> String {
        let mut about = vec![agent.model.as_deref().map_or_else(|| "default model".to_owned(), code_span)];
        about.extend((agent.status == AgentStatus::Archived).then(|| "archived".to_owned()));
        about.extend(sharing.map(|Sharing { by_name, offered, .. }| match offered {
            true => format!("offered to you by {} and not accepted yet", code_span(by_name)),
            false => format!("shared with you by {}", code_span(by_name)),
        }));
        format!("- {} · {} · `{}`", code_span(&agent.name), about.join(", "), agent.id)
    }

    /// Whole for its owner and for admins; for those it is shared with, not what its owner told it.
    fn view(&self, agent: &Agent) -> Value {
        if agent.user_id == self.user() || self.actor.role.is_admin() {
            return json!(agent);
        }
        let capabilities: Vec<&str> = agent.capabilities.iter().map(|one| one.id.as_str()).collect();
        json!({
            "id": agent.id, "name": agent.name, "status": agent.status, "model": agent.model,
            "capabilities": capabilities, "shared_by": agent.user_id,
        })
    }
}

fn not_json(error: &serde_json::Error) -> String {
    format!(
        "the settings are not JSON: there is a mistake in line {}, column {}",
        error.line(),
        error.column()
    )
}

/// Puts what the agent has into the parts that were not named.
fn merge(settings: &mut Map<String, Value>, agent: &Agent) -> Result<()> {
    let now = serde_json::to_value(agent).map_err(|_| Error::Internal)?;
    for name in MERGED {
        let Some(Value::Object(named)) = settings.get_mut(name) else { continue };
        let Some(Value::Object(had)) = now.get(name) else { continue };
        for (part, value) in had {
            named.entry(part.clone()).or_insert_with(|| value.clone());
        }
    }
    Ok(())
}
