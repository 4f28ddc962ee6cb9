//! Commands as tools: the capability `commands`, and what the port of its tools does.

use crate::commands::{Actor, Command, all, bare_name, help_lists::HelpQuery, named};
use crate::{
    engine::Engine,
    error::Error,
    ports::commands::{AgentCommands, CommandPort},
};
use async_trait::async_trait;
use capability::{Capability, CapabilityInfo, Port, Risk, Tool, ToolContext, ToolError};
use domain::{EffectClass, Label, Permission, ToolSpec, UserId};
use serde_json::{Value, json};
use std::sync::Arc;

/// Gives an agent the commands. What changes something beyond its session needs a person's approval every time.
pub(crate) struct CommandTools;

impl Capability for CommandTools {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "commands",
            "Commands",
            "The slash commands as tools: help, conversations, agents. Commands that change something need your approval every time.",
        )
        .shown_as("terminal", "Server")
        .risking(Risk::Medium)
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tools = all().iter().filter(|command| command.is_tool());
        tools.map(|command| Arc::new(CommandTool(*command)) as Arc<dyn Tool>).collect()
    }
}

struct CommandTool(&'static dyn Command);

#[async_trait]
impl Tool for CommandTool {
    fn spec(&self) -> ToolSpec {
        let about = self.0.about();
        let description = format!(
            "{}{}. {}",
            about.summary.get(..1).unwrap_or_default().to_uppercase(),
            about.summary.get(1..).unwrap_or_default(),
            about.details
        );
        let parameters = self.0.parameters();
        ToolSpec { name: about.name.to_owned(), description: description.trim().to_owned(), parameters }
    }

    fn class(&self) -> EffectClass {
        self.0.class()
    }

    fn permission(&self) -> Permission {
        self.0.permission()
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Commands]
    }

    /// Names and words of other sessions are private, and may be anybody's. What there is, its person has partly written.
    fn reads(&self) -> Label {
        if self.0.about().name == "help" { Label::TRUSTED_PRIVATE } else { Label::WORST }
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        context.ports.commands()?.run(self.0.about().name, arguments).await
    }
}

/// Gives the commands to the rooms before this one.
pub(crate) struct AgentCommandPort;

#[async_trait]
impl CommandPort for AgentCommandPort {
    async fn run(&self, call: &AgentCommands, name: &str, arguments: Value) -> Result<Value, ToolError> {
        let Some(command) = named(name) else {
            return Err(ToolError::Failed(format!("there is no command {name:?}")));
        };
        let AgentCommands { engine, user, session, idempotency_key } = call;
        let role = engine.people().user(*user).await.map_err(|error| told(error.into()))?.role;
        let actor = Actor::agent(*user, role, *session);
        let key = Some(idempotency_key.clone());
        let answer =
            engine.run_command(command, actor, Some(*session), arguments, key).await.map_err(told)?;
        Ok(json!({ "success": true, "text": answer.text, "data": answer.data }))
    }

    async fn help(&self, engine: &Engine, user: UserId, arguments: &Value) -> Result<Value, Error> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let detailed = arguments.get("detailed").and_then(Value::as_bool).unwrap_or(false);
        let query = HelpQuery { filter: text("filter"), category: text("category"), detailed };
        let help = engine.help(user, &query).await?.for_agent();
        serde_json::to_value(help).map_err(|_| Error::Internal)
    }

    fn bare_name<'a>(&self, name: &'a str) -> &'a str {
        bare_name(name)
    }
}

fn told(error: Error) -> ToolError {
    match error {
        Error::Store(_) | Error::Internal => ToolError::Internal(error.to_string()),
        other => ToolError::Failed(other.to_string()),
    }
}
