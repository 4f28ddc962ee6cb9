//! The first lines of a conversation, and lists of earlier ones.

use super::talk::Talk;
use crate::{
    error::Result,
    terminal::{Look, neutral, one_line, shown_moment, words_alone},
};
use serde_json::Value;

/// Messages shown of a session that is gone on with.
const RECENT: u32 = 6;
/// Characters of one of them.
const RECAP: usize = 200;
/// Of the name of a conversation.
const NAME: usize = 60;

pub async fn greeting(talk: &Talk, look: Look) -> Result<String> {
    let session = talk.session.map_or_else(|| "new conversation".to_owned(), |id| id.to_string());
    let model = talk.model().await?;
    let head = format!("Agent {} · model {} · {session}", neutral(&talk.agent.name), neutral(&model));
    let mut text = format!(
        "{}\n{}",
        look.bold(&head),
        look.dim("Type a message. /help shows the commands, Ctrl-D leaves.")
    );
    if model == provider::DEMO {
        let hint = "demo is a script, not a real model. For a real model add a provider on the page, or set OPENAI_API_KEY or start Ollama and restart the server.";
        text.push_str(&format!("\n{}", look.dim(hint)));
    }
    Ok(text)
}

/// How the conversation stood.
pub async fn recent(talk: &Talk, look: Look) -> Result<Vec<String>> {
    let messages = talk.messages(RECENT).await?;
    let said = messages.iter().filter_map(|message| {
        let who = match message.get("role").and_then(Value::as_str)? {
            "user" => "you",
            "assistant" => talk.agent.name.as_str(),
            _ => return None,
        };
        let content =
            message.get("content").and_then(Value::as_str).filter(|text| !text.trim().is_empty())?;
        let at = shown_moment(message.get("created_at").and_then(Value::as_str).unwrap_or_default());
        let words = one_line(&words_alone(content), RECAP);
        Some(look.dim(&format!("{} · {}> {words}", one_line(&at, 40), neutral(who))))
    });
    Ok(said.collect())
}

/// Conversations of a list, in Markdown, with the time of the last change as this machine tells it.
pub fn conversations(list: &Value) -> Option<String> {
    let items = list.get("items").and_then(Value::as_array).filter(|items| !items.is_empty())?;
    let line = |session: &Value| {
        let text = |name: &str| session.get(name).and_then(Value::as_str);
        let last = session.get("last_message").and_then(|last| last.get("content")).and_then(Value::as_str);
        let count = session.get("message_count").and_then(Value::as_u64).unwrap_or(0);
        // A message that only asks for something has no words.
        let last = last.map(words_alone).filter(|words| !words.trim().is_empty());
        let unnamed = || if count == 0 { "no messages yet" } else { "unnamed" }.to_owned();
        let name = text("name").map(str::to_owned).or(last).unwrap_or_else(unnamed);
        let at = shown_moment(text("updated_at").unwrap_or_default());
        let unit = if count == 1 { "message" } else { "messages" };
        let name = one_line(&name, NAME).replace('`', "'");
        format!("- `{name}` · {at} · {count} {unit} · `{}`\n", text("id").unwrap_or_default())
    };
    let total = list.get("total").and_then(Value::as_u64).unwrap_or(0);
    let more = total.saturating_sub(items.len() as u64);
    let more = match list.get("total_is_more").and_then(Value::as_bool).unwrap_or(false) {
        true => format!("\n… and more than {more} more\n"),
        false if more > 0 => format!("\n… and {more} more\n"),
        false => String::new(),
    };
    Some(items.iter().map(line).collect::<String>() + &more)
}

#[cfg(test)]
#[path = "welcome_tests.rs"]
mod tests;
