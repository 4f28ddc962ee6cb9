//! Talking to the model: one request, its stream, and the message that grows from it.

use crate::{
    claim::planned_call::PlannedCall,
    follow::open_message::Live,
    model::{draft::Draft, side_request::cut_to},
    prompt::token_count,
    reply::read_stream::Reading,
    telemetry::Asked,
    wording,
    worker::Worker,
};
use domain::{CallId, EffectClass, ModelCallId, StopReason, Timestamp, Usage};
use futures_util::future::BoxFuture;
use provider::{
    Completion, ErrorKind, Model, ModelEvent, ModelRequest, ModelStream, ProviderError, Stop, Tokens,
};
use std::time::Duration;
use store::model_calls::NewModelCall;
use tokio::time::Instant;
use tracing::Instrument;
use turn::{Failure, Input, NewCall, Retry};

/// No wait is longer than this, whatever anybody says.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3_600);

/// A model that failed is asked again at this moment.
#[derive(Clone, Copy)]
pub(crate) struct Waiting {
    pub(crate) until: Instant,
    pub(crate) most_output: u64,
}

/// A request under way. Dropping it closes the connection.
pub(crate) enum Ask {
    Connecting(BoxFuture<'static, Result<ModelStream, ProviderError>>),
    Streaming(ModelStream),
}

impl Ask {
    /// The next event. Safe to drop while it waits: nothing is lost.
    pub(crate) async fn next(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        loop {
            match self {
                Self::Streaming(stream) => return stream.next().await,
                Self::Connecting(connecting) => match connecting.await {
                    Ok(stream) => *self = Self::Streaming(stream),
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}

impl Worker {
    /// The row that accounts for the open request.
    pub(crate) fn request_row(&self) -> NewModelCall {
        self.row_of(self.record.model_call_id, &self.record.state, self.engine.now())
    }

    pub(crate) fn row_of(&self, id: ModelCallId, state: &turn::State, at: Timestamp) -> NewModelCall {
        NewModelCall {
            id,
            session_id: self.session.id,
            turn_id: self.turn_id,
            user_id: self.session.user_id,
            agent_id: self.agent.id,
            step: state.step,
            attempt: state.attempt,
            model: self.engine.model_name(&self.agent),
            at,
        }
    }

    /// Asks now, or after the wait the machine wants. Money is held back when the wait is over, by what holds then.
    pub(crate) async fn ask_after(&mut self, delay: Duration, most_output: u64) {
        if delay.is_zero() {
            return self.pay_and_ask(most_output).await;
        }
        let until = Instant::now() + delay.min(LONGEST_WAIT);
        self.waiting = Some(Waiting { until, most_output });
    }

    pub(crate) async fn pay_and_ask(&mut self, max_output_tokens: u64) {
        // THREAT[gate-17] Whoever may no longer use an agent spends nothing of its owner's any more.
        if self.unshared {
            return self.fail(ProviderError::new(ErrorKind::Configuration, wording::NOT_SHARED));
        }
        if self.hold_back(max_output_tokens).await {
            self.ask_model(max_output_tokens);
        }
    }

    /// Sends the prompt.
    fn ask_model(&mut self, max_output_tokens: u64) {
        let model = match &self.model {
            Ok(model) => model.clone(),
            Err(error) => {
                let error = error.clone();
                return self.fail(error);
            }
        };
        let Some(mut request) = self.request.clone() else { return };
        let reading = Reading::new(self.agent.markup);
        self.weighed = token_count::of_request(&model, &request);
        self.draft = Draft {
            prompt_tokens: self.weighed,
            model: model.id().to_owned(),
            reading,
            most_output: max_output_tokens,
            ..Draft::default()
        };
        cap_output(&mut request, &model, max_output_tokens);
        if let Some(paid) = self.paid {
            request.parameters = paid.bound(request.parameters);
        }
        let (asked, sent) = (Asked::new(&model), self.draft.sent.clone());
        let connecting = async move { model.stream(request, &sent).await };
        self.asking = Some(Ask::Connecting(Box::pin(connecting.instrument(asked.span()))));
        self.asked = Some(asked);
    }

    fn fail(&mut self, error: ProviderError) {
        let retry = match error.kind {
            _ if !error.is_retryable() => Retry::Never,
            // It was waited for already, or has nothing to say.
            ErrorKind::Stalled | ErrorKind::Empty => Retry::Once,
            ErrorKind::Truncated => Retry::Few,
            _ => Retry::Patiently,
        };
        self.fail_with(error, retry);
    }

    fn fail_with(&mut self, error: ProviderError, retry: Retry) {
        let failure = Failure {
            retry,
            retry_after_ms: error.retry_after.and_then(|wait| u64::try_from(wait.as_millis()).ok()),
        };
        if let (Ok(model), ErrorKind::ContextTooLong) = (&self.model, error.kind) {
            // It had at least so many.
            model.counted(self.weighed, model.window().max(self.weighed));
        }
        if let Some(asked) = self.asked.take() {
            asked.failed(error.code(), self.draft.usage);
        }
        tracing::info!(code = error.code(), ?retry, "the model did not answer");
        self.failure = Some(error);
        self.heard.push_back(Input::ModelFailed(failure));
    }

    /// What one event of the model means for the turn, if anything.
    pub(crate) fn model_said(&mut self, event: Option<Result<ModelEvent, ProviderError>>) -> Option<Input> {
        match event {
            Some(Ok(ModelEvent::Text(mut text))) => {
                let whole = cut_to(&mut text, self.room_left());
                self.draft.text.push_str(&text);
                self.read_on(&text);
                self.grown(whole)
            }
            Some(Ok(ModelEvent::Thinking(mut text))) => {
                let whole = cut_to(&mut text, self.room_left());
                self.draft.thinking.push_str(&text);
                self.feed.push([Live::thinking(&text)]);
                self.grown(whole)
            }
            // Whether it goes on is a matter of money, and settled by now.
            Some(Ok(ModelEvent::Paused)) => None,
            Some(Ok(ModelEvent::Done(completion))) => {
                self.asking = None;
                self.completed(completion)
            }
            Some(Err(error)) => {
                self.charge_failure(&error);
                self.asking = None;
                self.fail(error);
                self.heard.pop_front()
            }
            None => {
                self.account_for_draft();
                self.fail(ProviderError::new(ErrorKind::Truncated, "the answer broke off before its end"));
                self.heard.pop_front()
            }
        }
    }

    /// Bytes that the message may still get.
    fn room_left(&self) -> usize {
        self.engine.inner.settings.turn.reply_bytes.saturating_sub(self.draft.length())
    }

    fn grown(&mut self, whole: bool) -> Option<Input> {
        if whole && self.draft.length() <= self.engine.inner.settings.turn.reply_bytes {
            return None;
        }
        // THREAT[engine-01]: a model that never stops writing must not fill the memory.
        self.account_for_draft();
        if self.draft.is_silent() {
            self.fail_silent(Stop::Length);
        } else {
            let (stop, usage) = (StopReason::Length, self.draft.usage);
            self.heard.push_back(Input::ModelDone { stop, calls: Vec::new(), usage });
        }
        // Calls that the last piece made come before its end.
        self.heard.pop_front()
    }

    /// Nobody is left without a word.
    fn fail_silent(&mut self, stop: Stop) {
        let (kind, detail, retry) = match stop {
            Stop::Filtered => {
                (ErrorKind::Refused, "the provider's filter held the whole answer back", Retry::Never)
            }
            Stop::Length => {
                let detail = "the model reached the limit of its answer without a word of it";
                (ErrorKind::Empty, detail, Retry::Never)
            }
            _ => (ErrorKind::Empty, "the model answered without a word", Retry::Once),
        };
        self.fail_with(ProviderError::new(kind, detail), retry);
    }

    fn completed(&mut self, completion: Completion) -> Option<Input> {
        // What only the end made clear counts where it is the end.
        let mut from_text = self.finish_reading();
        from_text.retain(|_| completion.stop.is_whole());
        self.charge(completion.tokens);
        if self.draft.is_silent() && from_text.is_empty() && completion.calls.is_empty() {
            self.fail_silent(completion.stop);
            return self.heard.pop_front();
        }
        let calls: Vec<PlannedCall> = completion.calls.into_iter().map(|call| self.plan_call(call)).collect();
        let stop = match completion.stop {
            _ if !calls.is_empty() => StopReason::ToolUse,
            Stop::Completed | Stop::ToolUse => StopReason::Completed,
            Stop::Length => StopReason::Length,
            Stop::Filtered | Stop::Other => StopReason::Interrupted,
        };
        let usage = self.draft.usage;
        self.learn(completion.tokens);
        let both = || from_text.iter().chain(&calls);
        let new = both().map(|call| NewCall { id: call.id, class: call.class }).collect();
        self.calls.extend(both().map(|call| (call.id, call.clone())));
        self.draft.text_calls.extend(from_text);
        self.draft.calls = calls;
        self.draft.order = completion.parts;
        if let Some(asked) = self.asked.take() {
            asked.answered(usage);
        }
        Some(Input::ModelDone { stop, calls: new, usage })
    }

    /// What the provider has counted makes the next estimate better.
    fn learn(&self, counted: Option<Tokens>) {
        let pictures = self.request.as_ref().is_some_and(token_count::has_pictures);
        if let (Ok(model), Some(counted), false) = (&self.model, counted, pictures) {
            model.counted(self.weighed, counted.input);
        }
    }

    fn plan_call(&self, call: provider::ProposedCall) -> PlannedCall {
        let class = self.resolved.tool(&call.name).map_or(EffectClass::Effect, |tool| tool.class);
        PlannedCall::native(CallId::from_uuid(self.new_uuid()), class, call)
    }

    /// What the request cost; an estimate where the provider does not say.
    fn usage(&self, tokens: Option<Tokens>) -> Usage {
        let Ok(model) = &self.model else { return Usage::ZERO };
        let tokens = tokens.unwrap_or_else(|| self.estimated());
        Usage {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cached_tokens: tokens.cached,
            cost_microusd: model.cost(tokens),
        }
    }

    /// What the request told the model, and what it has written so far, as we count it.
    pub(crate) fn estimated(&self) -> Tokens {
        let Ok(model) = &self.model else { return Tokens::default() };
        let output = model.estimate(&self.draft.text).saturating_add(model.estimate(&self.draft.thinking));
        Tokens { input: self.draft.prompt_tokens, output, ..Tokens::default() }
    }

    fn charge(&mut self, counted: Option<Tokens>) {
        self.draft.usage = self.usage(counted);
        self.draft.estimated |= counted.is_none();
    }

    /// A message that is cut off has cost something too: what the provider has counted, or what we can. What was never sent
    /// has cost nothing.
    pub(crate) fn account_for_draft(&mut self) {
        self.waiting = None;
        let Some(asking) = self.asking.take() else { return };
        if self.draft.sent.count() > 0 {
            self.charge(self.counted(&asking));
            self.draft.estimated = true;
        }
        if let Some(asked) = self.asked.take() {
            asked.cut_off(self.draft.usage);
        }
    }

    /// What a request that failed has cost. A refusal costs nothing; one that was read may have, whatever came of it.
    fn charge_failure(&mut self, error: &ProviderError) {
        let begun = match &self.asking {
            Some(asking @ Ask::Streaming(_)) => {
                Some(self.counted(asking).unwrap_or_else(|| self.estimated()))
            }
            _ => None,
        };
        // The request that broke: the first one, or one that asked the answer to go on.
        let lost = error.unanswered.then(|| Tokens { output: 0, ..self.estimated() });
        let spent = match (begun, lost) {
            (Some(begun), Some(lost)) => begun.plus(lost),
            (Some(spent), None) | (None, Some(spent)) => spent,
            (None, None) => return,
        };
        self.charge(Some(spent));
        self.draft.estimated = true;
    }

    /// The provider counts what it writes at the end; until then our own estimate may be more.
    pub(crate) fn counted(&self, asking: &Ask) -> Option<Tokens> {
        let Ask::Streaming(stream) = asking else { return None };
        let counted = stream.tokens()?;
        let written = self.estimated().output;
        Some(Tokens { output: counted.output.max(written), ..counted })
    }
}

/// Keeps the model within what the turn may still write, without asking for more than the model can.
pub(crate) fn cap_output(request: &mut ModelRequest, model: &Model, left: u64) {
    let wanted = request.parameters.max_tokens;
    let most = model.info().max_output.unwrap_or(u64::MAX);
    let capped = wanted.unwrap_or(most).min(most).min(left.max(1));
    // An uncapped request leaves the choice to the provider: many refuse numbers above their own limit.
    let unlimited = wanted.is_none() && left >= model.info().max_output.unwrap_or(32_000);
    request.parameters.max_tokens = (!unlimited).then_some(capped);
}
