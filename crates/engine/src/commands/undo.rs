//! `/undo`: takes back the last change of what is remembered that was made in this conversation.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need, remember::told};
use crate::error::{Error, Result};
use async_trait::async_trait;
use domain::{EntryState, KnowledgeStore};
use serde_json::{Value, json};

pub(super) struct SlashUndo;

const ABOUT: About = About {
    name: "undo",
    summary: "take back the last change of what is remembered that was made in this conversation",
    details: "What was changed elsewhere since stays as it is. Type it again to take back the change of another entry before that. \
              The page Knowledge goes back to any version.",
    category: "knowledge",
    forms: &[Form::new("/undo", "", "take back what was last remembered, changed or forgotten here")],
};

#[async_trait]
impl Command for SlashUndo {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }

    /// THREAT[memory-02] What a person goes back to counts as theirs.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, _arguments: Value) -> Result<CommandAnswer> {
        invocation.actor.check(Need::Manage)?;
        let session = invocation.session()?;
        let Some(entry) = invocation.engine.undo_knowledge_in(invocation.principal(), session).await? else {
            let detail = "Nothing that was remembered or forgotten in this conversation can be taken back.";
            return Err(Error::conflict("nothing_to_undo", detail));
        };
        let (number, words) = (entry.number, told(&entry));
        let text = match (entry.state, entry.store) {
            (EntryState::Gone, KnowledgeStore::Memory) => {
                format!("Memory {number} is remembered no longer: {words}.")
            }
            (EntryState::Gone, KnowledgeStore::Scratchpad) => {
                format!("Page {number} is deleted again: {words}.")
            }
            (_, KnowledgeStore::Memory) => format!("Memory {number} is as it was before: {words}."),
            (_, KnowledgeStore::Scratchpad) => format!("Page {number} is as it was before: {words}."),
        };
        Ok(CommandAnswer::new(text, json!({ "entry": entry })))
    }
}
