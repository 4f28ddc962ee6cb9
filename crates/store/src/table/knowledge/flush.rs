//! What a summary of a conversation leaves behind: one page of the scratchpad for each conversation.

use super::{EntryEdit, EntryName, EntryWriter, change, create, get};
use crate::{DataKey, Result, Tx};
use domain::{
    EntryId, EntryState, EntryText, KnowledgeStore, SessionId, UserId,
    knowledge::{FLUSHED_LINES, same_words},
};

/// The page of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPage {
    pub title: String,
    /// Oldest first.
    pub lines: Vec<String>,
}

/// Writes these lines on the page of the conversation, behind those that are there; what is there already stays where it is, and the
/// newest are kept. `false` where nothing was written: the page is its person's by now, they deleted it, or it cannot grow.
///
/// THREAT[memory-06] Words of others make the whole page untrusted, so no prompt tells its title and no search finds it by itself.
pub fn flush(
    tx: &mut Tx,
    key: &DataKey,
    (user, session): (UserId, SessionId),
    page: &SessionPage,
    by: &EntryWriter,
) -> Result<bool> {
    // Each conversation has one page, so they have the same id.
    let id = EntryId::from_uuid(*session.as_uuid());
    let Some(entry) = get(tx, key, user, EntryName::Id(id))? else {
        let lines = newest(Vec::new(), &page.lines);
        let text =
            EntryText { title: Some(page.title.clone()), body: written(&lines), ..EntryText::default() };
        return Ok(create(tx, key, (user, id), (KnowledgeStore::Scratchpad, text), by)?.is_ok());
    };
    if entry.state != EntryState::Kept || entry.by_person || entry.proposal.is_some() {
        return Ok(false);
    }
    let lines = newest(entry.text.body.lines().map(bare).collect(), &page.lines);
    let (title, body) = (page.title.clone(), written(&lines));
    if entry.text.body == body && entry.text.title.as_ref() == Some(&title) {
        return Ok(false);
    }
    // Its lines stay, and bring their label with them.
    let by = EntryWriter { label: by.label.join(entry.label), ..by.clone() };
    let edit = EntryEdit { title: Some(title), body: Some(body), ..EntryEdit::default() };
    Ok(change(tx, key, (user, EntryName::Id(id)), &edit, &by)?.is_ok())
}

fn newest(mut lines: Vec<String>, more: &[String]) -> Vec<String> {
    for line in more {
        if !lines.iter().any(|there| same_words(there) == same_words(line)) {
            lines.push(line.clone());
        }
    }
    lines.split_off(lines.len().saturating_sub(FLUSHED_LINES))
}

fn written(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

fn bare(line: &str) -> String {
    line.strip_prefix("- ").unwrap_or(line).to_owned()
}
