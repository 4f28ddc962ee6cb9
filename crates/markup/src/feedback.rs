//! How the results of calls go back to the agent: one block each.

use crate::{ProposedCall, Target};
use domain::{Origin, ResultStatus};
use serde_json::Value;

/// A call and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportedCall<'a> {
    pub origin: Origin,
    pub target: &'a Target,
    pub name: &'a str,
    pub reference: &'a str,
    pub status: ResultStatus,
    /// The result, the reason of a denial, or what went wrong.
    pub content: &'a str,
}

impl<'a> ReportedCall<'a> {
    pub fn of(call: &'a ProposedCall, status: ResultStatus, content: &'a str) -> Self {
        let ProposedCall { origin, target, name, reference, .. } = call;
        Self { origin: *origin, target, name, reference, status, content }
    }

    /// `[@system:help] interaction_id='a' completed:` and the result.
    pub fn block(&self) -> String {
        let Self { target, name, content, .. } = self;
        let reference = one_line(self.reference);
        let name = one_line(name);
        let head = match self.origin {
            Origin::Assertion => format!("[{}:{name}] id='{reference}'", assertion(target)),
            _ => format!("[{target}:{name}] interaction_id='{reference}'"),
        };
        match self.status {
            ResultStatus::Ok => format!("{head} completed:\n{content}"),
            ResultStatus::Denied => format!("{head} denied: {content}"),
            ResultStatus::Error => format!("{head} failed: {content}"),
            ResultStatus::Unknown => format!("{head} status: unknown\n{content}"),
        }
    }
}

/// What kind of assertion it was.
fn assertion(target: &Target) -> &str {
    match target {
        Target::System => "command",
        Target::User => "question",
        Target::Agent => "agent",
        Target::Other(kind) => kind,
    }
}

/// Stands before the first block of a pipeline.
pub fn pipeline_heading(key: &str) -> String {
    format!("=== Pipeline \"{}\" ===", one_line(key))
}

/// THREAT[markup-03]: the agent chooses its references and names; none of them may begin a block of its own.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(200).collect()
}

/// The blocks of one message, in order, with a blank line between.
pub fn message<'a>(outcomes: impl IntoIterator<Item = ReportedCall<'a>>) -> String {
    let blocks: Vec<String> = outcomes.into_iter().map(|outcome| outcome.block()).collect();
    if blocks.is_empty() { "No results.".to_owned() } else { blocks.join("\n\n") }
}

/// A result as text: words as they are, everything else as JSON in lines. A wrapper that says no more than that it worked
/// is taken off, also around an empty value.
pub fn result_text(result: &Value) -> String {
    let inner = match result {
        Value::Object(members) if members.get("status") == Some(&Value::from("completed")) => {
            members.get("result").unwrap_or(result)
        }
        other => other,
    };
    match inner {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

/// Characters of a result that an agent is shown.
pub const LONGEST: usize = 16_000;

/// A long result loses its middle: its head and its tail say most.
pub fn shorten(text: &str, longest: usize) -> String {
    let length = text.chars().count();
    if length <= longest {
        return text.to_owned();
    }
    let tail = longest / 4;
    let head = longest - tail;
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(length - tail).collect();
    format!("{first}\n... [{} characters left out] ...\n{last}", length - longest)
}
