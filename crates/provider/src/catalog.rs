//! Which models there are, and which one is meant.

use crate::{
    DEMO, DefaultSource, ErrorKind, Model, ModelInfo, ModelsSettings, Origin, ProviderError,
    ProviderSettings, ProviderStatus, Reachability, StoredSettings, default_model, demo,
    provider::Provider,
    token_estimate::Gauges,
    vendors::{Vendors, discover_ollama_and_others},
};
use futures_util::future::join_all;
use secrecy::SecretString;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// All providers and their models. Cheap to clone; clones share what was discovered and what was changed.
#[derive(Clone, Debug)]
pub struct Models {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// What was configured at the start; what is stored comes and goes beside it.
    settings: ModelsSettings,
    providers: RwLock<Vec<Arc<Provider>>>,
    stored: RwLock<StoredNote>,
    gauges: Gauges,
}

/// What is kept of [`StoredSettings`] beside the providers.
#[derive(Debug, Default)]
struct StoredNote {
    version: u64,
    default_model: Option<String>,
}

impl Models {
    pub fn new(settings: ModelsSettings) -> Self {
        let provider = |provider: &ProviderSettings| Provider::new(provider.clone(), settings.stall, None);
        let providers = settings.providers.iter().map(provider).map(Arc::new).collect();
        Self {
            shared: Arc::new(Shared {
                settings,
                providers: RwLock::new(providers),
                stored: RwLock::default(),
                gauges: Gauges::default(),
            }),
        }
    }

    /// The keys of all providers, for the scrubber that keeps them out of sight.
    pub fn api_keys(&self) -> Vec<SecretString> {
        self.known().iter().filter_map(|provider| provider.settings.api_key.clone()).collect()
    }

    /// Asks every provider for its models and remembers the answers. When none is configured, looks at the usual local
    /// ports if the settings allow it. A provider that fails is remembered as failed; nothing fails here.
    pub async fn discover(&self) {
        let settings = &self.shared.settings;
        let known = self.known();
        let configured = known.iter().filter(|provider| provider.settings.origin != Origin::Found);
        let asking = join_all(configured.map(async |old| (Arc::clone(old), old.asked().await)));
        let probing = async {
            if settings.providers.is_empty() && settings.probe_local {
                return Some(discover_ollama_and_others::probe(&Vendors::get().local, settings.stall).await);
            }
            None
        };
        let (asked, found) = futures_util::future::join(asking, probing).await;
        let mut providers = self.change();
        for (old, new) in asked {
            replace(&mut providers, &old, new);
        }
        let Some(found) = found else { return };
        providers.retain(|provider| provider.settings.origin != Origin::Found);
        for (provider, models) in found {
            if !providers.iter().any(|known| known.settings.name == provider.name) {
                providers.push(Arc::new(Provider::new(provider, settings.stall, Some(Ok(models)))));
            }
        }
    }

    /// Asks one provider for its models and remembers the answer; `None` when there is no such provider.
    pub async fn ask(&self, name: &str) -> Option<ProviderStatus> {
        let old = self.known().into_iter().find(|provider| provider.settings.name == name)?;
        let new = old.asked().await;
        replace(&mut self.change(), &old, Arc::clone(&new));
        Some(new.status())
    }

    /// Asks a server that is not one of the providers, and may never be.
    pub async fn test(&self, settings: ProviderSettings) -> ProviderStatus {
        Provider::new(settings, self.shared.settings.stall, None).asked().await.status()
    }

    /// The version of what was stored, as far as it is known here.
    pub fn version(&self) -> u64 {
        self.shared.stored.read().unwrap_or_else(PoisonError::into_inner).version
    }

    /// Takes this as what is stored, instead of what was before; `false` when something newer is known already. Where the file
    /// names the same provider, the file wins; where the environment or chance does, the stored one.
    pub fn set_stored(&self, StoredSettings { version, providers, default_model }: StoredSettings) -> bool {
        // Held until the providers are set: of two changes the newer one stays.
        let mut note = self.shared.stored.write().unwrap_or_else(PoisonError::into_inner);
        if version < note.version {
            return false;
        }
        self.set_providers(providers);
        *note = StoredNote { version, default_model };
        true
    }

    /// Asks the providers that were not asked yet.
    pub async fn ask_new(&self) {
        let new: Vec<_> =
            self.providers().into_iter().filter(|p| p.status == Reachability::Unknown).collect();
        join_all(new.iter().map(|provider| self.ask(&provider.name))).await;
    }

    fn set_providers(&self, stored: Vec<ProviderSettings>) {
        let base = &self.shared.settings.providers;
        let is_stored = |name: &str| stored.iter().any(|provider| provider.name == name);
        let fixed = |name: &str| base.iter().any(|p| p.name == name && p.origin == Origin::File);
        let configured = base.iter().filter(|p| p.origin == Origin::File || !is_stored(&p.name));
        let wanted: Vec<&ProviderSettings> =
            configured.chain(stored.iter().filter(|provider| !fixed(&provider.name))).collect();
        let mut providers = self.change();
        let found = providers.iter().filter(|provider| provider.settings.origin == Origin::Found);
        let found: Vec<_> = found.filter(|provider| !is_stored(&provider.settings.name)).cloned().collect();
        let kept = |settings: &ProviderSettings| {
            let same = providers.iter().find(|provider| provider.is_of(settings)).cloned();
            same.unwrap_or_else(|| {
                Arc::new(Provider::new(settings.clone(), self.shared.settings.stall, None))
            })
        };
        let new = wanted.into_iter().map(kept).chain(found).collect();
        *providers = new;
    }

    /// What is in force of one provider.
    pub fn settings_of(&self, name: &str) -> Option<ProviderSettings> {
        let known = self.known().into_iter().find(|provider| provider.settings.name == name)?;
        Some(known.settings.clone())
    }

    /// What is wrong with settings, without asking anybody.
    pub fn check(&self, settings: &ProviderSettings) -> Result<(), ProviderError> {
        let provider = Provider::new(settings.clone(), self.shared.settings.stall, None);
        provider.problem().cloned().map_or(Ok(()), Err)
    }

    /// Is this name taken by the file, which cannot be changed over the API?
    pub fn is_fixed(&self, name: &str) -> bool {
        self.shared.settings.providers.iter().any(|p| p.name == name && p.origin == Origin::File)
    }

    /// All models, in the order of the providers; `demo` is always the last.
    pub fn list(&self) -> Vec<ModelInfo> {
        let mut models: Vec<ModelInfo> = self.known().iter().flat_map(|provider| provider.models()).collect();
        models.push(demo::info());
        let usual = self.meant(None).ok();
        for model in &mut models {
            model.default = usual.as_ref().is_some_and(|usual| usual.id() == model.id);
        }
        models
    }

    pub fn providers(&self) -> Vec<ProviderStatus> {
        self.known().iter().map(|provider| provider.status()).collect()
    }

    /// `None` is the default model: that of an admin, else of the settings file, else the first that was found, else `demo`. A model that its provider does not
    /// list is tried all the same.
    pub fn resolve(&self, id: Option<&str>) -> Result<Model, ProviderError> {
        let model = self.meant(id)?;
        let gauge = self.shared.gauges.of(model.id());
        Ok(model.counting(gauge))
    }

    fn meant(&self, id: Option<&str>) -> Result<Model, ProviderError> {
        let known = self.known();
        let given = |id: &&str| !id.trim().is_empty();
        let Some(id) = id.filter(given).map(str::trim) else {
            if let (Some(name), _) = self.named_default() {
                return named(&name, &known).map_err(default_model::unusable);
            }
            let first = known.iter().find_map(|provider| Some((provider, provider.names.first()?)));
            return first.map_or_else(|| Ok(Model::demo()), |(provider, name)| provider.model(name));
        };
        named(id, &known)
    }

    /// The default model where one was named, and by whom.
    pub(crate) fn named_default(&self) -> (Option<String>, DefaultSource) {
        let note = self.shared.stored.read().unwrap_or_else(PoisonError::into_inner);
        match (&note.default_model, self.configured_default()) {
            (Some(chosen), _) => (Some(chosen.clone()), DefaultSource::Chosen),
            (None, Some(configured)) => (Some(configured), DefaultSource::File),
            (None, None) => (None, DefaultSource::Found),
        }
    }

    pub(crate) fn configured_default(&self) -> Option<String> {
        let configured = self.shared.settings.default_model.as_deref();
        configured.map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned)
    }

    fn known(&self) -> Vec<Arc<Provider>> {
        self.shared.providers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self) -> RwLockWriteGuard<'_, Vec<Arc<Provider>>> {
        self.shared.providers.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The owner may have changed the list while a provider was being asked: only what was asked is replaced.
fn replace(providers: &mut [Arc<Provider>], old: &Arc<Provider>, new: Arc<Provider>) {
    if let Some(slot) = providers.iter_mut().find(|slot| Arc::ptr_eq(slot, old)) {
        *slot = new;
    }
}

fn named(id: &str, known: &[Arc<Provider>]) -> Result<Model, ProviderError> {
    if id == DEMO {
        return Ok(Model::demo());
    }
    let named = id.split_once('/').filter(|(_, name)| !name.is_empty()).and_then(|(provider, name)| {
        known.iter().find(|known| known.settings.name == provider).map(|known| (known, name))
    });
    // A bare model name, or one whose own name has a slash, is taken when a provider lists it.
    let meant = named.or_else(|| {
        known.iter().find(|provider| provider.names.iter().any(|name| name == id)).map(|known| (known, id))
    });
    match meant {
        Some((provider, name)) => provider.model(name),
        None => Err(unknown(id, known)),
    }
}

fn unknown(id: &str, known: &[Arc<Provider>]) -> ProviderError {
    let names: Vec<&str> = known.iter().map(|provider| provider.settings.name.as_str()).collect();
    let known = if names.is_empty() {
        "no provider is set up, only the model `demo`".to_owned()
    } else {
        format!("the providers are: {}", names.join(", "))
    };
    ProviderError::new(
        ErrorKind::UnknownModel,
        format!("the model `{id}` does not belong to a known provider; {known}"),
    )
}
