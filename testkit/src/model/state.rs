//! What the server remembers, and waiting for it to change.

use super::{Recorded, Reply, one_at_a_time::OpenRequests};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::watch, time::timeout};

type Responder = Arc<dyn Fn(&Recorded) -> Reply + Send + Sync>;

pub(super) struct State {
    inner: Mutex<Inner>,
    changed: watch::Sender<()>,
}

pub(super) struct Inner {
    pub(super) queue: VecDeque<Reply>,
    pub(super) responder: Option<Responder>,
    pub(super) models: Vec<Value>,
    pub(super) models_reply: Option<Reply>,
    pub(super) requests: Vec<Recorded>,
    /// Blocks of the Messages wire that this server made.
    pub(super) issued: Vec<Value>,
    /// Its last answer asked to be asked again.
    pub(super) paused: bool,
    pub(super) violations: Vec<String>,
    pub(super) violations_allowed: bool,
    pub(super) connections: usize,
    pub(super) hang_ups: usize,
    /// The requests that are open; none where no test asks.
    pub(super) open: Option<OpenRequests>,
}

impl Default for State {
    fn default() -> Self {
        let inner = Inner {
            queue: VecDeque::new(),
            responder: None,
            models: vec![json!({"id": "scripted", "object": "model", "owned_by": "test"})],
            models_reply: None,
            requests: Vec::new(),
            issued: Vec::new(),
            paused: false,
            violations: Vec::new(),
            violations_allowed: false,
            connections: 0,
            hang_ups: 0,
            open: None,
        };
        Self { inner: Mutex::new(inner), changed: watch::Sender::new(()) }
    }
}

impl State {
    pub(super) fn look<T>(&self, look: impl FnOnce(&Inner) -> T) -> T {
        look(&self.lock())
    }

    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        let outcome = change(&mut self.lock());
        self.changed.send_replace(());
        outcome
    }

    /// Records a request and settles, at that moment, what answers it if it is `in_order`: a test that has seen the request
    /// may change the script without changing this answer. The responder runs outside the lock, so it may ask the server.
    pub(super) fn receive(&self, request: &Recorded, in_order: bool) -> (usize, Option<Reply>) {
        let (number, queued, responder) = self.change(|inner| {
            inner.requests.push(request.clone());
            let queued = if in_order { inner.queue.pop_front() } else { None };
            (inner.requests.len(), queued, inner.responder.as_ref().map(Arc::clone))
        });
        let responder = responder.filter(|_| in_order);
        (number, queued.or_else(|| responder.map(|respond| respond(request))))
    }

    pub(super) async fn wait(&self, patience: Duration, what: &str, ready: impl Fn(&Inner) -> bool) {
        let came = self.comes(patience, ready).await;
        assert!(came, "the scripted model server waited for {what} that did not come");
    }

    /// Does it come to this in time?
    pub(super) async fn comes(&self, patience: Duration, ready: impl Fn(&Inner) -> bool) -> bool {
        let mut changed = self.changed.subscribe();
        let waiting = async {
            while !self.look(&ready) {
                if changed.changed().await.is_err() {
                    break;
                }
            }
        };
        timeout(patience, waiting).await.is_ok()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
