//! Which models there are, and which one is meant.

use crate::{
    DEMO, ErrorKind, Model, ModelInfo, ModelsSettings, Price, ProviderError, ProviderSettings,
    ProviderStatus, Reachability, demo, discover,
    endpoint::Endpoint,
    openai::ListedModel,
    vendors::{Vendor, Vendors},
};
use futures_util::future::join_all;
use std::sync::{Arc, PoisonError, RwLock};

/// All providers and their models. Cheap to clone; clones share what was discovered.
#[derive(Clone, Debug)]
pub struct Models {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    settings: ModelsSettings,
    providers: RwLock<Vec<Arc<Provider>>>,
}

/// One provider together with what is known of it. Replaced, never changed.
#[derive(Debug)]
struct Provider {
    settings: ProviderSettings,
    endpoint: Result<Arc<Endpoint>, ProviderError>,
    /// `None` until it was asked.
    answer: Option<Answer>,
    /// In the order in which people see them.
    names: Vec<String>,
}

type Answer = Result<Vec<ListedModel>, ProviderError>;

impl Models {
    pub fn new(settings: ModelsSettings) -> Self {
        let provider = |provider: &ProviderSettings| {
            let endpoint = Endpoint::new(provider, settings.stall).map(Arc::new);
            Arc::new(Provider::new(provider.clone(), endpoint, None))
        };
        let providers = RwLock::new(settings.providers.iter().map(provider).collect());
        Self { shared: Arc::new(Shared { settings, providers }) }
    }

    /// Asks every provider for its models and remembers the answers. When none is configured, looks at the usual local
    /// ports if the settings allow it. A provider that fails is remembered as failed; nothing fails here.
    pub async fn discover(&self) {
        let found = if self.shared.settings.providers.is_empty() && self.shared.settings.probe_local {
            let stall = self.shared.settings.stall;
            let found =
                discover::probe(&Vendors::get().local, stall).await.into_iter().map(|(settings, models)| {
                    let endpoint = Endpoint::new(&settings, stall).map(Arc::new);
                    Arc::new(Provider::new(settings, endpoint, Some(Ok(models))))
                });
            found.collect()
        } else {
            join_all(self.known().iter().map(|provider| provider.asked())).await
        };
        *self.shared.providers.write().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// All models, in the order of the providers; `demo` is always the last.
    pub fn list(&self) -> Vec<ModelInfo> {
        let mut models: Vec<ModelInfo> = self.known().iter().flat_map(|provider| provider.models()).collect();
        models.push(demo::info());
        models
    }

    pub fn providers(&self) -> Vec<ProviderStatus> {
        self.known().iter().map(|provider| provider.status()).collect()
    }

    /// `None` is the default model, else the first that was found, else `demo`. A model that its provider does not
    /// list is tried all the same.
    pub fn resolve(&self, id: Option<&str>) -> Result<Model, ProviderError> {
        let known = self.known();
        let default = self.shared.settings.default_model.as_deref();
        let Some(id) = id.or(default).map(str::trim).filter(|id| !id.is_empty()) else {
            let first = known.iter().find_map(|provider| Some((provider, provider.names.first()?)));
            return first.map_or_else(|| Ok(Model::demo()), |(provider, name)| provider.model(name));
        };
        if id == DEMO {
            return Ok(Model::demo());
        }
        let named = id.split_once('/').filter(|(_, name)| !name.is_empty()).and_then(|(provider, name)| {
            known.iter().find(|known| known.settings.name == provider).map(|known| (known, name))
        });
        // A bare model name, or one whose own name has a slash, is taken when somebody lists it.
        let meant = named.or_else(|| {
            known
                .iter()
                .find(|provider| provider.names.iter().any(|name| name == id))
                .map(|known| (known, id))
        });
        match meant {
            Some((provider, name)) => provider.model(name),
            None => Err(unknown(id, &known)),
        }
    }

    fn known(&self) -> Vec<Arc<Provider>> {
        self.shared.providers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn unknown(id: &str, known: &[Arc<Provider>]) -> ProviderError {
    let names: Vec<&str> = known.iter().map(|provider| provider.settings.name.as_str()).collect();
    let known = if names.is_empty() {
        "no provider is configured, only the model `demo`".to_owned()
    } else {
        format!("the providers are: {}", names.join(", "))
    };
    ProviderError::new(ErrorKind::UnknownModel, format!("model `{id}` names no known provider; {known}"))
}

impl Provider {
    fn new(
        settings: ProviderSettings,
        endpoint: Result<Arc<Endpoint>, ProviderError>,
        answer: Option<Answer>,
    ) -> Self {
        let mut provider = Self { settings, endpoint, answer, names: Vec::new() };
        provider.names = provider.ordered_names();
        provider
    }

    /// As configured; else those of the server that chat, the vendor's preferred first, then by name.
    fn ordered_names(&self) -> Vec<String> {
        if !self.settings.models.is_empty() {
            return self.settings.models.clone();
        }
        let vendor = self.vendor();
        let listed = self.answer.iter().flatten().flatten();
        let mut names: Vec<String> =
            listed.map(|model| model.name.clone()).filter(|name| Vendors::get().chats(name)).collect();
        names.sort_by_cached_key(|name| {
            let rank = vendor.map_or(usize::MAX, |vendor| vendor.rank(name));
            (rank, name.to_lowercase(), name.clone())
        });
        names.dedup();
        names
    }

    async fn asked(&self) -> Arc<Self> {
        let answer = match &self.endpoint {
            Ok(endpoint) => discover::ask(endpoint).await,
            Err(error) => Err(error.clone()),
        };
        if let Err(error) = &answer {
            tracing::warn!(
                provider = self.settings.name,
                code = error.code(),
                "provider gives no model list"
            );
        }
        let (settings, endpoint) = (self.settings.clone(), self.endpoint.clone());
        Arc::new(Self::new(settings, endpoint, Some(answer)))
    }

    fn vendor(&self) -> Option<&'static Vendor> {
        self.endpoint.as_ref().ok().and_then(|endpoint| Vendors::get().by_host(endpoint.host()))
    }

    fn models(&self) -> Vec<ModelInfo> {
        self.names.iter().map(|name| self.info(name)).collect()
    }

    fn info(&self, name: &str) -> ModelInfo {
        let known = self.vendor().and_then(|vendor| vendor.model(name));
        let listed = self.answer.iter().flatten().flatten().find(|listed| listed.name == name);
        let private = self.endpoint.as_ref().is_ok_and(|endpoint| endpoint.is_private());
        let vendors = Vendors::get();
        let assumed = if private { vendors.unknown_local_window } else { vendors.unknown_window };
        let price = match self.settings.free {
            Some(true) => Some(Price::FREE),
            None if private => Some(Price::FREE),
            _ => listed.and_then(|listed| listed.price).or_else(|| known?.price),
        };
        let images = known.is_some_and(|known| known.images);
        let abilities = ["tools"].into_iter().chain(images.then_some("images"));
        ModelInfo {
            id: format!("{}/{name}", self.settings.name),
            provider: self.settings.name.clone(),
            window: listed.and_then(|listed| listed.window).or(known.map(|k| k.window)).unwrap_or(assumed),
            max_output: known.and_then(|known| known.max_output),
            price,
            abilities: abilities.map(str::to_owned).collect(),
        }
    }

    fn model(&self, name: &str) -> Result<Model, ProviderError> {
        let endpoint = self.endpoint.clone()?;
        let completion_limit = self.vendor().is_some_and(|vendor| vendor.completion_limit);
        Ok(Model::openai(self.info(name), endpoint, name.to_owned(), completion_limit))
    }

    fn status(&self) -> ProviderStatus {
        let (status, problem) = match (&self.endpoint, &self.answer) {
            (Err(error), _) | (_, Some(Err(error))) => (Reachability::Failed, Some(error)),
            (_, Some(Ok(_))) => (Reachability::Reachable, None),
            (_, None) => (Reachability::Unknown, None),
        };
        ProviderStatus {
            name: self.settings.name.clone(),
            wire: self.settings.wire,
            base_url: self.endpoint.as_ref().map(|endpoint| endpoint.shown_url()).unwrap_or_default(),
            has_api_key: self.endpoint.as_ref().is_ok_and(|endpoint| endpoint.key().is_some()),
            source: self.settings.source.clone(),
            status,
            detail: problem.map(|error| format!("{error}. {}", error.advice())),
            models: self.names.clone(),
        }
    }
}
