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
            "Fetches a page of the web as Markdown, as text or as it is. Hosts that the agent does not list are asked about.",
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
                "hosts": hosts::schema("Hosts that are fetched from without asking: example.com, or *.example.com for all below it."),
                "denied_hosts": hosts::schema("Hosts that are never fetched from, also when they are listed above."),
                "first_byte_seconds": seconds(30, "How long a server may take to begin its answer; 1 by default."),
                "body_seconds": seconds(300, "How long a server may take for the whole; 30 by default, then what came is used.")
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
