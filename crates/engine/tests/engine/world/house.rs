//! One engine on a runtime of its own.

use super::{Hooks, PATIENCE, TestClock, Tools, almanac::Almanac};
use capability::Registry;
use domain::NodeId;
use engine::{Engine, Parts, Settings};
use provider::{Models, ModelsSettings, Origin, Prices, ProviderSettings, Wire};
use std::{sync::Arc, time::Duration};
use store::{MasterKey, Store};
use tokio::runtime::{Builder, Handle, Runtime};

pub struct House {
    pub engine: Engine,
    pub node: NodeId,
    /// Its own way to the database, so that it can be cut.
    pub store: Store,
    runtime: Option<Runtime>,
}

/// Where an engine is put up.
#[derive(Clone)]
pub struct Site {
    /// Of the database.
    pub url: String,
    /// Of the model.
    pub base_url: String,
    pub wire: Wire,
    pub tools: Tools,
    pub hooks: Hooks,
    pub clock: Arc<TestClock>,
    pub settings: Settings,
    /// How long the provider's silence is borne.
    pub stall: Duration,
    /// What people have said that its models cost.
    pub prices: Prices,
}

impl Site {
    pub async fn open(&self) -> Store {
        Store::open(&self.url, MasterKey::from_bytes([7; 32])).await.unwrap()
    }

    fn models(&self) -> Models {
        let provider = ProviderSettings {
            name: "test".to_owned(),
            wire: self.wire,
            base_url: self.base_url.clone(),
            api_key: (self.wire == Wire::Anthropic).then(|| "key".into()),
            models: vec!["scripted".to_owned()],
            free: Some(false),
            prices: self.prices.clone(),
            images: std::collections::BTreeMap::new(),
            origin: Origin::File,
            source: "test".to_owned(),
        };
        Models::new(ModelsSettings {
            providers: vec![provider],
            default_model: Some("test/scripted".to_owned()),
            probe_local: false,
            stall: self.stall,
        })
    }
}

impl House {
    pub async fn start(node: NodeId, site: &Site) -> Self {
        Self::try_start(node, site).await.expect("the engine does not start")
    }

    /// `None` when the start was cut off.
    pub async fn try_start(node: NodeId, site: &Site) -> Option<Self> {
        Self::over(node, site, site.open().await).await
    }

    /// On a database that is open already.
    pub async fn over(node: NodeId, site: &Site, store: Store) -> Option<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let models = site.models();
        engine::restore_models(&store, &models).await.unwrap();
        let parts = Parts {
            store: store.clone(),
            models,
            registry: registry(site),
            clock: site.clock.clone(),
            node: node.into(),
            settings: site.settings.clone(),
        };
        let start = runtime.spawn(async move {
            parts.models.discover().await;
            Engine::start(parts).await.unwrap()
        });
        match start.await {
            Ok(engine) => Some(Self { engine, node, store, runtime: Some(runtime) }),
            Err(_) => {
                end(&store, runtime).await;
                None
            }
        }
    }

    /// Runs something where the engine lives, so that it dies with it.
    pub async fn on<T, F>(&self, work: impl FnOnce(Engine) -> F) -> T
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        self.handle().spawn(work(self.engine.clone())).await.unwrap()
    }

    pub fn handle(&self) -> &Handle {
        self.runtime.as_ref().unwrap().handle()
    }

    /// Takes everything away: from one moment to the next nothing is written any more, then nothing runs any more.
    pub async fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            end(&self.store, runtime).await;
        }
    }

    pub async fn shutdown(&mut self, grace: Duration) {
        let engine = self.engine.clone();
        let down = self.handle().spawn(async move { engine.shutdown(grace).await });
        tokio::time::timeout(PATIENCE, down).await.expect("the shutdown hangs").unwrap();
        self.kill().await;
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn registry(site: &Site) -> Registry {
    let registry = Registry::equipped(&site.settings.outside.equipment(None)).unwrap();
    let registry = registry.with(Arc::new(site.tools.clone())).unwrap();
    let registry = registry.with(Arc::new(super::tools::Doors(site.tools.clone()))).unwrap();
    let registry = registry.with(Arc::new(super::tools::Street(site.tools.clone()))).unwrap();
    let registry = registry.with(Arc::new(Almanac)).unwrap();
    registry.with(Arc::new(site.hooks.clone())).unwrap()
}

async fn end(store: &Store, runtime: Runtime) {
    store.close().await;
    // On a thread of its own, because whoever runs async code must not wait for this.
    std::thread::spawn(move || runtime.shutdown_timeout(PATIENCE)).join().unwrap();
}
