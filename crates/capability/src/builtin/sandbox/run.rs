//! What the tools have in common: how long, with whom, and how it is told.

use crate::{Ran, Run, RunEnd, Settings, Terms, ToolContext, ToolError, arguments, hosts};
use domain::{FilePath, Permission, Sink};
use serde_json::{Value, json};
use std::time::Duration;

const USUAL_SECONDS: u32 = 30;
/// What a call may ask for where the agent says nothing.
const MOST_SECONDS: u32 = 120;
/// Where the session's files are, seen from inside.
const FOLDER: &str = "/workspace";

/// A person is asked; and what runs without a network ends in the session's own files.
pub(super) fn terms(settings: &Settings, reaches: bool) -> Terms {
    let outside = reaches || !hosts::setting(settings, "hosts").is_empty();
    Terms {
        permission: Permission::Ask,
        sink: if outside { Sink::Outside } else { Sink::Inside },
        acts_later: false,
    }
}

pub(super) fn timeout_schema() -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": 600, "description": "Seconds; 30 by default." })
}

/// A run of this command, within what the agent sets.
pub(super) fn run(context: &ToolContext, arguments: &Value, command: &[&str]) -> Result<Run, ToolError> {
    let set = context
        .settings
        .get("timeout_seconds")
        .and_then(Value::as_u64)
        .and_then(|set| u32::try_from(set).ok());
    let most = set.unwrap_or(MOST_SECONDS);
    let asked = arguments::whole_number(arguments, "timeout", set.unwrap_or(USUAL_SECONDS), 1..=600)?;
    Ok(Run {
        command: command.iter().map(|&word| word.to_owned()).collect(),
        input: Vec::new(),
        folder: String::new(),
        time: Duration::from_secs(u64::from(asked.min(most))),
        hosts: hosts::setting(&context.settings, "hosts"),
    })
}

/// A folder as agents write it, below that of the session's files.
pub(super) fn folder(written: &str) -> Result<String, ToolError> {
    let below = match written.strip_prefix(FOLDER) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest,
        _ => written,
    };
    let below = below.trim_start_matches("./").trim_matches('/');
    if below.is_empty() || below == "." {
        return Ok(String::new());
    }
    let path: FilePath = format!("/{below}")
        .parse()
        .map_err(|error| ToolError::Failed(format!("parameter `cwd`: {error}")))?;
    Ok(path.to_string().trim_start_matches('/').to_owned())
}

/// Why it ended, where it did not end by itself.
pub(super) fn cut_short(ran: &Ran, time: Duration) -> Option<String> {
    let words = match ran.end {
        RunEnd::Code(_) => return None,
        RunEnd::TimedOut => format!("Process timed out after {} seconds.", time.as_secs()),
        RunEnd::OutOfMemory => "Process ended: it used more memory than allowed.".to_owned(),
        RunEnd::TooManyFiles => "Process ended: it wrote more files than allowed.".to_owned(),
        RunEnd::Cancelled => "Process ended: the reply was stopped.".to_owned(),
    };
    Some(words)
}

/// What has become of the session's files.
pub(super) fn files(ran: &Ran, told: &mut Value) {
    if !ran.written.is_empty() {
        told["files_written"] = json!(ran.written);
    }
    if !ran.deleted.is_empty() {
        told["files_deleted"] = json!(ran.deleted);
    }
    if !ran.not_kept.is_empty() {
        told["files_not_kept"] = json!(ran.not_kept);
    }
}

/// THREAT[cage-12]: what has no room is an error that names it, never a file that is half there.
pub(super) fn check_room(ran: &Ran) -> Result<(), ToolError> {
    let Some(why) = &ran.no_room else { return Ok(()) };
    let said = arguments::shorten(ran.output.trim(), 2_000);
    Err(ToolError::Failed(format!(
        "it ran, but none of the files it changed could be saved: {why}. Its output: {said}"
    )))
}

/// As `bash` and `execute_code` tell it.
pub(super) fn told(ran: &Ran, time: Duration) -> Result<Value, ToolError> {
    check_room(ran)?;
    let code = match ran.end {
        RunEnd::Code(code) => Some(code),
        _ => None,
    };
    let mut told = json!({
        "stdout": ran.output, "stderr": ran.errors, "exit_code": code, "success": code == Some(0), "duration_ms": ran.took_ms,
    });
    if let Some(words) = cut_short(ran, time) {
        told["error"] = json!(words);
    }
    files(ran, &mut told);
    judged(ran, told)
}

/// A command that ends with another code than 0, or is ended, has failed, whatever it said.
pub(super) fn judged(ran: &Ran, told: Value) -> Result<Value, ToolError> {
    match ran.end {
        RunEnd::Code(0) => Ok(told),
        _ => Err(ToolError::Unsuccessful(told)),
    }
}
