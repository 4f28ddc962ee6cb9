//! `execute_code`: a program in one of a few languages.

use super::run::{run, terms, timeout_schema, told};
use crate::{Port, Programs, Settings, Terms, Tool, ToolContext, ToolError, arguments, hosts};
use async_trait::async_trait;
use domain::{ArgumentKind, Danger, Label, Permission, ToolSpec};
use serde_json::{Value, json};

pub(super) struct ExecuteCode {
    pub(super) programs: Programs,
}

impl ExecuteCode {
    fn languages(&self) -> Vec<&'static str> {
        let Programs { python, javascript, .. } = self.programs;
        let known = [("bash", true), ("python", python), ("javascript", javascript)];
        known.into_iter().filter_map(|(name, there)| there.then_some(name)).collect()
    }
}

#[async_trait]
impl Tool for ExecuteCode {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "execute_code".to_owned(),
            description: "Run a program and get what it prints.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "language": { "type": "string", "enum": self.languages(), "description": "What the program is written in." },
                    "code": { "type": "string", "description": "The whole program." },
                    "timeout": timeout_schema()
                },
                "required": ["language", "code"],
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
        &[("code", ArgumentKind::Command)]
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Processes]
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let code = arguments::any_text(&arguments, "code")?;
        let languages = self.languages();
        let command: &[&str] = match arguments::optional_text(&arguments, "language")? {
            Some("bash") => &["/bin/bash"],
            Some("python") if self.programs.python => &["/usr/bin/env", "python3", "-"],
            Some("javascript") if self.programs.javascript => &["/usr/bin/env", "node", "-"],
            _ => {
                return Err(ToolError::Failed(format!(
                    "parameter `language` must be one of: {}",
                    languages.join(", ")
                )));
            }
        };
        let mut run = run(context, &arguments, command)?;
        run.input = code.as_bytes().to_vec();
        let time = run.time;
        told(&context.ports.processes()?.run(run).await?, time)
    }
}
