//! The first lines of a conversation, and lists of earlier ones.

use super::talk::Talk;
use crate::{
    error::Result,
    terminal::{Look, neutral, one_line, table},
};
use serde_json::Value;

/// Messages shown of a session that is gone on with.
const RECENT: u32 = 6;

pub async fn greeting(talk: &Talk, look: Look) -> Result<String> {
    let session = talk.session.map_or_else(|| "new session".to_owned(), |id| id.to_string());
    let model = talk.model().await?;
    let head = format!("agent {} · model {} · {session}", neutral(&talk.agent.name), neutral(&model));
    let mut text = format!("{}\n{}", look.bold(&head), look.dim("/help shows the commands, Ctrl-D leaves"));
    if model == provider::DEMO {
        let hint = "demo is a script; for a real model set OPENAI_API_KEY or start Ollama, then start again";
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

pub async fn sessions(talk: &Talk) -> Result<String> {
    let sessions = talk.sessions().await?;
    if sessions.is_empty() {
        return Ok("no sessions yet".to_owned());
    }
    let text = |session: &Value, name: &str| {
        session.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let rows = sessions.iter().map(|session| {
        let last = session.get("last_message").and_then(|last| last.get("content")).and_then(Value::as_str);
        let name = match text(session, "name") {
            name if name.is_empty() => one_line(last.unwrap_or_default(), 40),
            name => one_line(&name, 40),
        };
        vec![text(session, "id"), text(session, "status"), text(session, "updated_at"), name]
    });
    Ok(table(&["id", "status", "updated", "about"], &rows.collect::<Vec<_>>()).trim_end().to_owned())
}
