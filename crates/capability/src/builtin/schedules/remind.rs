//! `remind`: words that the person is shown at their time, without a model.

use super::{moment, problem, text, whole, written, wrong};
use crate::{Port, Settings, Terms, Tool, ToolContext, ToolError, ports::schedules::ScheduleDraft};
use async_trait::async_trait;
use domain::{
    EffectClass, MissedRuns, Permission, RunPlace, ScheduleKind, ToolSpec, When,
    schedule::when::PATTERN_CHARS,
};
use serde_json::{Value, json};

const TEXT_CHARS: usize = 1_000;
/// A year.
const MOST_SECONDS: u64 = 31_536_000;

pub(super) struct Remind;

#[async_trait]
impl Tool for Remind {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "remind".to_owned(),
            description: "Show your person words in this conversation at their time. Give exactly one of at, in_seconds and schedule."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "text": { "type": "string", "maxLength": TEXT_CHARS, "description": "What they are shown." },
                    "at": { "type": "string", "description": "One date and time, such as 2026-12-24T18:00:00Z." },
                    "in_seconds": { "type": "integer", "minimum": 1, "maximum": MOST_SECONDS },
                    "schedule": { "type": "string", "maxLength": PATTERN_CHARS, "description": "A cron pattern, to remind them again and again." }
                },
                "required": ["text"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Txn
    }

    /// Nothing is asked for words of the person. THREAT[time-01] Words that others had a say in would be shown later as if the program said
    /// them, so the person looks at them first.
    fn terms(&self, _settings: &Settings, _arguments: &Value) -> Terms {
        Terms { permission: Permission::Allow, sink: self.sink(), acts_later: true }
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::Schedules]
    }

    fn is_plain(&self) -> bool {
        true
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let note = text(&arguments, "text", TEXT_CHARS)?.ok_or_else(|| wrong("text must not be empty."))?;
        let draft = ScheduleDraft {
            when: when(context, &arguments)?,
            kind: ScheduleKind::Reminder,
            note: note.to_owned(),
            place: RunPlace::Here,
            missed: MissedRuns::One,
            max_runs: None,
        };
        let done = context.ports.schedules()?.create(draft).await.map_err(|error| problem(error, None))?;
        Ok(Value::String(written("Reminder", &done, "created")))
    }
}

fn when(context: &ToolContext, arguments: &Value) -> Result<When, ToolError> {
    let at = text(arguments, "at", 40)?;
    let (seconds, pattern) =
        (whole(arguments, "in_seconds", 1)?, text(arguments, "schedule", PATTERN_CHARS)?);
    match (at, seconds, pattern) {
        (Some(at), None, None) => Ok(When::Once { at: moment("at", at)? }),
        (None, Some(seconds), None) if seconds <= MOST_SECONDS => {
            let millis = i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
            Ok(When::Once { at: context.clock.now().plus_millis(millis) })
        }
        (None, Some(_), None) => Err(wrong(format!("in_seconds must be at most {MOST_SECONDS}."))),
        (None, None, Some(pattern)) => Ok(When::Cron { pattern: pattern.to_owned(), zone: None }),
        _ => Err(wrong("exactly one of at, in_seconds or schedule must be provided.")),
    }
}

#[cfg(test)]
#[path = "remind_tests.rs"]
mod tests;
