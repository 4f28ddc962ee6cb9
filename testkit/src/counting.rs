//! A capability whose tools count their runs in a file outside the program, so that a test can tell how often something
//! with an effect happened, whichever process was killed in between.

use async_trait::async_trait;
use capability::{Capability, CapabilityInfo, Tool, ToolContext, ToolError};
use domain::{EffectClass, Label, ToolSpec};
use serde_json::{Value, json};
use std::{collections::HashMap, fs::OpenOptions, io::Write, path::Path, sync::Arc};

/// Names the file to count in.
pub const COUNTER: &str = "TESTKIT_COUNTER";

pub struct Counting;

impl Capability for Counting {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin("counting", "Counting", "Counts how often it was run")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let tool = |name, class| Arc::new(Count { name, class }) as Arc<dyn Tool>;
        vec![
            tool("count_effect", EffectClass::Effect),
            tool("count_idem", EffectClass::Idem),
            tool("count_read", EffectClass::Read),
        ]
    }
}

struct Count {
    name: &'static str,
    class: EffectClass,
}

#[async_trait]
impl Tool for Count {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_owned(),
            description: "Counts one run under a tag".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "tag": { "type": "string" } },
                "required": ["tag"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> EffectClass {
        self.class
    }

    /// It gives back what it was given, and no more.
    fn reads(&self) -> Label {
        Label::TRUSTED_PUBLIC
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let tag = arguments.get("tag").and_then(Value::as_str).unwrap_or_default();
        let path =
            std::env::var(COUNTER).map_err(|_| ToolError::Internal(format!("{COUNTER} is not set")))?;
        let line = format!("{} {tag} {}\n", self.name, context.idempotency_key);
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| ToolError::Internal(error.to_string()))?;
        // One write of one line: whole, or not there.
        file.write_all(line.as_bytes()).map_err(|error| ToolError::Internal(error.to_string()))?;
        Ok(json!({ "counted": tag }))
    }
}

/// How often each tool was run under each tag: `("count_effect", "tag") -> runs`.
pub fn counts(path: &Path) -> HashMap<(String, String), usize> {
    let mut counts = HashMap::new();
    for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
        let mut words = line.split(' ').map(str::to_owned);
        if let (Some(tool), Some(tag)) = (words.next(), words.next()) {
            *counts.entry((tool, tag)).or_insert(0) += 1;
        }
    }
    counts
}
