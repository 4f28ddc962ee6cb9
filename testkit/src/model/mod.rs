//! A model server that plays a script.
//!
//! It speaks Chat Completions and Messages over raw TCP, so that a test decides where each byte is cut, and it lives on a thread of its
//! own, outside the program under test: killing that program leaves it running. It is strict: a request that a real
//! provider would refuse is answered 400, remembered, and fails the test when the server is dropped.
//!
//! ```no_run
//! # async fn example() {
//! use testkit::model::{ModelServer, Reply};
//! let model = ModelServer::start().await;
//! model.script(Reply::text("Hello").then_calls([("add", serde_json::json!({"a": 1, "b": 2}))]));
//! model.respond(|request| Reply::text(format!("You said {}", request.last_user())));
//! # }
//! ```

mod check;
mod connection;
mod messages_check;
mod messages_script;
mod one_at_a_time;
mod recorded;
mod reply;
mod script;
mod state;

pub use recorded::Recorded;
pub use reply::Reply;

use one_at_a_time::OpenRequests;
use serde_json::json;
use state::State;
use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    time::Duration,
};
use tokio::sync::oneshot;

/// Nothing that a test waits for takes this long; a test that hangs says what it was waiting for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running server. Dropping it stops it, and fails the test if a request was refused.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    _stop: oneshot::Sender<()>,
}

impl ModelServer {
    /// On a free port of 127.0.0.1.
    pub async fn start() -> Self {
        Self::on("127.0.0.1:0")
    }

    /// On this address. Needs no runtime.
    pub fn on(address: &str) -> Self {
        let (address, listener) = listen(address);
        let state = Arc::new(State::default());
        let (stop, stopped) = oneshot::channel();
        connection::serve(listener, Arc::clone(&state), stopped);
        Self { address, state, _stop: stop }
    }

    /// The base URL as a provider's settings take it.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The base URL as the settings of a provider of the Messages wire take it.
    pub fn root_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The answer to the next request that has none yet.
    pub fn script(&self, reply: Reply) {
        self.queue([reply]);
    }

    /// The answers to the next requests, in order.
    pub fn queue(&self, replies: impl IntoIterator<Item = Reply>) {
        self.state.change(|inner| inner.queue.extend(replies));
    }

    /// Answers every request for which nothing is queued.
    pub fn respond(&self, responder: impl Fn(&Recorded) -> Reply + Send + Sync + 'static) {
        self.state.change(|inner| inner.responder = Some(Arc::new(responder)));
    }

    /// The models that `GET /v1/models` lists; `scripted` unless said otherwise.
    pub fn models<'a>(&self, names: impl IntoIterator<Item = &'a str>) {
        let models = names.into_iter().map(|name| json!({"id": name, "object": "model", "owned_by": "test"}));
        let models = models.collect();
        self.state.change(|inner| inner.models = models);
    }

    /// The entries that `GET /v1/models` lists, as they are.
    pub fn model_entries(&self, entries: impl IntoIterator<Item = serde_json::Value>) {
        let entries = entries.into_iter().collect();
        self.state.change(|inner| inner.models = entries);
    }

    /// The answer to `GET /v1/models`, instead of a list.
    pub fn models_reply(&self, reply: Reply) {
        self.state.change(|inner| inner.models_reply = Some(reply));
    }

    /// The chat requests so far.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state.look(|inner| inner.requests.clone())
    }

    /// How many there were.
    pub fn request_count(&self) -> usize {
        self.state.look(|inner| inner.requests.len())
    }

    /// Looks at those after the first so many, without a copy of them.
    pub fn look_at_requests<T>(&self, skipped: usize, look: impl FnMut(&Recorded) -> T) -> Vec<T> {
        self.state.look(|inner| inner.requests.iter().skip(skipped).map(look).collect())
    }

    /// The last chat request.
    pub fn last_request(&self) -> Option<Recorded> {
        self.state.look(|inner| inner.requests.last().cloned())
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> usize {
        self.state.look(|inner| inner.connections)
    }

    /// How often the client closed the connection before its answer was complete.
    pub fn hang_ups(&self) -> usize {
        self.state.look(|inner| inner.hang_ups)
    }

    /// Waits until `count` chat requests have come and returns them.
    pub async fn wait_for(&self, count: usize) -> Vec<Recorded> {
        self.state.wait(PATIENCE, "requests", |inner| inner.requests.len() >= count).await;
        self.requests()
    }

    /// Waits until the client has hung up `count` times.
    pub async fn wait_for_hang_ups(&self, count: usize) {
        self.state.wait(PATIENCE, "hang-ups", |inner| inner.hang_ups >= count).await;
    }

    /// What was wrong with the requests that were refused.
    pub fn violations(&self) -> Vec<String> {
        self.state.look(|inner| inner.violations.clone())
    }

    /// A second request of a conversation while the first is open is a violation from now on, unless the first is hung up soon.
    /// Conversations are told apart by the words that they begin with.
    pub fn one_at_a_time(&self) {
        self.one_at_a_time_by(Recorded::first_user);
    }

    /// As [`one_at_a_time`](Self::one_at_a_time), where the test says which conversation a request is of; an empty name does not count.
    pub fn one_at_a_time_by(&self, about: fn(&Recorded) -> String) {
        self.state.change(|inner| inner.open = Some(OpenRequests::new(about)));
    }

    /// The program with this key stands still: what it has asked does not count until it goes on.
    pub fn falls_asleep(&self, key: &str) {
        self.state.change(|inner| inner.open.as_mut().map(|open| open.sleep(key)));
    }

    /// It goes on, and has so long to hang up what others ask by now.
    pub async fn wakes_up(&self, key: &str, patience: Duration) {
        one_at_a_time::wake(&self.state, key, patience).await;
    }

    /// This test sends bad requests on purpose.
    pub fn allow_violations(&self) {
        self.state.change(|inner| inner.violations_allowed = true);
    }

    /// Fails the test if a real provider would have refused one of its requests.
    #[track_caller]
    pub fn assert_clean(&self) {
        let violations = self.violations();
        assert!(violations.is_empty(), "a real provider would refuse this:\n{}", violations.join("\n"));
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        let allowed = self.state.look(|inner| inner.violations_allowed);
        if !allowed && !std::thread::panicking() {
            self.assert_clean();
        }
    }
}

#[expect(clippy::expect_used, reason = "a test that cannot listen fails here, with the reason")]
fn listen(address: &str) -> (SocketAddr, TcpListener) {
    let listener = TcpListener::bind(address).expect("the scripted model server cannot listen");
    listener.set_nonblocking(true).expect("the listener cannot be made non-blocking");
    (listener.local_addr().expect("the listener has no address"), listener)
}
