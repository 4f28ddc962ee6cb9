//! The services that search the web for this house. One file per service; each makes the same hits.

pub(crate) mod account;
pub(crate) mod anthropic;
pub(crate) mod brave;
pub(crate) mod duckduckgo;
pub(crate) mod searxng;

use crate::engine::Engine;
use crate::ports::web_search::account::{SearchRow, SearchTally};
use async_trait::async_trait;
use capability::{SearchError, SearchResults, WebSearch};
use domain::{Agent, SessionId, TurnId, UserId};
use sandbox::egress::{Egress, HostList, HostPattern, Limits, Policy, PrivateHost, Request};
use secrecy::SecretString;
use serde_json::Value;
use std::{fmt, time::Duration};
use store::Tx;
use url::Url;

const BUDGETED: &str = "The web search service costs money that the budget cannot count, so it is not used while there is a budget. The \
                        owner can choose another service ([search] backend).";

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchBackend {
    Anthropic,
    Brave,
    Searxng,
    DuckDuckGo,
}

impl SearchBackend {
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Brave, Self::Searxng, Self::DuckDuckGo];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Brave => "brave",
            Self::Searxng => "searxng",
            Self::DuckDuckGo => "duckduckgo",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|backend| backend.as_str() == text)
    }

    /// Where it is, unless the owner says otherwise.
    pub const fn usual_url(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::Brave => Some("https://api.search.brave.com"),
            Self::DuckDuckGo => Some("https://html.duckduckgo.com"),
            Self::Searxng => None,
        }
    }

    /// As people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic",
            Self::Brave => "Brave Search",
            Self::Searxng => "SearXNG",
            Self::DuckDuckGo => "DuckDuckGo",
        }
    }

    pub const fn needs_key(self) -> bool {
        matches!(self, Self::Anthropic | Self::Brave)
    }
}

/// Who searches, where, and with which key.
#[derive(Clone)]
pub struct Searcher {
    backend: SearchBackend,
    base: Url,
    /// The owner's own words, so that it may be at home.
    is_chosen: bool,
    key: Option<SecretString>,
    model: String,
}

impl Searcher {
    /// # Errors
    /// In words, when something is missing or is no address.
    pub fn new(
        backend: SearchBackend,
        url: Option<&str>,
        key: Option<SecretString>,
        model: Option<String>,
    ) -> Result<Self, String> {
        let name = backend.as_str();
        let written = url
            .or(backend.usual_url())
            .ok_or_else(|| format!("{name} needs `url`, the address of its server"))?;
        let base =
            Url::parse(written).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let base = base.ok_or_else(|| format!("`{written}` is not an http or https address"))?;
        if backend.needs_key() && key.is_none() {
            return Err(format!("{name} needs a key; set `api_key_env` or `api_key`"));
        }
        let model = model.unwrap_or_else(|| crate::ports::web_search::anthropic::USUAL_MODEL.to_owned());
        Ok(Self { backend, base, is_chosen: url.is_some(), key, model })
    }

    /// As people call it, with its host where the owner chose that.
    pub(crate) fn name(&self) -> String {
        let name = self.backend.name();
        match self.base.host_str().filter(|_| self.is_chosen) {
            Some(host) => format!("{name} ({host})"),
            None => name.to_owned(),
        }
    }

    pub fn key(&self) -> Option<&SecretString> {
        self.key.as_ref()
    }

    async fn search(
        &self,
        egress: &Egress,
        query: &str,
        limit: usize,
        tally: &mut SearchTally,
    ) -> Result<SearchResults, SearchError> {
        let door = SearchDoor { egress, searcher: self };
        match self.backend {
            SearchBackend::Anthropic => {
                crate::ports::web_search::anthropic::search(&door, query, tally).await
            }
            SearchBackend::Brave => crate::ports::web_search::brave::search(&door, query, limit).await,
            SearchBackend::Searxng => crate::ports::web_search::searxng::search(&door, query).await,
            SearchBackend::DuckDuckGo => crate::ports::web_search::duckduckgo::search(&door, query).await,
        }
    }
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("backend", &self.backend)
            .field("base", &self.base.as_str())
            .finish_non_exhaustive()
    }
}

/// The way to the search service, and to no other host.
struct SearchDoor<'a> {
    egress: &'a Egress,
    searcher: &'a Searcher,
}

/// The HTTP reply of a search service.
struct SearchReply {
    status: u16,
    text: String,
}

impl SearchDoor<'_> {
    /// THREAT[ssrf-08]: only the owner's own address may be at home, and only for this.
    fn policy(&self) -> Option<Policy> {
        let base = &self.searcher.base;
        let host: HostPattern = base.host_str()?.parse().ok()?;
        let home = PrivateHost { host: host.clone(), port: base.port_or_known_default()? };
        let private_hosts = if self.searcher.is_chosen { vec![home] } else { Vec::new() };
        Some(Policy {
            hosts: HostList { allow: Some(vec![host]), deny: Vec::new() },
            private_hosts,
            ..Policy::default()
        })
    }

    fn url(&self, path: &str, query: &[(&str, &str)]) -> String {
        let mut url = self.searcher.base.clone();
        url.set_path(&format!("{}{path}", self.searcher.base.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url.to_string()
    }

    async fn ask(&self, request: Request, patience: Duration) -> Result<SearchReply, SearchError> {
        let name = self.searcher.backend.name();
        let policy =
            self.policy().ok_or_else(|| SearchError::Internal("the searcher has no host".to_owned()))?;
        let limits = Limits { first_byte: patience, body_bytes: 2 << 20, ..Limits::default() };
        let answer = self.egress.fetch(request, &policy, &limits).await;
        let answer =
            answer.map_err(|error| SearchError::Failed(format!("{name} could not be reached: {error}")))?;
        let status = answer.status;
        let text = String::from_utf8_lossy(&answer.body.read().await.bytes).into_owned();
        Ok(SearchReply { status, text })
    }

    /// As JSON, or what is wrong.
    async fn ask_json(&self, request: Request, patience: Duration) -> Result<Value, SearchError> {
        let said = self.ask(request, patience).await?;
        let name = self.searcher.backend.name();
        match said.status {
            200 => serde_json::from_str(&said.text)
                .map_err(|_| SearchError::Failed(format!("The answer of {name} cannot be read."))),
            401 | 403 => Err(SearchError::Failed(format!(
                "{name} refused the search (status {}): its key is wrong or has no access. The owner can check [search] in majordomo.toml.",
                said.status
            ))),
            429 => {
                Err(SearchError::Failed(format!("{name} was asked too often. Wait before the next search.")))
            }
            status => {
                Err(SearchError::Failed(format!("{name} answered with status {status}. Try again later.")))
            }
        }
    }
}

fn header(request: Request, name: &str, value: &str) -> Result<Request, SearchError> {
    request.header(name, value).map_err(|_| SearchError::Internal(format!("{name} cannot be sent")))
}

fn text_of(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

/// The search, for a call.
pub(crate) struct CallSearch {
    pub(crate) engine: Engine,
    /// Whose money a search would take.
    pub(crate) user: UserId,
    pub(crate) agent: Agent,
    pub(crate) session: SessionId,
    pub(crate) turn: TurnId,
}

impl CallSearch {
    /// A search that asks a model is a request to one.
    async fn counted(
        &self,
        searcher: &Searcher,
        egress: &Egress,
        query: &str,
        limit: usize,
    ) -> Result<SearchResults, SearchError> {
        let mut tally = SearchTally::default();
        if searcher.backend != SearchBackend::Anthropic {
            return searcher.search(egress, query, limit, &mut tally).await;
        }
        let unwritten = |error: store::Error| {
            SearchError::Failed(format!("The cost of the search could not be saved: {error}"))
        };
        let noted = SearchRow::begin(self, &searcher.model).await.map_err(unwritten)?;
        let found = searcher.search(egress, query, limit, &mut tally).await;
        noted.end(found.is_ok(), &tally).await.map_err(unwritten)?;
        found
    }

    /// THREAT[money-06]: a searcher that asks a model spends what nobody has held back.
    async fn check_budget(&self, searcher: &Searcher) -> Result<(), SearchError> {
        if searcher.backend != SearchBackend::Anthropic {
            return Ok(());
        }
        let (engine, user, agent) = (self.engine.clone(), self.user, self.agent.clone());
        let read = move |tx: &mut Tx| engine.person_with_budget(tx, user, &agent);
        match self.engine.store().read(read).await {
            Ok(None) => Ok(()),
            Ok(Some(_)) => Err(SearchError::Failed(BUDGETED.to_owned())),
            Err(error) => Err(SearchError::Failed(format!("The budget could not be read: {error}"))),
        }
    }
}

#[async_trait]
impl WebSearch for CallSearch {
    async fn search(&self, query: &str, limit: usize) -> Result<SearchResults, SearchError> {
        let outside = &self.engine.inner.settings.outside;
        let (Some(egress), Some(searcher)) = (&outside.egress, &outside.searcher) else {
            return Err(SearchError::Failed(
                "Web search is not set up. Ask the owner to choose a search service: `backend` in the section [search] of majordomo.toml."
                    .to_owned(),
            ));
        };
        self.check_budget(searcher).await?;
        let mut found = self.counted(searcher, egress, query, limit).await?;
        found.hits.retain(|hit| hit.url.starts_with("https://") || hit.url.starts_with("http://"));
        // The tool shortens what was found: a half of a secret would be none.
        let masked = self.engine.secrets_masked();
        for hit in &mut found.hits {
            hit.title = masked(std::mem::take(&mut hit.title));
            hit.snippet = masked(std::mem::take(&mut hit.snippet));
        }
        found.answer = found.answer.map(masked);
        Ok(found)
    }
}

#[cfg(test)]
#[path = "web_search_tests.rs"]
mod tests;
