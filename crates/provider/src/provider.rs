//! One provider together with what is known of it. Replaced, never changed.

use crate::{
    Model, ModelInfo, Price, ProviderError, ProviderSettings, ProviderStatus, Reachability,
    accepts::{Accepts, Thinking},
    http::endpoint::Endpoint,
    vendors::{Vendor, Vendors, discover_ollama_and_others, listed::ListedModel},
};
use secrecy::ExposeSecret;
use std::{sync::Arc, time::Duration};

#[derive(Debug)]
pub(crate) struct Provider {
    pub(crate) settings: ProviderSettings,
    endpoint: Result<Arc<Endpoint>, ProviderError>,
    /// `None` until it was asked.
    answer: Option<ModelListing>,
    /// In the order in which people see them.
    pub(crate) names: Vec<String>,
}

pub(crate) type ModelListing = Result<Vec<ListedModel>, ProviderError>;

impl Provider {
    pub(crate) fn new(settings: ProviderSettings, stall: Duration, answer: Option<ModelListing>) -> Self {
        let endpoint = Endpoint::new(&settings, stall).map(Arc::new);
        Self::with(settings, endpoint, answer)
    }

    fn with(
        settings: ProviderSettings,
        endpoint: Result<Arc<Endpoint>, ProviderError>,
        answer: Option<ModelListing>,
    ) -> Self {
        let mut provider = Self { settings, endpoint, answer, names: Vec::new() };
        provider.names = provider.ordered_names();
        provider
    }

    /// Would these settings make the same provider?
    pub(crate) fn is_of(&self, other: &ProviderSettings) -> bool {
        let key =
            |settings: &ProviderSettings| settings.api_key.as_ref().map(|key| key.expose_secret().to_owned());
        let ours = &self.settings;
        ours.name == other.name
            && ours.wire == other.wire
            && ours.base_url == other.base_url
            && ours.models == other.models
            && ours.free == other.free
            && ours.prices == other.prices
            && ours.images == other.images
            && ours.origin == other.origin
            && key(ours) == key(other)
    }

    pub(crate) fn problem(&self) -> Option<&ProviderError> {
        self.endpoint.as_ref().err()
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

    pub(crate) async fn asked(&self) -> Arc<Self> {
        let answer = match &self.endpoint {
            Ok(endpoint) => discover_ollama_and_others::ask(endpoint).await,
            Err(error) => Err(error.clone()),
        };
        if let Err(error) = &answer {
            tracing::warn!(
                provider = self.settings.name,
                code = error.code(),
                "the provider does not list its models"
            );
        }
        Arc::new(Self::with(self.settings.clone(), self.endpoint.clone(), Some(answer)))
    }

    fn vendor(&self) -> Option<&'static Vendor> {
        self.endpoint.as_ref().ok().and_then(|endpoint| Vendors::get().by_host(endpoint.host()))
    }

    pub(crate) fn models(&self) -> Vec<ModelInfo> {
        self.names.iter().map(|name| self.info(name)).collect()
    }

    fn listed(&self, name: &str) -> Option<&ListedModel> {
        self.answer.iter().flatten().flatten().find(|listed| listed.name == name)
    }

    fn info(&self, name: &str) -> ModelInfo {
        let known = self.vendor().and_then(|vendor| vendor.model(name));
        let listed = self.listed(name);
        let private = self.endpoint.as_ref().is_ok_and(|endpoint| endpoint.is_private());
        let vendors = Vendors::get();
        let assumed = if private { vendors.unknown_local_window } else { vendors.unknown_window };
        let price = self.settings.prices.of(name).or_else(|| match self.settings.free {
            Some(true) => Some(Price::FREE),
            None if private => Some(Price::FREE),
            _ => listed.and_then(|listed| listed.price).or_else(|| known?.price),
        });
        let accepts = self.accepts(name);
        ModelInfo {
            id: format!("{}/{name}", self.settings.name),
            provider: self.settings.name.clone(),
            window: listed.and_then(|listed| listed.window).or(known.map(|k| k.window)).unwrap_or(assumed),
            max_output: accepts.max_output,
            price,
            abilities: accepts.abilities(),
            default: false,
        }
    }

    /// What people have said counts most; then what a server says of its model, then what is written down, then a guess.
    fn accepts(&self, name: &str) -> Accepts {
        let vendor = self.vendor();
        let known = vendor.and_then(|vendor| Some(vendor.model(name)?.accepts(vendor)));
        let guess = || {
            let accepts = vendor.map_or_else(Accepts::default, Vendor::accepts_of_unknown);
            Accepts { images: accepts.images || Vendors::get().sees(name), ..accepts }
        };
        let is_known = known.is_some();
        let mut accepts = known.unwrap_or_else(guess);
        if let Some(listed) = self.listed(name) {
            accepts.max_output = listed.max_output.or(accepts.max_output);
            accepts.images = listed.images.unwrap_or(accepts.images);
            if let (false, Some(thinking)) = (is_known, &listed.thinking) {
                // The models that only decide by themselves are those that take no temperature any more.
                accepts.sampling = !matches!(thinking, Thinking::Adaptive { .. });
                accepts.thinking = thinking.clone();
            }
        }
        if let Some(images) = self.settings.images.get(name) {
            accepts.images = *images;
        }
        accepts
    }

    pub(crate) fn model(&self, name: &str) -> Result<Model, ProviderError> {
        let endpoint = self.endpoint.clone()?;
        Ok(Model::http(self.info(name), endpoint, name.to_owned(), self.accepts(name)))
    }

    pub(crate) fn status(&self) -> ProviderStatus {
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
            origin: self.settings.origin,
            source: self.settings.source.clone(),
            status,
            detail: problem.map(ToString::to_string),
            advice: problem.map(ProviderError::advice),
            models: self.names.clone(),
            price: self.settings.prices.usual,
            prices: self.settings.prices.models.clone(),
            images: self.settings.images.clone(),
        }
    }
}
