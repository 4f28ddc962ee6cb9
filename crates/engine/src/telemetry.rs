//! What an operator sees of the work: one line in the log and one count per model call, tool call and turn.
//!
//! THREAT[log-01] Lines and labels carry ids, codes, numbers and names out of the settings; never a word of a person,
//! a model or a tool, also not the name of a tool that a model made up.

use domain::{CallId, ResultStatus, TurnOutcome, Usage};
use metrics::{counter, histogram};
use provider::Model;
use std::time::Instant;
use tracing::{Span, field};

/// One request to a model, while it lasts. What is dropped without an end was cut off.
pub(crate) struct ModelCallSpan {
    provider: String,
    span: Span,
    begun: Instant,
    ended: bool,
}

impl ModelCallSpan {
    pub(crate) fn new(model: &Model) -> Self {
        let provider = model.info().provider.clone();
        let span = tracing::info_span!(
            "model_call",
            provider,
            model = model.id(),
            outcome = field::Empty,
            input_tokens = field::Empty,
            output_tokens = field::Empty,
        );
        Self { provider, span, begun: Instant::now(), ended: false }
    }

    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    pub(crate) fn answered(mut self, usage: Usage) {
        self.end("ok", usage);
    }

    pub(crate) fn failed(mut self, code: &'static str, usage: Usage) {
        self.end(code, usage);
    }

    /// The turn ended it, or gave it up.
    pub(crate) fn cut_off(mut self, usage: Usage) {
        self.end("cut_off", usage);
    }

    fn end(&mut self, outcome: &'static str, usage: Usage) {
        self.ended = true;
        let elapsed = self.begun.elapsed();
        let provider = self.provider.clone();
        let tokens = |kind: &'static str, count: u64| {
            counter!("majordomo_model_tokens_total", "provider" => provider.clone(), "kind" => kind)
                .increment(count);
        };
        tokens("input", usage.input_tokens);
        tokens("output", usage.output_tokens);
        tokens("cached", usage.cached_tokens);
        let cost = usage.cost_microusd.unwrap_or_default();
        counter!("majordomo_model_cost_microusd_total", "provider" => provider.clone()).increment(cost);
        counter!("majordomo_model_calls_total", "provider" => provider.clone(), "outcome" => outcome)
            .increment(1);
        histogram!("majordomo_model_call_seconds", "provider" => provider.clone())
            .record(elapsed.as_secs_f64());
        self.span.record("outcome", outcome);
        self.span.record("input_tokens", usage.input_tokens);
        self.span.record("output_tokens", usage.output_tokens);
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        self.span
            .in_scope(|| tracing::info!(micros, cost_microusd = usage.cost_microusd, "model call ended"));
    }
}

impl Drop for ModelCallSpan {
    fn drop(&mut self) {
        if !self.ended {
            self.end("cut_off", Usage::ZERO);
        }
    }
}

/// The span of one tool call. `tool` is absent where the model asked for one that does not exist.
pub(crate) fn tool_span(call: CallId, tool: Option<&str>) -> Span {
    tracing::info_span!("tool_call", %call, tool, status = field::Empty)
}

pub(crate) fn tool_ended(span: &Span, status: ResultStatus, begun: Instant) {
    let status = match status {
        ResultStatus::Ok => "ok",
        ResultStatus::Error => "error",
        ResultStatus::Denied => "denied",
        ResultStatus::Unknown => "unknown",
    };
    counter!("majordomo_tool_calls_total", "status" => status).increment(1);
    span.record("status", status);
    let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
    span.in_scope(|| tracing::info!(micros, "tool call ended"));
}

/// In the span of the turn.
pub(crate) fn turn_ended(outcome: TurnOutcome, usage: Usage, active_ms: u64) {
    let outcome = outcome.as_str();
    counter!("majordomo_turns_total", "outcome" => outcome).increment(1);
    let Usage { input_tokens, output_tokens, cost_microusd, .. } = usage;
    let span = Span::current();
    span.record("outcome", outcome);
    tracing::info!(outcome, active_ms, input_tokens, output_tokens, cost_microusd, "turn ended");
}
