//! Providers from the variables that the vendors' own SDKs read.

use crate::{Origin, Price, Prices, ProviderSettings, Wire, vendors::Vendors};
use secrecy::SecretString;
use std::collections::BTreeMap;

/// Reads `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OLLAMA_HOST`. An empty
/// variable is an absent one.
pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> Vec<ProviderSettings> {
    let variable =
        |name: &str| lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let vendor = |name: &str, wire: Wire, prefix: &str| {
        let (key_name, url_name) = (format!("{prefix}_API_KEY"), format!("{prefix}_BASE_URL"));
        let (key, base_url) = (variable(&key_name), variable(&url_name));
        let source = match (&key, &base_url) {
            (Some(_), Some(_)) => format!("environment variables {key_name} and {url_name}"),
            (Some(_), None) => format!("environment variable {key_name}"),
            (None, Some(_)) => format!("environment variable {url_name}"),
            (None, None) => return None,
        };
        let base_url = base_url.or_else(|| usual_address(name))?;
        Some(provider(name, wire, base_url, key, source))
    };
    let ollama = variable("OLLAMA_HOST").map(|host| {
        let source = "environment variable OLLAMA_HOST".to_owned();
        provider("ollama", Wire::OpenAi, ollama_url(&host), None, source)
    });
    let anthropic = vendor("anthropic", Wire::Anthropic, "ANTHROPIC");
    let openai = vendor("openai", Wire::OpenAi, "OPENAI");
    anthropic.into_iter().chain(openai).chain(ollama).collect()
}

/// Where a vendor's own SDK would send its requests.
pub fn usual_address(name: &str) -> Option<String> {
    let vendor = Vendors::get().by_name(name).map(|vendor| vendor.base_url.clone());
    vendor.or_else(|| (name == "ollama").then(|| ollama_url("127.0.0.1")))
}

/// What a vendor takes for a model of its own.
pub fn known_price(vendor: &str, model: &str) -> Option<Price> {
    Vendors::get().by_name(vendor)?.model(model)?.price
}

/// The wire that a vendor's own address speaks.
pub fn usual_wire(name: &str) -> Option<Wire> {
    Vendors::get().by_name(name).map(|vendor| vendor.wire)
}

fn provider(
    name: &str,
    wire: Wire,
    base_url: String,
    key: Option<String>,
    source: String,
) -> ProviderSettings {
    ProviderSettings {
        name: name.to_owned(),
        wire,
        base_url,
        api_key: key.map(SecretString::from),
        models: Vec::new(),
        free: None,
        prices: Prices::default(),
        images: BTreeMap::new(),
        origin: Origin::Environment,
        source,
    }
}

/// Ollama reads the same variable as the address it listens on, so it may be `0.0.0.0`, `:11434` or a bare host.
fn ollama_url(host: &str) -> String {
    let (scheme, rest, usual_port) = match host.split_once("://") {
        Some(("https", rest)) => ("https", rest, ""),
        Some((_, rest)) => ("http", rest, ""),
        None => ("http", host, ":11434"),
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let authority = match authority {
        // A lone IPv6 address has colons of its own.
        bare if bare.matches(':').count() > 1 && !bare.starts_with('[') => format!("[{bare}]"),
        other => other.to_owned(),
    };
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, format!(":{port}")),
        _ => (authority.as_str(), usual_port.to_owned()),
    };
    let name = match name {
        "" | "0.0.0.0" => "127.0.0.1",
        "[::]" => "[::1]",
        name => name,
    };
    let path = path.trim_matches('/');
    let slash = if path.is_empty() { "" } else { "/" };
    let version = if path == "v1" || path.ends_with("/v1") { "" } else { "/v1" };
    format!("{scheme}://{name}{port}{slash}{path}{version}")
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
