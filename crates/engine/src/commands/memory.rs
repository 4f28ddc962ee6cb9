//! `/memory`: whether this conversation is told what is remembered, and what that is.

use crate::commands::{About, Command, CommandAnswer, Form, Invocation, Need, remember::told};
use crate::{error::Result, sessions::SessionChange};
use async_trait::async_trait;
use domain::{EntryState, KnowledgeEntry, KnowledgeStore};
use serde::Deserialize;
use serde_json::{Value, json};
use store::Page;

/// What a list shows.
const LISTED: usize = 20;
/// Of a list that is read to its newest end.
const PAGE: u32 = 100;
const MOST_PAGES: u32 = 50;

pub(super) struct SlashMemory;

const ABOUT: About = About {
    name: "memory",
    summary: "show what your agents remember, or use this conversation without it",
    details: "Without memory the agent of this conversation is told nothing of what is remembered, and writes nothing down. The \
              page Knowledge shows all of it.",
    category: "knowledge",
    forms: &[
        Form::new("/memory", "", "show whether this conversation uses memory, and how much there is"),
        Form::new("/memory on", "on", "use memory in this conversation"),
        Form::new("/memory off", "off", "do not use memory in this conversation"),
        Form::new("/memory list", "list", "your newest memories and pages, with their numbers"),
        Form::new("/memory review", "review", "what waits for you"),
    ],
};

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MemoryAction {
    #[default]
    Show,
    On,
    Off,
    List,
    Review,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MemoryArguments {
    #[serde(default)]
    action: MemoryAction,
}

#[async_trait]
impl Command for SlashMemory {
    fn about(&self) -> About {
        ABOUT
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "action": { "type": "string", "enum": ["on", "off", "list", "review"] } },
            "additionalProperties": false
        })
    }

    /// THREAT[memory-01] Whether it is told what is remembered is not for an agent to say.
    fn is_tool(&self) -> bool {
        false
    }

    async fn run(&self, invocation: &Invocation, arguments: Value) -> Result<CommandAnswer> {
        let MemoryArguments { action } = invocation.read(arguments)?;
        invocation.actor.check(Need::Manage)?;
        match action {
            MemoryAction::Show => invocation.show_memory().await,
            MemoryAction::On => invocation.use_memory(true).await,
            MemoryAction::Off => invocation.use_memory(false).await,
            MemoryAction::List => invocation.list_memory().await,
            MemoryAction::Review => invocation.review_memory().await,
        }
    }
}

impl Invocation {
    async fn show_memory(&self) -> Result<CommandAnswer> {
        let (memories, _) = self.newest(KnowledgeStore::Memory, EntryState::Kept).await?;
        let (pages, _) = self.newest(KnowledgeStore::Scratchpad, EntryState::Kept).await?;
        let waiting = self.waiting().await?.len();
        let counts = format!("Memories: {memories}. Pages: {pages}. Waiting for you: {waiting}.");
        let mut data = json!({ "memories": memories, "pages": pages, "waiting": waiting });
        let Some(id) = self.session else { return Ok(CommandAnswer::new(counts, data)) };
        let session = self.engine.session(self.user(), id).await?;
        data["memory"] = session.memory.into();
        let here = match session.memory {
            true => "This conversation uses memory.",
            false => "This conversation is without memory. `/memory on` changes that.",
        };
        Ok(CommandAnswer::new(format!("{here}\n\n{counts}"), data))
    }

    async fn use_memory(&self, memory: bool) -> Result<CommandAnswer> {
        let change = SessionChange { memory: Some(memory), ..SessionChange::default() };
        let session = self.engine.change_session(self.principal(), self.session()?, change).await?;
        let text = match memory {
            true => "This conversation uses memory from the next reply on.",
            false => {
                "This conversation is without memory from the next reply on. What was said in it already stays in it."
            }
        };
        Ok(CommandAnswer::new(text, json!({ "session": session })))
    }

    async fn list_memory(&self) -> Result<CommandAnswer> {
        let (mut lines, mut items, mut left_out) = (Vec::new(), Vec::new(), 0);
        for store in [KnowledgeStore::Memory, KnowledgeStore::Scratchpad] {
            let (total, newest) = self.newest(store, EntryState::Kept).await?;
            left_out += total.saturating_sub(newest.len() as u64);
            lines.extend(newest.iter().map(line));
            items.extend(newest);
        }
        let mut text =
            if lines.is_empty() { "Nothing is remembered yet.".to_owned() } else { lines.join("\n") };
        if left_out > 0 {
            text.push_str(&format!("\n\n… and {left_out} more, on the page Knowledge"));
        }
        Ok(CommandAnswer::new(text, json!({ "items": items, "left_out": left_out })))
    }

    async fn review_memory(&self) -> Result<CommandAnswer> {
        let items = self.waiting().await?;
        if items.is_empty() {
            return Ok(CommandAnswer::new("Nothing waits for you.", json!({ "items": items })));
        }
        let lines: Vec<String> = items.iter().map(line).collect();
        let text = format!(
            "{}\n\nYour agents are told none of it before you keep it. Keep or discard it on the page Knowledge, under To review.",
            lines.join("\n")
        );
        Ok(CommandAnswer::new(text, json!({ "items": items })))
    }

    async fn waiting(&self) -> Result<Vec<KnowledgeEntry>> {
        let mut found = Vec::new();
        for store in [KnowledgeStore::Memory, KnowledgeStore::Scratchpad] {
            found.extend(self.newest(store, EntryState::Proposed).await?.1);
        }
        Ok(found)
    }

    /// How many there are, and the newest of them, newest first.
    async fn newest(&self, store: KnowledgeStore, state: EntryState) -> Result<(u64, Vec<KnowledgeEntry>)> {
        let (mut page, mut found) = (Page::first(PAGE), Vec::new());
        let mut total = 0;
        for _ in 0..MOST_PAGES {
            let mut read = self.engine.knowledge(self.user(), (store, state), page).await?;
            total = total.max(read.total);
            found.append(&mut read.items);
            let Some(cursor) = read.next_cursor else { break };
            page = Page { cursor: Some(cursor), ..Page::first(PAGE) };
            let older = found.len().saturating_sub(LISTED);
            found.drain(..older);
        }
        let older = found.len().saturating_sub(LISTED);
        found.drain(..older);
        found.reverse();
        Ok((total, found))
    }
}

fn line(entry: &KnowledgeEntry) -> String {
    let (number, words) = (entry.number, told(entry));
    match (entry.store, entry.text.pinned) {
        (KnowledgeStore::Memory, false) => format!("- Memory {number}: {words}"),
        (KnowledgeStore::Memory, true) => format!("- Pinned memory {number}: {words}"),
        (KnowledgeStore::Scratchpad, false) => format!("- Page {number}: {words}"),
        (KnowledgeStore::Scratchpad, true) => format!("- Pinned page {number}: {words}"),
    }
}
