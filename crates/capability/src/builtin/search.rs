//! `db_search`: what the agent's person had remembered, and what was said in their conversations.

use crate::{
    Capability, CapabilityInfo, Port, Settings, Tool, ToolContext, ToolError, arguments,
    ports::recall::{FoundEntry, FoundMessage, RecallError, RecallQuery, Recalled},
};
use async_trait::async_trait;
use domain::{EffectClass, KnowledgeStore, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const USUAL: u32 = 10;
const MOST: u32 = 20;
const QUERY_CHARS: usize = 200;

pub struct OwnSearch;

impl Capability for OwnSearch {
    fn info(&self) -> CapabilityInfo {
        CapabilityInfo::builtin(
            "search",
            "Search",
            "Searches what your agents remember and your conversations. What others wrote is left out unless the agent asks for it.",
        )
        .shown_as("search", "Productivity")
    }

    fn prompt(&self, _settings: &Settings) -> Option<String> {
        Some(GUIDANCE.to_owned())
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![Arc::new(DbSearch)]
    }
}

const GUIDANCE: &str = "\
`db_search` finds what you remember and what was said in this person's conversations. Look there before you ask for what they may have \
told you already. Use `include_untrusted` only for what others wrote: from then on their words are in this conversation.";

struct DbSearch;

#[async_trait]
impl Tool for DbSearch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "db_search".to_owned(),
            description: "Search what you remember and what was said in the conversations of your person."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "minLength": 1, "maxLength": QUERY_CHARS, "description": "Words to look for." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": MOST, "description": "How many; 10 by default." },
                    "include_untrusted": {
                        "type": "boolean",
                        "description": "True: also what others had a say in, and what waits for your person."
                    }
                },
                "required": ["query"],
                "additionalProperties": false
            }),
        }
    }

    fn class(&self) -> EffectClass {
        EffectClass::Read
    }

    fn ports(&self) -> &'static [Port] {
        &[Port::PastSearch]
    }

    fn is_plain(&self) -> bool {
        true
    }

    async fn run(&self, context: &ToolContext, arguments: Value) -> Result<Value, ToolError> {
        let words = arguments::text(&arguments, "query", QUERY_CHARS)?.to_owned();
        let most = arguments::whole_number(&arguments, "limit", USUAL, 1..=MOST)?;
        let include_untrusted = arguments::flag(&arguments, "include_untrusted")?;
        let query = RecallQuery { words: words.clone(), most, include_untrusted };
        match context.ports.recall()?.look_for(query).await {
            Ok(found) => Ok(Value::String(told(&words, &found))),
            Err(RecallError::NoWord) => Ok(Value::String(nothing(&words))),
            Err(RecallError::Broken(detail)) => Err(ToolError::Internal(detail)),
        }
    }
}

fn nothing(words: &str) -> String {
    format!("No results found for \"{words}\".")
}

fn told(words: &str, found: &Recalled) -> String {
    let mut parts = Vec::new();
    let part = |name: &str, lines: Vec<String>| {
        (!lines.is_empty()).then(|| format!("{name} ({} match(es)):\n{}", lines.len(), lines.join("\n")))
    };
    parts.extend(part("Knowledge", found.entries.iter().map(of_entry).collect()));
    parts.extend(part("Messages", found.messages.iter().map(of_message).collect()));
    if parts.is_empty() {
        parts.push(nothing(words));
    }
    if found.left_out > 0 {
        parts.push(format!(
            "{} more were left out: others had a say in them, or they wait for your person. include_untrusted brings them in.",
            found.left_out
        ));
    }
    if !found.is_complete {
        parts.push("Not everything was looked through. Look for other words to find more.".to_owned());
    }
    parts.join("\n\n")
}

fn of_entry(found: &FoundEntry) -> String {
    let store = match found.store {
        KnowledgeStore::Memory => "Memory",
        KnowledgeStore::Scratchpad => "Scratchpad",
    };
    let marks = [(found.is_untrusted, "untrusted"), (found.waits, "waits for your person")];
    let marks: Vec<&str> = marks.into_iter().filter_map(|(holds, mark)| holds.then_some(mark)).collect();
    let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
    let title = found.title.as_deref().map(|title| format!("{title}: ")).unwrap_or_default();
    format!("[{store} {}] [{}]{marks} {title}{}", found.number, found.updated_at, found.line)
}

fn of_message(found: &FoundMessage) -> String {
    let mark = if found.is_untrusted { " (untrusted)" } else { "" };
    format!("[id:{}] [{}] {}{mark}: {}", found.id, found.at, found.role.as_str(), found.line)
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
