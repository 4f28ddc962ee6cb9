//! The list of models that `GET /v1/models` answers with.

use crate::{
    accepts::Thinking,
    vendors::listed::{ListedModel, MAX_MODELS, name},
};
use serde_json::Value;

/// `None` when this is no model list.
pub(crate) fn model_list(body: &[u8]) -> Option<Vec<ListedModel>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    body.get("data")?.as_array()?.iter().take(MAX_MODELS).map(listed).collect()
}

fn listed(entry: &Value) -> Option<ListedModel> {
    let count = |field: &str| entry.get(field).and_then(Value::as_u64).filter(|count| *count > 0);
    let supported =
        |of: &str| entry.pointer(&format!("/capabilities/{of}/supported")).and_then(Value::as_bool);
    let thinking = match (
        supported("thinking"),
        supported("thinking/types/adaptive"),
        supported("thinking/types/enabled"),
    ) {
        (Some(false), _, _) => Some(Thinking::Fixed),
        (_, _, Some(true)) => Some(Thinking::Budget),
        // Whether it can be kept from thinking is not said.
        (_, Some(true), _) => Some(Thinking::Adaptive { always: true }),
        _ => None,
    };
    Some(ListedModel {
        name: name(entry)?,
        window: count("max_input_tokens"),
        max_output: count("max_tokens"),
        price: None,
        images: supported("image_input"),
        thinking,
    })
}

#[cfg(test)]
#[path = "models_tests.rs"]
mod tests;
