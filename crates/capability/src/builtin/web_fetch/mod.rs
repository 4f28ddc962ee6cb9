//! `web_fetch`: pages of the web as Markdown, as text or as they are.

mod content;
mod tool;

use crate::{Capability, CapabilityInfo, Risk, Settings, Tool, hosts};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

pub struct WebFetch;

impl Capability for WebFetch {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "web_fetch",
            "Web Fetch",
            "Reads a web page as Markdown, as text or unchanged. Hosts that are not listed need your approval.",
        )
        .shown_as("globe", "Network")
        .risking(Risk::Medium)
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(tool::Fetch)]
    }

    fn settings_schema(&self) -> Option<Value> {
        let seconds = |most: u32, words: &str| json!({ "type": "integer", "minimum": 1, "maximum": most, "description": words });
        Some(json!({
            "type": "object",
            "properties": {
                "hosts": hosts::schema("Hosts that need no approval: example.com, or *.example.com for all below it."),
                "denied_hosts": hosts::schema("Hosts that are never used, even if they are listed above."),
                "first_byte_seconds": seconds(30, "Seconds until a web server must begin its answer; 1 by default."),
                "body_seconds": seconds(300, "Seconds for the whole page; 30 by default. After that, what has arrived is used.")
            },
            "additionalProperties": false
        }))
    }
}

/// What the agent sets about it.
struct Terms {
    hosts: Vec<String>,
    denied_hosts: Vec<String>,
    first_byte: Duration,
    body: Duration,
}

impl From<&Settings> for Terms {
    fn from(settings: &Settings) -> Self {
        let seconds = |name: &str, usual: u64| {
            Duration::from_secs(settings.get(name).and_then(Value::as_u64).unwrap_or(usual))
        };
        Self {
            hosts: hosts::setting(settings, "hosts"),
            denied_hosts: hosts::setting(settings, "denied_hosts"),
            first_byte: seconds("first_byte_seconds", 1),
            body: seconds("body_seconds", 30),
        }
    }
}

#[cfg(test)]
#[path = "web_fetch_tests.rs"]
mod tests;
