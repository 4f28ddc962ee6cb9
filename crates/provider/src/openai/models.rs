//! The list of models a server answers `GET …/models` with.

use crate::{
    Price,
    vendors::listed::{ListedModel, MAX_MODELS, name},
};
use serde_json::Value;

/// Servers name the window differently; the first that is there counts.
const WINDOW_FIELDS: [&str; 6] = [
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/loaded_context_length",
    "/meta/n_ctx_train",
];

/// `None` when this is no model list: whatever answers on a port that we only guessed must not be taken for a model.
pub(crate) fn model_list(body: &[u8]) -> Option<Vec<ListedModel>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let data = body.get("data")?;
    if body.get("object").is_some_and(|object| object != "list") {
        return None;
    }
    // Ollama without a model answers `"data": null`.
    if data.is_null() && body.get("object").is_some() {
        return Some(Vec::new());
    }
    data.as_array()?.iter().take(MAX_MODELS).map(listed).collect()
}

fn listed(entry: &Value) -> Option<ListedModel> {
    let window = WINDOW_FIELDS.iter().find_map(|field| entry.pointer(field)?.as_u64()).filter(|n| *n > 0);
    let (price, images) = (price(entry), images(entry));
    Some(ListedModel { name: name(entry)?, window, price, images, ..ListedModel::default() })
}

/// `OpenRouter` lists what goes in.
fn images(entry: &Value) -> Option<bool> {
    let modalities = entry.pointer("/architecture/input_modalities")?.as_array()?;
    Some(modalities.iter().any(|modality| modality == "image"))
}

/// `OpenRouter`'s form: US dollars per token, as decimal strings.
fn price(entry: &Value) -> Option<Price> {
    let pricing = entry.get("pricing")?;
    let field = |name: &str| pricing.get(name).and_then(Value::as_str).and_then(per_million);
    Some(Price {
        input: field("prompt")?,
        cached: field("input_cache_read"),
        stored: field("input_cache_write"),
        output: field("completion")?,
    })
}

fn per_million(dollars_per_token: &str) -> Option<u64> {
    let dollars: f64 = dollars_per_token.parse().ok()?;
    // A thousand dollars per token is no price; nor is less than nothing, which stands for "depends".
    if !(0.0..1_000.0).contains(&dollars) {
        return None;
    }
    format!("{:.0}", dollars * 1e12).parse().ok()
}

#[cfg(test)]
#[path = "models_tests.rs"]
mod tests;
