//! Brave's search API.

use crate::ports::web_search::{SearchDoor, header, text_of};
use capability::{Hit, SearchError, SearchResults};
use sandbox::egress::Request;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn search(
    door: &SearchDoor<'_>,
    query: &str,
    limit: usize,
) -> Result<SearchResults, SearchError> {
    let count = limit.clamp(1, 20).to_string();
    let request = Request::get(door.url("/res/v1/web/search", &[("q", query), ("count", &count)]));
    let key = door.searcher.key.as_ref().map_or("", |key| key.expose_secret());
    let request = header(header(request, "x-subscription-token", key)?, "accept", "application/json")?;
    let answer = door.ask_json(request, PATIENCE).await?;
    let found = answer.pointer("/web/results").and_then(Value::as_array);
    let hit = |found: &Value| Hit {
        title: capability::plain_text(&text_of(found, "title")),
        url: text_of(found, "url"),
        snippet: capability::plain_text(&text_of(found, "description")),
    };
    Ok(SearchResults { hits: found.into_iter().flatten().map(hit).collect(), answer: None })
}
