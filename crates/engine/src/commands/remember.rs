//! `/remember`: a person has something remembered, in their own words and without a model.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need, answer::code_span};
use crate::{error::Result, knowledge::entries::NewEntry};
use async_trait::async_trait;
use domain::{EntryState, KnowledgeEntry, KnowledgeStore};
use serde_json::{Value, json};

/// Of the words of an entry, where a line of them is told.
const TOLD_CHARS: usize = 120;

pub(super) struct SlashRemember;

const ABOUT: About = About {
    name: "remember",
    summary: "have something remembered, in your own words",
    details: "Your agents are told it in all your conversations. No model reads or changes it. `/undo` takes it back.",
    category: "knowledge",
    forms: &[Form::new("/remember TEXT", "", "a short fact, at most 2,000 characters").rest("text")],
};

#[async_trait]
impl Command for SlashRemember {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "text": { "type": "string", "description": "What is remembered." } },
            "required": ["text"],
            "additionalProperties": false
        })
    }

    /// THREAT[memory-01] What is written by it counts as its person's own words, which an agent's are not.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Manage)?;
        let Some(body) = arguments.get("text").and_then(Value::as_str) else {
            return Err(invocation.misuse("say what is to be remembered"));
        };
        let store = KnowledgeStore::Memory;
        let new = NewEntry { store, title: None, body: body.to_owned(), pinned: false, until: None };
        let key = invocation.idempotency_key.clone();
        let entry =
            invocation.engine.remember_in(invocation.principal(), invocation.session, new, key).await?;
        let (number, words) = (entry.number, told(&entry));
        let text = match entry.state {
            EntryState::Proposed => format!(
                "Memory {number} waits for you, because a program wrote it: {words}. Keep or discard it on the page Knowledge."
            ),
            _ => format!(
                "Memory {number}: {words}. Your agents are told it from their next reply on. `/forget {number}` takes it back."
            ),
        };
        Ok(CommandAnswer::new(text, json!({ "entry": entry })))
    }
}

/// How an entry begins, for people.
pub(super) fn told(entry: &KnowledgeEntry) -> String {
    let words = entry.text.title.as_ref().unwrap_or(&entry.text.body);
    let brief: String = words.chars().take(TOLD_CHARS).map(shown).collect();
    let end = if words.chars().nth(TOLD_CHARS).is_some() { "…" } else { "" };
    code_span(&format!("{brief}{end}"))
}

/// A sign that is not seen or turns the direction of words does not hide what is said.
fn shown(character: char) -> char {
    if domain::is_misleading(character) && !character.is_whitespace() { '\u{fffd}' } else { character }
}
