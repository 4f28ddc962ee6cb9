//! DuckDuckGo's page for browsers without scripts. It needs no key, and refuses who asks too often.

use crate::ports::web_search::SearchDoor;
use capability::{Hit, SearchError, SearchResults, plain_text};
use regex::Regex;
use sandbox::egress::Request;
use std::{sync::LazyLock, time::Duration};
use url::Url;

const PATIENCE: Duration = Duration::from_secs(10);

/// A link with one of two classes: the title of a hit, then its words.
static LINKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?s)<a\s([^>]*class="result__(a|snippet)"[^>]*)>(.*?)</a>"#).ok());
static TARGET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"href="([^"]*)""#).ok());

pub(super) async fn search(door: &SearchDoor<'_>, query: &str) -> Result<SearchResults, SearchError> {
    let said = door.ask(Request::get(door.url("/html/", &[("q", query)])), PATIENCE).await?;
    let refused = said.text.contains("anomaly-modal") || said.text.contains("challenge-form");
    match said.status {
        200 if !refused => Ok(SearchResults { hits: hits(&said.text), answer: None }),
        200 | 202 | 403 | 429 => Err(SearchError::Failed(
            "duckduckgo asks to confirm that a person is searching. Wait before the next search, or ask the owner to choose another search service."
                .to_owned(),
        )),
        status => Err(SearchError::Failed(format!("duckduckgo answered with status {status}. Try again later."))),
    }
}

fn hits(page: &str) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let Some(links) = LINKS.as_ref() else { return hits };
    for link in links.captures_iter(page) {
        let part = |number: usize| link.get(number).map_or("", |part| part.as_str());
        let (tag, kind, words) = (part(1), part(2), plain_text(part(3)));
        match (kind, hits.last_mut()) {
            ("a", _) => {
                hits.push(Hit { title: words, url: target(tag).unwrap_or_default(), snippet: String::new() })
            }
            (_, Some(hit)) if hit.snippet.is_empty() => hit.snippet = words,
            _ => {}
        }
    }
    hits.retain(|hit| !hit.url.is_empty());
    hits
}

/// The address behind DuckDuckGo's own; none for advertisements.
fn target(tag: &str) -> Option<String> {
    let written = TARGET.as_ref()?.captures(tag)?.get(1)?.as_str().replace("&amp;", "&");
    let base = Url::parse("https://duckduckgo.com/").ok()?;
    let url = base.join(&written).ok()?;
    let ours =
        url.host_str().is_some_and(|host| host == "duckduckgo.com" || host.ends_with(".duckduckgo.com"));
    match ours {
        false => Some(url.to_string()),
        true if url.path() == "/l/" => {
            url.query_pairs().find(|(name, _)| name == "uddg").map(|(_, meant)| meant.into_owned())
        }
        true => None,
    }
}
