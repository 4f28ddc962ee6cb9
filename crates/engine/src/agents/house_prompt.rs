//! What is set for the whole server.

use crate::{
    engine::Engine,
    error::{Error, Result},
};
use people::Principal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::{Arc, PoisonError, RwLock};
use store::{
    Tx,
    audit::{self, Action},
    house,
};

const PROMPT_BYTES: usize = 1 << 20;

/// What is set for the whole server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct House {
    /// What is added to every agent's prompt.
    pub custom_prompt: String,
    /// Whether it was set here; else it is that of the configuration.
    pub is_set: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HouseFields {
    /// Null goes back to that of the configuration; it has to be said.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schemars(required, schema_with = "text_or_null")]
    pub custom_prompt: Option<String>,
}

pub(super) fn text_or_null(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["string", "null"] })
}

/// What the house adds to every prompt, where it was set here.
#[derive(Default)]
struct HousePrompt(RwLock<KnownWords>);

#[derive(Default)]
struct KnownWords {
    /// Of everything that is stored for every agent, when these words were read.
    version: u64,
    words: Option<Arc<str>>,
}

impl HousePrompt {
    fn words(&self) -> Option<Arc<str>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).words.clone()
    }

    /// Of two that were read at the same time the newer one stays.
    fn set(&self, version: u64, words: Option<String>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if version >= known.version {
            *known = KnownWords { version, words: words.map(Arc::from) };
        }
    }
}

impl Engine {
    pub fn house(&self) -> House {
        let is_set = self.house_prompt().is_some();
        House { custom_prompt: self.custom_prompt().to_string(), is_set }
    }

    /// It changes what every agent of everybody is told, so it is written down who did it.
    pub async fn change_house(&self, principal: &Principal, fields: HouseFields) -> Result<House> {
        let words = fields.custom_prompt;
        if words.as_ref().is_some_and(|words| words.len() > PROMPT_BYTES) {
            return Err(Error::TooLarge("custom_prompt is too long. The limit is 1 MB.".to_owned()));
        }
        let detail = json!({ "characters": words.as_ref().map(|words| words.chars().count()) });
        let (actor, user) = (principal.actor(), Some(principal.user_id));
        let entry = self.entry(actor, user, Action::HouseChanged, house::CUSTOM_PROMPT, detail);
        let engine = self.clone();
        self.undisturbed(async move {
            let (vault, now) = (engine.store().vault().clone(), entry.at);
            let write = move |tx: &mut Tx| {
                house::put(tx, &vault, house::CUSTOM_PROMPT, words.as_deref(), now)?;
                house::raise(tx, &vault, house::MODELS, now)?;
                audit::append(tx, &vault, entry)
            };
            engine.store().write(write).await?;
            // Another process may have changed it since: what is kept is what was read with its version.
            engine.restore_house().await?;
            Ok(engine.house())
        })
        .await
    }

    /// What the house adds to every prompt.
    pub(crate) fn custom_prompt(&self) -> Arc<str> {
        self.house_prompt().unwrap_or_else(|| Arc::from(self.inner.settings.prompt.custom.as_str()))
    }

    fn house_prompt(&self) -> Option<Arc<str>> {
        self.state::<HousePrompt>().words()
    }

    pub(super) fn set_house_prompt(&self, version: u64, words: Option<String>) {
        self.state::<HousePrompt>().set(version, words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_read_earlier_and_come_later_change_nothing() {
        let prompt = HousePrompt::default();
        prompt.set(7, Some("new".to_owned()));
        prompt.set(6, Some("old".to_owned()));
        assert_eq!(prompt.words().as_deref(), Some("new"));
        prompt.set(7, None);
        assert_eq!(prompt.words(), None);
    }
}
