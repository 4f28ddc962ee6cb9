//! `sandbox`: a shell, Python and other programs, in a cage with the session's files.

mod bash;
mod execute_code;
mod python;
mod run;

use crate::{Capability, CapabilityInfo, Programs, Risk, Settings, Tool, hosts};
use serde_json::{Value, json};
use std::sync::Arc;

/// Or why nothing runs here.
pub struct Sandbox {
    programs: Result<Programs, String>,
}

impl Sandbox {
    pub fn new(programs: &Result<Programs, String>) -> Self {
        Self { programs: programs.clone() }
    }
}

impl Capability for Sandbox {
    fn info(&self) -> CapabilityInfo {
        let info = CapabilityInfo::builtin(
            "sandbox",
            "Sandbox",
            "Runs commands, Python and other programs in a sandbox: with the files of the conversation, without the rest of the \
             machine, and without a network unless hosts are listed. Each run needs your approval.",
        )
        .shown_as("box", "Execution")
        .risking(Risk::High)
        .needing("session_file_system");
        match &self.programs {
            Ok(_) => info,
            Err(remedy) => info.unavailable(remedy),
        }
    }

    fn prompt(&self, settings: &Settings) -> Option<String> {
        let reached = hosts::setting(settings, "hosts");
        let network = match reached.is_empty() {
            true => "There is no network.".to_owned(),
            false => format!(
                "Only these hosts can be reached, through a proxy that is already set: {}.",
                reached.join(", ")
            ),
        };
        Some(format!(
            "Programs run in a sandbox that is new for each call: the session's files are in `/workspace`, where programs start, and \
             what they change there is kept as the session's files; everything else is gone afterwards. {network}"
        ))
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let Ok(programs) = self.programs else { return Vec::new() };
        vec![
            Arc::new(bash::Bash),
            Arc::new(python::RunPython { programs }),
            Arc::new(execute_code::ExecuteCode { programs }),
        ]
    }

    fn settings_schema(&self) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": {
                "hosts": hosts::schema("Hosts that programs may reach; none by default."),
                "timeout_seconds": {
                    "type": "integer", "minimum": 1, "maximum": 600,
                    "description": "Seconds that a run may take if the call does not say; 30 by default. A call may ask for at most this, or 120."
                }
            },
            "additionalProperties": false
        }))
    }
}

#[cfg(test)]
#[path = "sandbox_tests.rs"]
mod tests;
