//! Asking Ollama and other servers which models they have.

use crate::{
    ErrorKind, Origin, Prices, ProviderError, ProviderSettings, Wire, anthropic,
    http::endpoint::Endpoint,
    openai,
    vendors::{LocalServer, listed::ListedModel},
};
use domain::is_name;
use futures_util::future::join_all;
use std::{collections::BTreeMap, time::Duration};
use tokio::time::timeout;

const MAX_LIST: usize = 8 * 1024 * 1024;
const NAME_CHARS: usize = 300;
/// For a server that the owner configured.
const CONFIGURED: Duration = Duration::from_secs(10);
/// For a local port that is only guessed: a server that is meant answers at once.
const GUESSED: Duration = Duration::from_secs(1);

/// The models of one server.
pub(crate) async fn ask(endpoint: &Endpoint) -> Result<Vec<ListedModel>, ProviderError> {
    ask_within(endpoint, CONFIGURED).await
}

async fn ask_within(endpoint: &Endpoint, limit: Duration) -> Result<Vec<ListedModel>, ProviderError> {
    let body = timeout(limit, endpoint.models(MAX_LIST)).await.unwrap_or_else(|_| {
        let detail = format!("{} did not answer for {} seconds", endpoint.shown_url(), limit.as_secs());
        Err(ProviderError::new(ErrorKind::Stalled, detail))
    })?;
    let list = match endpoint.wire() {
        Wire::OpenAi => openai::model_list(&body),
        Wire::Anthropic => anthropic::model_list(&body),
    };
    // A name that could not be stored or shown cannot be chosen either.
    let list =
        list.map(|models| models.into_iter().filter(|model| is_name(&model.name, NAME_CHARS)).collect());
    list.ok_or_else(|| {
        let detail = format!("the answer of {}/models is not a list of models", endpoint.shown_url());
        ProviderError::new(ErrorKind::Protocol, detail)
    })
}

/// The servers that answer on their usual local ports, in the order of the data.
pub(crate) async fn probe(
    servers: &[LocalServer],
    stall: Duration,
) -> Vec<(ProviderSettings, Vec<ListedModel>)> {
    let probes = servers.iter().map(|server| probe_one(local_settings(server), stall));
    join_all(probes).await.into_iter().flatten().collect()
}

async fn probe_one(
    settings: ProviderSettings,
    stall: Duration,
) -> Option<(ProviderSettings, Vec<ListedModel>)> {
    let endpoint = Endpoint::new(&settings, stall).ok()?;
    let models = ask_within(&endpoint, GUESSED).await.ok()?;
    Some((settings, models))
}

fn local_settings(server: &LocalServer) -> ProviderSettings {
    ProviderSettings {
        name: server.name.clone(),
        wire: Wire::OpenAi,
        base_url: server.base_url(),
        api_key: None,
        models: Vec::new(),
        free: None,
        prices: Prices::default(),
        images: BTreeMap::new(),
        origin: Origin::Found,
        source: format!("found on local port {}", server.port),
    }
}

#[cfg(test)]
#[path = "discover_ollama_and_others_tests.rs"]
mod tests;
