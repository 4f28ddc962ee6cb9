//! `/forget`: a memory or a page is remembered no longer.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need, remember::told};
use crate::error::{Error, Result};
use async_trait::async_trait;
use domain::{EntryState, KnowledgeStore};
use serde_json::{Value, json};

pub(super) struct SlashForget;

const ABOUT: About = About {
    name: "forget",
    summary: "delete something that your agents remember",
    details: "`/memory list` shows the numbers. What was deleted can be restored on the page Knowledge.",
    category: "knowledge",
    forms: &[
        Form::new("/forget N", "", "the memory with this number").words(&["number"]),
        Form::new("/forget page N", "page", "the page of the scratchpad with this number").words(&["number"]),
    ],
};

#[async_trait]
impl Command for SlashForget {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "action": { "type": "string", "enum": ["page"] },
                "number": { "type": ["integer", "string"], "description": "Of the memory, or of the page." }
            },
            "required": ["number"],
            "additionalProperties": false
        })
    }

    /// THREAT[memory-01] An agent deletes by its tool, where what its person wrote is only proposed to be deleted.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Manage)?;
        let page = arguments.get("action").is_some();
        let store = if page { KnowledgeStore::Scratchpad } else { KnowledgeStore::Memory };
        let number = arguments.get("number").and_then(Value::as_str).map(|word| word.trim_start_matches('#'));
        let Some(number) = number.and_then(|word| word.parse::<u64>().ok()) else {
            return Err(invocation.misuse("name the number of what is to be forgotten"));
        };
        let (engine, who) = (&invocation.engine, invocation.principal());
        let before = engine.numbered_entry(who.user_id, store, number).await?;
        let Some(before) = before.filter(|entry| entry.state != EntryState::Gone) else {
            return Err(Error::NotFound("entry"));
        };
        engine.delete_entry_in(who, before.id, invocation.session).await?;
        let entry = engine.knowledge_entry(who.user_id, before.id).await?;
        let words = told(&before);
        let back = match invocation.session {
            Some(_) => "`/undo` brings it back.",
            None => "The page Knowledge restores it, under Gone.",
        };
        let text = match (entry.state, page) {
            (EntryState::Gone, false) => format!("Memory {number} is forgotten: {words}. {back}"),
            (EntryState::Gone, true) => format!("Page {number} is deleted: {words}. {back}"),
            _ => format!(
                "It waits for you, because a program wants it deleted: {words}. Look at the page Knowledge."
            ),
        };
        Ok(CommandAnswer::new(text, json!({ "entry": entry })))
    }
}
