//! The model of agents that have none of their own. An admin chooses it; otherwise it is that of the settings file, or the first
//! model that was found.

use crate::{engine::Engine, error::Result};
use people::Principal;
use provider::DefaultModel;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::{
    Tx,
    audit::{self, Action},
    house, providers,
};

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DefaultModelFields {
    /// `provider/model`, or `demo`. Null goes back to the settings file, or to the first model found; it has to be said.
    #[serde(deserialize_with = "Option::deserialize")]
    #[schemars(required, schema_with = "super::house_prompt::text_or_null")]
    pub model: Option<String>,
}

impl Engine {
    /// As it is now, whichever process changed it.
    pub async fn default_model(&self) -> Result<DefaultModel> {
        self.refresh_models().await?;
        Ok(self.models().default_model())
    }

    /// It decides what every agent without a model costs and who reads what it is told, so it is written down who did it.
    pub async fn set_default_model(
        &self,
        principal: &Principal,
        fields: DefaultModelFields,
    ) -> Result<DefaultModel> {
        self.refresh_models().await?;
        let model = match &fields.model {
            Some(model) => Some(self.known_model(model)?),
            None => None,
        };
        let (actor, user) = (principal.actor(), Some(principal.user_id));
        let detail = json!({ "model": model });
        let entry = self.entry(actor, user, Action::HouseChanged, house::DEFAULT_MODEL, detail);
        let engine = self.clone();
        self.undisturbed(async move {
            let (vault, now) = (engine.store().vault().clone(), entry.at);
            let write = move |tx: &mut Tx| {
                providers::set_default_model(tx, &vault, model.as_deref(), now)?;
                audit::append(tx, &vault, entry)
            };
            engine.store().write(write).await?;
            engine.restore_house().await?;
            Ok(engine.models().default_model())
        })
        .await
    }
}
