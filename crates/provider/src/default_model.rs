//! Which model agents use that have none of their own, and who said so.

use crate::{DEMO, ErrorKind, Model, ProviderError, ProviderSettings, catalog::Models};
use schemars::JsonSchema;
use serde::Serialize;

/// What admins have stored about models; it comes and goes while the program runs.
#[derive(Clone, Debug, Default)]
pub struct StoredSettings {
    /// Grows with every change of the rest.
    pub version: u64,
    pub providers: Vec<ProviderSettings>,
    /// `provider/model`, or `demo`.
    pub default_model: Option<String>,
}

/// Who said which model is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefaultSource {
    /// An admin, on the page or over HTTP.
    Chosen,
    /// `[defaults] model` in `majordomo.toml`, or the variable that stands for it.
    File,
    /// It was not said: the first model that was found.
    Found,
    /// It was not said, and no model was found.
    Demo,
}

/// The model of agents that have none of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DefaultModel {
    /// `provider/model`, or `demo`.
    pub model: String,
    pub source: DefaultSource,
    /// What is used when no admin has chosen one: the model of the settings file. Null: the first model found.
    pub configured: Option<String>,
    /// Why it cannot be used, for instance because its provider was removed. Then agents without a model of their own do not
    /// answer: no other model is taken for it.
    pub problem: Option<String>,
}

impl Models {
    pub fn default_model(&self) -> DefaultModel {
        let (named, source) = self.named_default();
        let resolved = self.resolve(None);
        let source = match (&named, &resolved) {
            (None, Ok(model)) if model.id() == DEMO => DefaultSource::Demo,
            _ => source,
        };
        let problem = resolved.as_ref().err().map(|error| error.detail.clone());
        let found = resolved.as_ref().map_or(DEMO, Model::id).to_owned();
        let model = if problem.is_some() { named.unwrap_or(found) } else { found };
        DefaultModel { model, source, configured: self.configured_default(), problem }
    }
}

/// The default model cannot be used. Another model is not taken for it: it may cost more, and its vendor would read what
/// was meant for this one.
pub(crate) fn unusable(error: ProviderError) -> ProviderError {
    if error.kind != ErrorKind::UnknownModel {
        return error;
    }
    let detail = error.detail.replacen("the model", "the default model", 1);
    let detail = format!("{detail}; an admin can choose another one in Settings, Models");
    ProviderError::new(ErrorKind::UnknownModel, detail)
}
