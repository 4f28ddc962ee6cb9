//! A model as its server describes it.

use crate::{Price, accepts::Thinking};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListedModel {
    pub(crate) name: String,
    pub(crate) window: Option<u64>,
    pub(crate) max_output: Option<u64>,
    pub(crate) price: Option<Price>,
    pub(crate) images: Option<bool>,
    pub(crate) thinking: Option<Thinking>,
}

pub(crate) const MAX_MODELS: usize = 5_000;
const MAX_NAME_BYTES: usize = 300;

/// The name of an entry, if it can be one.
pub(crate) fn name(entry: &serde_json::Value) -> Option<String> {
    let name = entry.get("id")?.as_str()?;
    (!name.is_empty() && name.len() <= MAX_NAME_BYTES).then(|| name.to_owned())
}
