//! What a search costs that asks a model: a row like that of every request to one.

use crate::engine::Engine;
use crate::ports::web_search::CallSearch;
use domain::{ModelCallId, Usage};
use provider::{Tokens, known_price};
use serde_json::Value;
use store::{
    Tx,
    model_calls::{self, EndedModelCall, NewModelCall},
};

/// Micro-USD that the vendor takes for one search, besides the tokens.
const PER_SEARCH: u64 = 10_000;
const VENDOR: &str = "anthropic";

/// What the requests of one search have taken so far.
#[derive(Debug, Default)]
pub(super) struct SearchTally {
    requests: u32,
    tokens: Tokens,
    searches: u64,
    /// One of them did not say what it took.
    unsure: bool,
}

impl SearchTally {
    /// It goes out.
    pub(super) fn send(&mut self) {
        self.requests = self.requests.saturating_add(1);
        self.unsure = true;
    }

    /// It was answered, or refused with nothing.
    pub(super) fn hear(&mut self, answer: &Value) {
        self.unsure = false;
        let usage = answer.get("usage").unwrap_or(&Value::Null);
        let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
        let (cached, stored) = (count("cache_read_input_tokens"), count("cache_creation_input_tokens"));
        let input = count("input_tokens").saturating_add(cached).saturating_add(stored);
        self.tokens = self.tokens.plus(Tokens { input, output: count("output_tokens"), cached, stored });
        let searches = usage.pointer("/server_tool_use/web_search_requests").and_then(Value::as_u64);
        self.searches = self.searches.saturating_add(searches.unwrap_or(0));
    }

    fn ended(&self, ok: bool, model: &str) -> EndedModelCall {
        let price = known_price(VENDOR, model).filter(|_| !self.unsure);
        let searches = self.searches.saturating_mul(PER_SEARCH);
        let usage = Usage {
            input_tokens: self.tokens.input,
            output_tokens: self.tokens.output,
            cached_tokens: self.tokens.cached,
            cost_microusd: price.map(|price| price.cost(self.tokens).saturating_add(searches)),
        };
        EndedModelCall { ok, usage, requests: Some(self.requests), estimated: false }
    }
}

/// The row of a search that is under way. Dropping it gives the search up.
pub(super) struct SearchRow {
    engine: Engine,
    call: ModelCallId,
    model: String,
    open: bool,
}

impl SearchRow {
    pub(super) async fn begin(search: &CallSearch, model: &str) -> store::Result<Self> {
        let CallSearch { engine, user, agent, session, turn } = search;
        let call = ModelCallId::from_uuid(engine.inner.ids.uuid());
        let new = NewModelCall {
            id: call,
            session_id: *session,
            turn_id: *turn,
            user_id: *user,
            agent_id: agent.id,
            step: 0,
            attempt: 0,
            model: format!("{VENDOR}/{model}"),
            at: engine.now(),
        };
        let write = move |tx: &mut Tx| model_calls::start(tx, &new);
        engine.store().write(write).await?;
        Ok(Self { engine: engine.clone(), call, model: model.to_owned(), open: true })
    }

    pub(super) async fn end(mut self, ok: bool, tally: &SearchTally) -> store::Result<()> {
        self.open = false;
        let (call, ended, now) = (self.call, tally.ended(ok, &self.model), self.engine.now());
        let write = move |tx: &mut Tx| model_calls::settle(tx, call, ended, now);
        self.engine.store().write(write).await
    }
}

impl Drop for SearchRow {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let (engine, call) = (self.engine.clone(), self.call);
        self.engine.spawn("search cost", async move {
            let now = engine.now();
            let write = move |tx: &mut Tx| model_calls::give_up(tx, call, now);
            if let Err(error) = engine.store().write(write).await {
                tracing::warn!(%error, "what a search cost could not be written down");
            }
        });
    }
}
