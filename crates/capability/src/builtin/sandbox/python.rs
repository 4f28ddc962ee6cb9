//! `run_python`: a program in Python, with packages where `uv` is there to bring them.

use super::run::{check_room, cut_short, files, judged, run, terms, timeout_schema};
use crate::{Port, Programs, Ran, RunEnd, Settings, Terms, Tool, ToolContext, ToolError, arguments, hosts};
use async_trait::async_trait;
use domain::{ArgumentKind, Danger, Label, Permission, ToolSpec, Workplace};
use serde_json::{Value, json};
use std::time::Duration;

/// Where packages come from.
const PACKAGES: [&str; 2] = ["pypi.org", "files.pythonhosted.org"];
const MOST_PACKAGES: usize = 32;

pub(super) struct RunPython {
    pub(super) programs: Programs,
}

#[async_trait]
impl Tool for RunPython {
    fn spec(&self) -> ToolSpec {
        let packages = match self.programs.uv {
            true => {
                "Packages that it needs beside the standard library, for instance [\"requests\"]; they are fetched each time."
            }
            false => {
                "Leave it out: `uv` is not installed here, so there is the standard library and nothing else."
            }
        };
        ToolSpec {
            name: "run_python".to_owned(),
            description: "Run a program in Python 3 and get what it prints.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "code": { "type": "string", "description": "The whole program." },
                    "dependencies": {
                        "type": "array", "items": { "type": "string" }, "maxItems": MOST_PACKAGES, "description": packages
                    },
                    "timeout": timeout_schema()
                },
                "required": ["code"],
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

    /// A call that asks for packages tells the package index which.
    fn terms(&self, settings: &Settings, arguments: &Value) -> Terms {
        terms(settings, asks_for_packages(arguments))
    }

    fn workplace(&self, arguments: &Value) -> Option<Workplace> {
        Some(match asks_for_packages(arguments) {
            true => Workplace::SandboxWithPackages,
            false => Workplace::Sandbox,
        })
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
        if !self.programs.python {
            return Err(ToolError::failed(
                "Python is not installed on this machine; the owner can install `python3`",
            ));
        }
        let packages = packages(&arguments)?;
        let mut run = match (packages.is_empty(), self.programs.uv) {
            (true, _) => run(context, &arguments, &["/usr/bin/env", "python3", "-"])?,
            (false, true) => {
                let cache = ["/usr/bin/env", "UV_CACHE_DIR=/tmp/uv", "UV_PYTHON_DOWNLOADS=never"];
                let mut run =
                    run(context, &arguments, &[&cache[..], &["uv", "run", "--quiet", "-"]].concat())?;
                run.hosts.extend(PACKAGES.map(str::to_owned));
                run
            }
            (false, false) => {
                return Err(ToolError::failed(
                    "packages cannot be installed here, because `uv` is missing; write the program with Python's standard library \
                     only and leave out `dependencies`",
                ));
            }
        };
        run.input = program(code, &packages).into_bytes();
        let time = run.time;
        let ran = context.ports.processes()?.run(run).await?;
        check_room(&ran)?;
        let code = match ran.end {
            RunEnd::Code(code) => Some(code),
            _ => None,
        };
        let mut told = json!({ "output": said(&ran, time), "exit_code": code, "duration_ms": ran.took_ms });
        files(&ran, &mut told);
        judged(&ran, told)
    }
}

fn asks_for_packages(arguments: &Value) -> bool {
    arguments.get("dependencies").and_then(Value::as_array).is_some_and(|list| !list.is_empty())
}

fn packages(arguments: &Value) -> Result<Vec<&str>, ToolError> {
    let wrong = || {
        ToolError::failed("every element of `dependencies` must be a string, for instance \"requests>=2\"")
    };
    let listed = match arguments.get("dependencies") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(listed)) => listed,
        Some(_) => return Err(wrong()),
    };
    let plain = |name: &&str| {
        // THREAT[cage-13]: an address in the place of a name would be fetched from there.
        let odd = |c: char| !c.is_ascii_alphanumeric() && !"-_.[],<>=!~ ".contains(c);
        !name.is_empty()
            && name.len() <= 200
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !name.contains(odd)
    };
    let names = listed.iter().map(|name| name.as_str().filter(plain).ok_or_else(wrong));
    names.take(MOST_PACKAGES).collect()
}

/// With what it needs in the form that Python's packaging knows (PEP 723).
fn program(code: &str, packages: &[&str]) -> String {
    match packages {
        [] => code.to_owned(),
        packages => format!("# /// script\n# dependencies = {}\n# ///\n{code}", json!(packages)),
    }
}

/// What it printed, then what it complained of, then how it ended.
fn said(ran: &Ran, time: Duration) -> String {
    let mut parts = Vec::new();
    if !ran.output.is_empty() {
        parts.push(ran.output.trim_end_matches('\n').to_owned());
    }
    if !ran.errors.is_empty() {
        parts.push(format!("stderr:\n{}", ran.errors.trim_end_matches('\n')));
    }
    match ran.end {
        RunEnd::Code(0) => {}
        RunEnd::Code(code) => parts.push(format!("Exit code: {code}.")),
        _ => parts.extend(cut_short(ran, time)),
    }
    if parts.is_empty() {
        return "Script produced no output.".to_owned();
    }
    parts.join("\n")
}
