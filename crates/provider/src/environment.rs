//! Providers from the variables that the vendors' own SDKs read.

use crate::{ProviderSettings, Wire, vendors::Vendors};
use secrecy::SecretString;

/// What the environment says about providers.
#[derive(Clone, Debug, Default)]
pub struct FromEnvironment {
    pub providers: Vec<ProviderSettings>,
    /// What was found and cannot be used, for `doctor`. Names of variables, never their values.
    pub notes: Vec<String>,
}

/// Reads `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `OLLAMA_HOST`; notes `ANTHROPIC_*`. An empty variable is an absent one.
pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> FromEnvironment {
    let variable =
        |name: &str| lookup(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let mut found = FromEnvironment::default();
    found.providers.extend(openai(variable("OPENAI_API_KEY"), variable("OPENAI_BASE_URL")));
    found.providers.extend(
        variable("OLLAMA_HOST")
            .map(|host| provider("ollama", ollama_url(&host), None, "environment variable OLLAMA_HOST")),
    );
    for name in ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"] {
        if variable(name).is_some() {
            found.notes.push(format!(
                "{name} is set, but the wire format `anthropic` is not supported yet; \
                 an OpenAI-compatible address can be configured instead"
            ));
        }
    }
    found
}

fn openai(key: Option<String>, base_url: Option<String>) -> Option<ProviderSettings> {
    let source = match (&key, &base_url) {
        (Some(_), Some(_)) => "environment variables OPENAI_API_KEY and OPENAI_BASE_URL",
        (Some(_), None) => "environment variable OPENAI_API_KEY",
        (None, Some(_)) => "environment variable OPENAI_BASE_URL",
        (None, None) => return None,
    };
    let usual = || Vendors::get().by_name("openai").map(|vendor| vendor.base_url.clone()).unwrap_or_default();
    Some(provider("openai", base_url.unwrap_or_else(usual), key, source))
}

fn provider(name: &str, base_url: String, key: Option<String>, source: &str) -> ProviderSettings {
    ProviderSettings {
        name: name.to_owned(),
        wire: Wire::OpenAi,
        base_url,
        api_key: key.map(SecretString::from),
        models: Vec::new(),
        free: None,
        source: source.to_owned(),
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
