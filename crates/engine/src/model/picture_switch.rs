//! Which models see pictures, where a person knows it better: a switch per model of a provider.

use crate::{
    engine::Engine,
    error::{Error, Result},
    model::providers::{MODELS, TEXT_CHARS},
};
use domain::{UserId, is_name};
use provider::{Origin, ProviderSettings, ProviderStatus};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use store::{
    Tx,
    audit::{self, Action, AuditEntry},
    providers::{self, StoredProvider},
};

/// What can be changed of a provider without saying the rest of it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderChange {
    /// Single models, by their names: `true` = it sees pictures, `false` = it does not, null = what is known. Models that are not
    /// named stay as they are.
    pub images: BTreeMap<String, Option<bool>>,
}

impl Engine {
    /// A provider that was found, or whose address alone is in the environment, is stored by this.
    pub async fn change_provider(
        &self,
        actor: UserId,
        name: String,
        change: ProviderChange,
    ) -> Result<ProviderStatus> {
        if change.images.len() > MODELS || change.images.keys().any(|name| !is_name(name, TEXT_CHARS)) {
            let detail =
                "images: There are too many models, or a name is empty, too long or has control characters.";
            return Err(Error::invalid("bad_provider", detail));
        }
        self.refresh_models().await?;
        self.check_changeable(&name)?;
        let configured = self.models().settings_of(&name).ok_or(Error::NotFound("provider"))?;
        let from_environment = configured.origin == Origin::Environment && configured.api_key.is_some();
        if from_environment {
            let detail = format!(
                "The key of the provider {name} comes from the environment. Write `images` into [provider.{name}] in \
                 majordomo.toml, or add the provider on the page."
            );
            return Err(Error::conflict("provider_fixed", detail));
        }
        let engine = self.clone();
        self.undisturbed(async move {
            engine.save_images(actor, configured, change).await?;
            engine.restore_house().await?;
            engine.models().ask(&name).await.ok_or(Error::NotFound("provider"))
        })
        .await
    }

    async fn save_images(
        &self,
        actor: UserId,
        configured: ProviderSettings,
        change: ProviderChange,
    ) -> Result<()> {
        let (vault, now) = (self.store().vault().clone(), self.now());
        let save = move |tx: &mut Tx| {
            let stored = providers::get(tx, &vault, &configured.name)?;
            let mut provider = stored.unwrap_or_else(|| taken_over(configured));
            let detail = json!({ "images": change.images });
            for (model, sees) in change.images {
                match sees {
                    Some(sees) => provider.images.insert(model, sees),
                    None => provider.images.remove(&model),
                };
            }
            // Sent again and again under new names it must not grow without end.
            if provider.images.len() > MODELS {
                return Ok(false);
            }
            providers::put(tx, &vault, &provider, now)?;
            let who = actor.to_string();
            let entry =
                AuditEntry::new(now, who, Some(actor), Action::ProviderChanged, provider.name, detail);
            audit::append(tx, &vault, entry).map(|_| true)
        };
        match self.store().write(save).await? {
            true => Ok(()),
            false => Err(Error::invalid("bad_provider", "images: There are too many models.")),
        }
    }
}

/// A provider without a key, which was found or is in the environment.
fn taken_over(configured: ProviderSettings) -> StoredProvider {
    StoredProvider {
        name: configured.name,
        wire: configured.wire.as_str().to_owned(),
        base_url: configured.base_url,
        api_key: None,
        models: configured.models,
        free: configured.free,
        prices: serde_json::to_value(configured.prices).unwrap_or_default(),
        images: configured.images,
    }
}
