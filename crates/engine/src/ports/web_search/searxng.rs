//! A SearXNG server, often one of the house's own.

use crate::ports::web_search::{SearchDoor, text_of};
use capability::{Hit, SearchError, SearchResults};
use sandbox::egress::Request;
use serde_json::Value;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(15);

pub(super) async fn search(door: &SearchDoor<'_>, query: &str) -> Result<SearchResults, SearchError> {
    let request = Request::get(door.url("/search", &[("q", query), ("format", "json")]));
    let answer = door.ask_json(request, PATIENCE).await.map_err(|error| match error {
        SearchError::Failed(words) if words.contains("status 403") => SearchError::Failed(
            "SearXNG refused the search. Its owner must add `json` to `search.formats` in its settings.yml."
                .to_owned(),
        ),
        other => other,
    })?;
    let found = answer.get("results").and_then(Value::as_array);
    let hit = |found: &Value| Hit {
        title: text_of(found, "title"),
        url: text_of(found, "url"),
        snippet: text_of(found, "content"),
    };
    Ok(SearchResults { hits: found.into_iter().flatten().map(hit).collect(), answer: None })
}
