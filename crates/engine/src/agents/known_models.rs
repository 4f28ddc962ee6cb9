//! What admins have stored for every agent, as this process knows it: providers, the default model, and the words that all are told.
//!
//! Kept in memory under a version that is read together with every agent, so a turn asks the database nothing more for it; what
//! another process on the same database has changed is seen with the next turn, and with the next look at the lists.

use crate::{engine::Engine, error::Result};
use domain::Agent;
use provider::{Models, Origin, ProviderSettings, StoredSettings, Wire};
use store::{
    Store, Tx, house,
    providers::{self, StoredModels, StoredProvider},
};

/// Puts the stored providers and the default model in force, before the first model is asked for.
pub async fn restore_models(store: &Store, models: &Models) -> Result<()> {
    let vault = store.vault().clone();
    let stored = store.read(move |tx: &mut Tx| providers::stored(tx, &vault)).await?;
    put_in_force(models, stored);
    Ok(())
}

fn put_in_force(models: &Models, stored: StoredModels) {
    if stored.unreadable > 0 {
        tracing::warn!(count = stored.unreadable, "stored providers cannot be read; they count as missing");
    }
    models.set_stored(stored_settings(stored));
}

/// What is stored, as the catalogue takes it.
pub fn stored_settings(stored: StoredModels) -> StoredSettings {
    StoredSettings {
        version: stored.version,
        providers: stored.providers.into_iter().filter_map(provider_settings).collect(),
        default_model: stored.default_model,
    }
}

/// A stored provider as the catalogue takes it; none of a wire that this program does not speak.
pub(crate) fn provider_settings(stored: StoredProvider) -> Option<ProviderSettings> {
    Some(ProviderSettings {
        wire: Wire::parse(&stored.wire)?,
        name: stored.name,
        base_url: stored.base_url,
        api_key: stored.api_key,
        models: stored.models,
        free: stored.free,
        // One that cannot be read is unknown, and asked about where there is a budget.
        prices: serde_json::from_value(stored.prices).unwrap_or_default(),
        images: stored.images,
        origin: Origin::Stored,
        source: "added by an admin on the page".to_owned(),
    })
}

impl Engine {
    /// What is stored for every agent, as it was when this one was read, or newer.
    pub(crate) async fn keep_up_with(&self, agent: &Agent) -> Result<()> {
        self.models_since(agent.models_version).await
    }

    /// The same as it is now, for what people look at.
    pub async fn refresh_models(&self) -> Result<()> {
        let version = self.store().glance(|tx: &mut Tx| house::version(tx, house::MODELS)).await?;
        self.models_since(version).await
    }

    async fn models_since(&self, version: u64) -> Result<()> {
        if version <= self.models().version() {
            return Ok(());
        }
        self.restore_house().await?;
        // A provider that another process has added: its models can be used before it has listed them.
        let models = self.models().clone();
        self.spawn("list the models of new providers", async move { models.ask_new().await });
        Ok(())
    }

    /// Puts everything that is stored for every agent in force, all of it from one read: the version that is kept stands for the words as
    /// well as for the models, so it must not be newer than either.
    pub(crate) async fn restore_house(&self) -> Result<()> {
        let vault = self.store().vault().clone();
        let read = move |tx: &mut Tx| {
            let stored = providers::stored(tx, &vault)?;
            Ok((stored, house::get(tx, &vault, house::CUSTOM_PROMPT)?))
        };
        let (stored, words) = self.store().read(read).await?;
        // The words before the version that says that they are known.
        self.set_house_prompt(stored.version, words);
        put_in_force(self.models(), stored);
        Ok(())
    }
}
