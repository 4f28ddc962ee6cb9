//! One engine on a runtime of its own.

use super::{PATIENCE, TestClock, Tools};
use capability::Registry;
use domain::NodeId;
use engine::{Engine, Parts, Settings};
use provider::{Models, ModelsSettings, ProviderSettings, Wire};
use std::{sync::Arc, time::Duration};
use store::Store;
use testkit::model::ModelServer;
use tokio::runtime::{Builder, Handle, Runtime};

pub struct House {
    pub engine: Engine,
    pub node: NodeId,
    runtime: Option<Runtime>,
}

impl House {
    pub async fn start(
        node: NodeId,
        store: &Store,
        model: &ModelServer,
        tools: &Tools,
        clock: Arc<TestClock>,
        settings: Settings,
        stall: Duration,
    ) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let models = models(model, stall);
        let registry = Registry::builtin().unwrap().with(Arc::new(tools.clone())).unwrap();
        let store = store.clone();
        let start = runtime.spawn(async move {
            models.discover().await;
            Engine::start(Parts { store, models, registry, clock, node, settings }).await.unwrap()
        });
        Self { engine: start.await.unwrap(), node, runtime: Some(runtime) }
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

    /// Takes everything away at once: nothing is finished, nothing is given up.
    pub fn kill(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    pub async fn shutdown(&mut self, grace: Duration) {
        let engine = self.engine.clone();
        let down = self.handle().spawn(async move { engine.shutdown(grace).await });
        tokio::time::timeout(PATIENCE, down).await.expect("the shutdown hangs").unwrap();
        self.kill();
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.kill();
    }
}

fn models(model: &ModelServer, stall: Duration) -> Models {
    let provider = ProviderSettings {
        name: "test".to_owned(),
        wire: Wire::OpenAi,
        base_url: model.url(),
        api_key: None,
        models: vec!["scripted".to_owned()],
        free: Some(false),
        source: "test".to_owned(),
    };
    let default_model = Some("test/scripted".to_owned());
    Models::new(ModelsSettings { providers: vec![provider], default_model, probe_local: false, stall })
}
