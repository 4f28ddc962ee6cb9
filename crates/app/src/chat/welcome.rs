//! The first lines of a conversation, and lists of earlier ones.

use super::talk::Talk;
use crate::{
    error::Result,
    terminal::{Look, neutral, one_line},
};
use serde_json::Value;

/// Messages shown of a session that is gone on with.
const RECENT: u32 = 6;

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
        let hint = "demo is a script, not a real model. For a real one add a provider on the page, set OPENAI_API_KEY or start Ollama.";
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
        Some(look.dim(&format!("{}> {}", neutral(who), one_line(content, 200))))
    });
    Ok(said.collect())
}
