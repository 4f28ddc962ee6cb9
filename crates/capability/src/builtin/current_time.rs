//! `current_time`: what time it is, in any time zone.

use super::zone;
use crate::{Capability, CapabilityInfo, Tool, ToolContext, ToolError, arguments};
use async_trait::async_trait;
use chrono::{DateTime, SecondsFormat};
use chrono_tz::Tz;
use domain::{EffectClass, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

pub struct CurrentTime;

impl Capability for CurrentTime {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "current_time",
            "Current Time",
            "Tells the current date and time, in any time zone and several formats.",
        )
        .shown_as("clock", "Utilities")
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(GetCurrentTime)]
    }
}

struct GetCurrentTime;

const FORMATS: [&str; 3] = ["iso8601", "unix", "human"];

#[async_trait]
impl Tool for GetCurrentTime {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "get_current_time".to_owned(),
            description: "Get the current date and time.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "timezone": {
                        "type": "string",
                        "description": "IANA time zone, for instance Europe/Athens. Default: the person's own."
                    },
                    "format": {
                        "type": "string",
                        "enum": FORMATS,
                        "description": "iso8601 (default), unix (seconds since 1970) or human (in words)."
                    }
                },
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let format = arguments::choice(&arguments, "format", &FORMATS)?;
        let zone = match arguments::optional_text(&arguments, "timezone")? {
            Some(name) => named_zone(name)?,
            None => zone::own(context),
        };
        let local = zone::now_in(context, zone);
        if format == "unix" {
            return Ok(json!({ "timestamp": local.timestamp(), "format": format, "timezone": zone.name() }));
        }
        let datetime = if format == "human" { in_words(&local) } else { iso8601(&local) };
        Ok(json!({ "datetime": datetime, "format": format, "timezone": zone.name() }))
    }
}

fn named_zone(name: &str) -> Result<Tz, ToolError> {
    name.trim().parse().map_err(|_| {
        ToolError::Failed(format!(
            "unknown time zone `{}`: use an IANA name such as America/New_York",
            arguments::shorten(name, 60)
        ))
    })
}

fn iso8601(local: &DateTime<Tz>) -> String {
    local.to_rfc3339_opts(SecondsFormat::Secs, false)
}

fn in_words(local: &DateTime<Tz>) -> String {
    local.format("%A, %B %-d, %Y at %H:%M:%S %Z").to_string()
}

#[cfg(test)]
#[path = "current_time_tests.rs"]
mod tests;
