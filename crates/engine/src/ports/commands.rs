//! Commands for agents: the port of their tools, and what the room of commands gives in when the engine starts.

use crate::{engine::Engine, error::Error};
use async_trait::async_trait;
use capability::{Commands, ToolError};
use domain::{SessionId, UserId};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// What the commands do for agents. Their room is a later one, so `start.rs` sets it here.
#[async_trait]
pub(crate) trait CommandPort: Send + Sync {
    /// Runs a command that a tool call names.
    async fn run(&self, call: &AgentCommands, name: &str, arguments: Value) -> Result<Value, ToolError>;

    /// What `@system(help)` tells an agent of this person.
    async fn help(&self, engine: &Engine, user: UserId, arguments: &Value) -> Result<Value, Error>;

    /// A command's own name, for any name that it answers to; every other name as it is.
    fn bare_name<'a>(&self, name: &'a str) -> &'a str;
}

#[derive(Default)]
struct CommandRoom(OnceLock<Arc<dyn CommandPort>>);

impl Engine {
    /// Once, when the engine starts.
    pub(crate) fn set_command_port(&self, port: impl CommandPort + 'static) {
        if self.state::<CommandRoom>().0.set(Arc::new(port)).is_err() {
            tracing::error!("commands have a port already; the second one is not used");
        }
    }

    pub(crate) fn command_port(&self) -> Result<Arc<dyn CommandPort>, Error> {
        self.state::<CommandRoom>().0.get().cloned().ok_or_else(|| {
            tracing::error!("commands have no port; agents cannot run them");
            Error::Internal
        })
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
        let port = self.engine.command_port().map_err(|error| ToolError::Internal(error.to_string()))?;
        port.run(self, name, arguments).await
    }
}
