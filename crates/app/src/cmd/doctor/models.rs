//! Who answers, and with which models.

use super::report::Report;
use crate::{assemble::models_settings, config::Config, terminal::sentence};
use provider::{DEMO, Models, ProviderStatus, Reachability};
use store::providers::StoredProvider;

/// Names shown of a long list.
const SHOWN: usize = 8;

pub async fn models(report: &mut Report, config: &Config, stored: Vec<StoredProvider>) {
    let models = Models::new(models_settings(config));
    models.set_stored(stored.into_iter().filter_map(engine::provider_settings).collect());
    models.discover().await;
    for provider in models.providers() {
        one(report, &provider);
    }
    if !models.providers().is_empty() {
        report.unchecked(
            "whether the models answer and what they cost (only the lists of models were fetched)",
        );
    }
    match models.resolve(None) {
        Ok(model) if model.id() == DEMO && !config.defaults.is_demo() => report.notable(
            "The default model is demo, a script. No real model answers.",
            "Add a provider on the page, set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or write a [provider.NAME] section in majordomo.toml.",
        ),
        Ok(model) => report.good(format!("The default model is {}.", model.id())),
        Err(error) => report.bad(sentence(&format!("The default model cannot be used: {error}")), error.advice()),
    }
}

fn one(report: &mut Report, provider: &ProviderStatus) {
    let key = if provider.has_api_key { "with a key" } else { "without a key" };
    let head = format!("Provider {} at {} {key} ({})", provider.name, provider.base_url, provider.source);
    match provider.status {
        Reachability::Reachable if provider.models.is_empty() => {
            report.notable(format!("{head} answers, but has no model."), "Load a model there.");
        }
        Reachability::Reachable => report.good(format!("{head}: {}", shortened(&provider.models))),
        Reachability::Failed | Reachability::Unknown => {
            let detail = provider.detail.as_deref().unwrap_or("it was not contacted");
            let advice = provider.advice.as_deref().unwrap_or_default();
            report.bad(sentence(&format!("{head} does not answer: {detail}")), advice);
        }
    }
}

fn shortened(models: &[String]) -> String {
    let mut names: Vec<&str> = models.iter().take(SHOWN).map(String::as_str).collect();
    let more = format!("and {} more", models.len().saturating_sub(SHOWN));
    if models.len() > SHOWN {
        names.push(&more);
    }
    names.join(", ")
}
