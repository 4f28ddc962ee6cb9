//! `bash`: a command for the shell.

use super::run::{folder, run, terms, timeout_schema, told};
use crate::{Port, Settings, Terms, Tool, ToolContext, ToolError, arguments, hosts};
use async_trait::async_trait;
use domain::{ArgumentKind, Danger, Label, Permission, ToolSpec};
use serde_json::{Value, json};

pub(super) struct Bash;

#[async_trait]
impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "bash".to_owned(),
            description: "Run a command in bash.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "description": "The whole command; it may have several lines." },
                    "cwd": { "type": "string", "description": "The folder to start in; /workspace by default." },
                    "timeout": timeout_schema()
                },
                "required": ["command"],
                "additionalProperties": false
            }),
        }
    }

    fn permission(&self) -> Permission {
        Permission::Ask
    }

    fn hosts(&self, settings: &Settings) -> Vec<String> {
        hosts::setting(settings, "hosts")
    }

    fn danger(&self) -> Danger {
        Danger::Moderate
    }

    fn terms(&self, settings: &Settings, _arguments: &Value) -> Terms {
        terms(settings, false)
    }

    /// A cage holds the session's files and what the call says; who stands behind the port knows where those are from.
    fn reads(&self) -> Label {
        Label::TRUSTED_PUBLIC
    }

    fn argument_kinds(&self) -> &'static [(&'static str, ArgumentKind)] {
        &[("command", ArgumentKind::Command)]
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Processes]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let command = arguments::any_text(&arguments, "command")?;
        let mut run = run(context, &arguments, &["/bin/bash", "-c", command])?;
        run.folder = folder(arguments::optional_text(&arguments, "cwd")?.unwrap_or_default())?;
        let time = run.time;
        told(&context.ports.processes()?.run(run).await?, time)
    }
}
