//! Commands as tools: the capability `commands`, and the port by which its tools reach the engine.

use crate::commands::{Actor, Command, all, named};
use crate::{engine::Engine, error::Error};
use async_trait::async_trait;
use capability::{Capability, CapabilityInfo, Commands, Port, Risk, Tool, ToolContext, ToolError};
use domain::{EffectClass, Label, Permission, SessionId, ToolSpec, UserId};
use serde_json::{Value, json};
use std::sync::Arc;

/// Gives an agent the commands. What changes something beyond its session needs a person's approval every time.
pub(crate) struct CommandTools;

impl Capability for CommandTools {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "commands",
            "Commands",
            "The slash commands, as tools: help, sessions, agents. Those that change something ask you every time.",
        )
        .shown_as("terminal", "House")
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

    /// Names and words of other sessions are private, and may be anybody's.
    fn reads(&self) -> Label {
        if self.0.about().name == "help" { Label::TRUSTED_PUBLIC } else { Label::WORST }
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        context.ports.commands()?.run(self.0.about().name, arguments).await
    }
}

/// For whom, and in which conversation: none of it comes from what a model wrote.
pub(crate) struct AgentCommands {
    pub(crate) engine: Engine,
    pub(crate) user: UserId,
    pub(crate) session: SessionId,
    pub(crate) idempotency_key: String,
}

#[async_trait]
impl Commands for AgentCommands {
    async fn run(&self, name: &str, arguments: Value) -> Result<Value, ToolError> {
        let Some(command) = named(name) else {
            return Err(ToolError::Failed(format!("there is no command {name:?}")));
        };
        let role = self.engine.user(self.user).await.map_err(told)?.role;
        let (actor, session) = (Actor::agent(self.user, role, self.session), Some(self.session));
        let key = Some(self.idempotency_key.clone());
        let answer = self.engine.run_command(command, actor, session, arguments, key).await.map_err(told)?;
        Ok(json!({ "success": true, "text": answer.text, "data": answer.data }))
    }
}

fn told(error: Error) -> ToolError {
    match error {
        Error::Store(_) | Error::Internal => ToolError::Internal(error.to_string()),
        other => ToolError::Failed(other.to_string()),
    }
}
