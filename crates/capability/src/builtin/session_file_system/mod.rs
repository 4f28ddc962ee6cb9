//! `session_file_system`: the files of a session.

mod tools;

use crate::{Capability, CapabilityInfo, Settings, Tool};
use serde_json::{Value, json};
use std::sync::Arc;
use tools::{DeleteFile, GrepFiles, ListDirectory, ReadFile, StatFile, WriteFile};

pub struct SessionFileSystem;

impl Capability for SessionFileSystem {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "session_file_system",
            "FileSystem",
            "Reads, writes, lists, searches and deletes the files of a conversation.",
        )
        .shown_as("folder", "File Operations")
        .featuring("files")
    }

    fn prompt(&self, settings: &Settings) -> Option<String> {
        let mut text = "This session has files of its own, which the person sees too. They stay from one message to the \
                        next, and no other session has them. Paths begin with `/`. Keep what should last in files \
                        (notes, drafts, results), look at a file before you change it, and name the paths in your answer."
            .to_owned();
        if reads_only(settings) {
            text.push_str(" You may read the files, and neither write nor delete any.");
        }
        Some(text)
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            Arc::new(ReadFile),
            Arc::new(WriteFile),
            Arc::new(ListDirectory),
            Arc::new(GrepFiles),
            Arc::new(DeleteFile),
            Arc::new(StatFile),
        ]
    }

    fn settings_schema(&self) -> Option<Value> {
        Some(json!({
            "type": "object",
            "properties": {
                "read_only": {
                    "type": "boolean",
                    "description": "The agent may only read the files; false by default."
                }
            },
            "additionalProperties": false
        }))
    }
}

fn reads_only(settings: &Settings) -> bool {
    settings.get("read_only").and_then(Value::as_bool).unwrap_or(false)
}

#[cfg(test)]
#[path = "session_file_system_tests.rs"]
mod tests;
