//! DuckDuckGo's page for browsers without scripts. It needs no key, and refuses who asks too often.

use crate::ports::web_search::SearchDoor;
use capability::{Hit, SearchError, SearchResults, plain_text};
use regex::Regex;
use sandbox::egress::Request;
use std::{sync::LazyLock, time::Duration};
use url::Url;

const PATIENCE: Duration = Duration::from_secs(10);
const CHANGED: &str = "The results of DuckDuckGo cannot be read: its page has changed. Ask the owner to update the server or to \
                       choose another search service ([search] in majordomo.toml).";
/// What its page has where nothing was found.
const NOTHING: [&str; 3] = ["no-results", "result--no-result", "No results"];

/// A link with one of two classes: the title of a hit, then its words.
static LINKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?s)<a\s([^>]*class="result__(a|snippet)"[^>]*)>(.*?)</a>"#).ok());
static TARGET: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"href="([^"]*)""#).ok());

pub(super) async fn search(door: &SearchDoor<'_>, query: &str) -> Result<SearchResults, SearchError> {
    let said = door.ask(Request::get(door.url("/html/", &[("q", query)])), PATIENCE).await?;
    let refused = said.text.contains("anomaly-modal") || said.text.contains("challenge-form");
    match said.status {
        200 if !refused => match hits(&said.text) {
            Some(hits) => Ok(SearchResults { hits, answer: None }),
            None => Err(SearchError::Failed(CHANGED.to_owned())),
        },
        200 | 202 | 403 | 429 => Err(SearchError::Failed(
            "DuckDuckGo asks to confirm that a person is searching. Wait before the next search, or ask the owner to choose another \
             search service ([search] in majordomo.toml)."
                .to_owned(),
        )),
        status => Err(SearchError::Failed(format!("DuckDuckGo answered with status {status}. Try again later."))),
    }
}

/// None when the page neither lists results nor says that there are none: then it is not the page that this was written for.
fn hits(page: &str) -> Option<Vec<Hit>> {
    let mut hits: Vec<Hit> = Vec::new();
    let links = LINKS.as_ref()?;
    if !links.is_match(page) {
        return NOTHING.iter().any(|sign| page.contains(sign)).then_some(hits);
    }
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
    Some(hits)
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
