//! Who answers, and with which models.

use super::report::Report;
use crate::{assemble::models_settings, config::Config, terminal::sentence};
use provider::{DEMO, DefaultModel, DefaultSource, Models, ProviderStatus, Reachability};
use store::providers::StoredModels;

/// Names shown of a long list.
const SHOWN: usize = 8;

pub async fn models(report: &mut Report, config: &Config, stored: StoredModels) {
    let models = Models::new(models_settings(config));
    models.set_stored(engine::stored_settings(stored));
    models.discover().await;
    for provider in models.providers() {
        one(report, &provider);
    }
    if !models.providers().is_empty() {
        report.unchecked(
            "whether the models answer and what they cost (only the lists of models were fetched)",
        );
    }
    default_model(report, config, &models);
}

/// Which model agents without one use, and who said so.
fn default_model(report: &mut Report, config: &Config, models: &Models) {
    let DefaultModel { model, source, configured, problem } = models.default_model();
    let from = match (source, &config.defaults.model) {
        (DefaultSource::Chosen, _) => match configured {
            Some(file) => {
                format!("chosen by an admin on the page; [defaults] model = \"{file}\" is not used")
            }
            None => "chosen by an admin on the page".to_owned(),
        },
        (DefaultSource::File, Some(setting)) => setting.origin.to_string(),
        (DefaultSource::File, None) => "majordomo.toml".to_owned(),
        (DefaultSource::Found | DefaultSource::Demo, _) => "the first model that was found".to_owned(),
    };
    match (problem, source) {
        (Some(problem), _) => report.bad(
            sentence(&format!("The default model {model} ({from}) cannot be used: {problem}")),
            "Agents without a model of their own do not answer. Choose another default model in Settings, Models.",
        ),
        (None, DefaultSource::Demo) => report.notable(
            "The default model is demo, a script. No real model answers.",
            "Add a provider on the page, set ANTHROPIC_API_KEY or OPENAI_API_KEY, start Ollama, or write a [provider.NAME] section in majordomo.toml.",
        ),
        (None, DefaultSource::Chosen) if model == DEMO => report.notable(
            format!("The default model is demo, a script ({from})."),
            "Choose a real model in Settings, Models.",
        ),
        (None, _) => report.good(format!("The default model is {model} ({from}).")),
    }
}

fn one(report: &mut Report, provider: &ProviderStatus) {
    let key = if provider.has_api_key { "with a key" } else { "without a key" };
    let head = format!("Provider {} at {} {key} ({})", provider.name, provider.base_url, provider.source);
    match provider.status {
        Reachability::Reachable if provider.models.is_empty() => {
            report.notable(format!("{head} answers, but offers no model."), "Load a model there.");
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
