//! The search that Anthropic's servers do for a model; the model says what it found.

use crate::ports::web_search::{SearchDoor, account::SearchTally, header, text_of};
use capability::{Hit, SearchError, SearchResults};
use sandbox::egress::{Method, Request};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use std::time::Duration;

/// A search takes several of the model's steps.
const PATIENCE: Duration = Duration::from_secs(90);
const ROUNDS: usize = 5;
pub(super) const USUAL_MODEL: &str = "claude-haiku-4-5";

pub(super) async fn search(
    door: &SearchDoor<'_>,
    query: &str,
    tally: &mut SearchTally,
) -> Result<SearchResults, SearchError> {
    let mut messages = vec![json!({ "role": "user", "content": format!("Search the web for: {query}") })];
    let mut found = SearchResults::default();
    let mut words = String::new();
    for _ in 0..ROUNDS {
        tally.send();
        let answer = ask(door, &messages).await?;
        tally.hear(&answer);
        let content = answer.get("content").cloned().unwrap_or_default();
        for block in content.as_array().into_iter().flatten() {
            read(block, &mut found, &mut words)?;
        }
        if answer.get("stop_reason").and_then(Value::as_str) != Some("pause_turn") {
            break;
        }
        messages.push(json!({ "role": "assistant", "content": content }));
        messages.push(json!({ "role": "user", "content": "Continue." }));
    }
    let words = words.trim();
    found.answer = (!words.is_empty()).then(|| words.to_owned());
    Ok(found)
}

async fn ask(door: &SearchDoor<'_>, messages: &[Value]) -> Result<Value, SearchError> {
    let body = json!({
        "model": door.searcher.model, "max_tokens": 4096, "messages": messages,
        "tools": [{ "type": "web_search_20250305", "name": "web_search", "max_uses": 5 }],
    });
    let request = Request::new(Method::POST, door.url("/v1/messages", &[])).body(body.to_string());
    let key = door.searcher.key.as_ref().map_or("", |key| key.expose_secret());
    let request = header(header(request, "x-api-key", key)?, "anthropic-version", "2023-06-01")?;
    door.ask_json(header(request, "content-type", "application/json")?, PATIENCE).await
}

fn read(block: &Value, found: &mut SearchResults, words: &mut String) -> Result<(), SearchError> {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => {
            words.push_str(block.get("text").and_then(Value::as_str).unwrap_or_default());
            for citation in block.get("citations").and_then(Value::as_array).into_iter().flatten() {
                let (url, cited) = (text_of(citation, "url"), text_of(citation, "cited_text"));
                if let Some(hit) = found.hits.iter_mut().find(|hit| hit.url == url && hit.snippet.is_empty())
                {
                    hit.snippet = cited;
                }
            }
        }
        Some("web_search_tool_result") => {
            let content = block.get("content").cloned().unwrap_or_default();
            if let Some(code) = content.get("error_code").and_then(Value::as_str) {
                return Err(SearchError::Failed(format!(
                    "anthropic could not search ({code}). Try again later."
                )));
            }
            for result in content.as_array().into_iter().flatten() {
                let hit = Hit {
                    title: text_of(result, "title"),
                    url: text_of(result, "url"),
                    snippet: String::new(),
                };
                if !found.hits.iter().any(|known| known.url == hit.url) {
                    found.hits.push(hit);
                }
            }
        }
        _ => {}
    }
    Ok(())
}
