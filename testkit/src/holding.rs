//! A capability with a tool that runs until a test lets it go, without a clock.

use async_trait::async_trait;
use capability::{Capability, CapabilityInfo, Tool, ToolContext, ToolError};
use domain::{EffectClass, Label, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::{io::AsyncReadExt as _, net::TcpStream};

/// Names the address at which the test waits: a connection says that the tool runs, and its end lets the tool go.
pub const GATE: &str = "TESTKIT_GATE";

pub struct Holding;

impl Capability for Holding {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("holding", "Holding", "Runs until it is let go")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(Hold)]
    }
}

struct Hold;

#[async_trait]
impl Tool for Hold {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "hold".to_owned(),
            description: "Runs until it is let go".to_owned(),
            parameters: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn reads(&self) -> Label {
        Label::TRUSTED_PUBLIC
    }

    async fn run(&self, _: &ToolContext, _: Value) -> Result<Value, ToolError> {
        let failed = |error: std::io::Error| ToolError::Internal(error.to_string());
        let gate = std::env::var(GATE).map_err(|_| ToolError::Internal(format!("{GATE} is not set")))?;
        let mut connection = TcpStream::connect(gate).await.map_err(failed)?;
        connection.read_to_end(&mut Vec::new()).await.map_err(failed)?;
        Ok(json!("let go"))
    }
}
