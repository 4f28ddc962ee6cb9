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
struct HousePrompt(RwLock<Option<Arc<str>>>);

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
            let (vault, now, stored) = (engine.store().vault().clone(), entry.at, words.clone());
            let write = move |tx: &mut Tx| {
                house::put(tx, &vault, house::CUSTOM_PROMPT, stored.as_deref(), now)?;
                house::raise(tx, &vault, house::MODELS, now)?;
                audit::append(tx, &vault, entry)
            };
            engine.store().write(write).await?;
            engine.set_house_prompt(words);
            Ok(engine.house())
        })
        .await
    }

    /// When the engine starts, and when another process has changed it: turns look into memory only.
    pub(crate) async fn load_house(&self) -> Result<()> {
        let vault = self.store().vault().clone();
        let read = move |tx: &mut Tx| house::get(tx, &vault, house::CUSTOM_PROMPT);
        self.set_house_prompt(self.store().read(read).await?);
        Ok(())
    }

    /// What the house adds to every prompt.
    pub(crate) fn custom_prompt(&self) -> Arc<str> {
        self.house_prompt().unwrap_or_else(|| Arc::from(self.inner.settings.prompt.custom.as_str()))
    }

    fn house_prompt(&self) -> Option<Arc<str>> {
        self.state::<HousePrompt>().0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_house_prompt(&self, words: Option<String>) {
        let words = words.map(Arc::from);
        *self.state::<HousePrompt>().0.write().unwrap_or_else(PoisonError::into_inner) = words;
    }
}
