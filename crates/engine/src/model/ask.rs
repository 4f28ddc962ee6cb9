//! Sends the prompt of the open message to the model, and makes the message of what comes back. What the model's text wants
//! done is not read here: `calls/text_calls.rs` does that.

use crate::{
    claim::{
        planned_call::PlannedCall,
        turn_context::{Inputs, TurnContext, TurnView},
    },
    follow::open_message::Live,
    model::read_stream::StreamReader,
    model::{
        asking::{Asking, RetryWait, RunningRequest, Window},
        draft::Draft,
        side_request::cut_to,
    },
    telemetry::ModelCallSpan,
    wording,
};
use domain::{CallId, EffectClass, StopReason};
use prompt::token_count;
use provider::{Completion, ErrorKind, Model, ModelRequest, ProposedCall, ProviderError, Stop};
use std::time::Duration;
use store::audit::AuditEntry;
use tokio::time::Instant;
use tracing::Instrument;
use turn::{Failure, Input, NewCall, Retry};

/// No wait is longer than this, whatever the provider says.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3_600);

impl Asking {
    /// Asks now, or after the wait the machine wants. Money is reserved when the wait is over, by what holds then.
    pub(crate) async fn ask_after(
        &mut self,
        at: &mut TurnView<'_>,
        window: &mut Window,
        audits: &mut Vec<AuditEntry>,
        (delay, most_output): (Duration, u64),
    ) -> Inputs {
        if delay.is_zero() {
            return self.pay_and_ask(at, window, audits, most_output).await;
        }
        let until = Instant::now() + delay.min(LONGEST_WAIT);
        self.retry = Some(RetryWait { until, most_output });
        Ok(Vec::new())
    }

    /// Reserves what the request may cost and sends it. `audits` gets what the gate decides about the model.
    pub(crate) async fn pay_and_ask(
        &mut self,
        at: &mut TurnView<'_>,
        window: &mut Window,
        audits: &mut Vec<AuditEntry>,
        most_output: u64,
    ) -> Inputs {
        // THREAT[gate-17] Whoever may no longer use an agent spends nothing of its owner's any more.
        if at.owner.unshared {
            let error = ProviderError::new(ErrorKind::Configuration, wording::NOT_SHARED);
            return Ok(vec![self.fail(window, error)]);
        }
        let unpaid = self.hold_back(at, audits, most_output).await?;
        let heard = match unpaid {
            Some(input) => Some(input),
            None => self.send(at.turn, window, most_output),
        };
        Ok(heard.into_iter().collect())
    }

    /// Sends the prompt. Gives what the machine is to hear if that cannot be done.
    fn send(&mut self, turn: &TurnContext, window: &mut Window, max_output_tokens: u64) -> Option<Input> {
        let model = match &self.model {
            Ok(model) => model.clone(),
            Err(error) => {
                let error = error.clone();
                return Some(self.fail(window, error));
            }
        };
        let mut request = self.request.clone()?;
        window.prompt_tokens = token_count::of_request(&model, &request);
        self.draft = Draft {
            prompt_tokens: window.prompt_tokens,
            model: model.id().to_owned(),
            reader: StreamReader::new(turn.agent.markup),
            most_output: max_output_tokens,
            ..Draft::default()
        };
        cap_output(&mut request, &model, max_output_tokens);
        if let Some(paid) = self.paid {
            request.parameters = paid.bound(request.parameters);
        }
        let (span, sent) = (ModelCallSpan::new(&model), self.draft.sent.clone());
        let connecting = async move { model.stream(request, &sent).await };
        self.stream = Some(RunningRequest::Connecting(Box::pin(connecting.instrument(span.span()))));
        self.span = Some(span);
        None
    }

    fn fail(&mut self, window: &Window, error: ProviderError) -> Input {
        let retry = match error.kind {
            _ if !error.is_retryable() => Retry::Never,
            // It was waited for already, or has nothing to say.
            ErrorKind::Stalled | ErrorKind::Empty => Retry::Once,
            ErrorKind::Truncated => Retry::Few,
            _ => Retry::Patiently,
        };
        self.fail_with(window, error, retry)
    }

    fn fail_with(&mut self, window: &Window, error: ProviderError, retry: Retry) -> Input {
        let failure = Failure {
            retry,
            retry_after_ms: error.retry_after.and_then(|wait| u64::try_from(wait.as_millis()).ok()),
        };
        if let (Ok(model), ErrorKind::ContextTooLong) = (&self.model, error.kind) {
            // It had at least so many.
            model.counted(window.prompt_tokens, model.window().max(window.prompt_tokens));
        }
        if let Some(span) = self.span.take() {
            span.failed(error.code(), self.draft.usage);
        }
        tracing::info!(code = error.code(), ?retry, "the model did not answer");
        self.failure = Some(error);
        Input::ModelFailed(failure)
    }

    /// Adds words to the open message. Gives those for which there was room, and whether that were all of them.
    pub(crate) fn add_text(&mut self, turn: &TurnContext, mut text: String) -> (String, bool) {
        let whole = cut_to(&mut text, self.room_left(turn));
        self.draft.text.push_str(&text);
        (text, whole)
    }

    /// Adds what the model thinks to the open message.
    pub(crate) fn add_thinking(
        &mut self,
        turn: &TurnContext,
        window: &Window,
        mut text: String,
    ) -> Option<Input> {
        let whole = cut_to(&mut text, self.room_left(turn));
        self.draft.thinking.push_str(&text);
        turn.feed.push([Live::thinking(&text)]);
        self.grown(turn, window, whole)
    }

    /// The message has grown: it ends here if it has become too long.
    pub(crate) fn grown(&mut self, turn: &TurnContext, window: &Window, whole: bool) -> Option<Input> {
        if whole && self.draft.length() <= turn.engine.inner.settings.turn.reply_bytes {
            return None;
        }
        // THREAT[engine-01]: a model that never stops writing must not fill the memory.
        self.account_for_draft();
        Some(if self.draft.is_silent() {
            self.fail_silent(window, Stop::Length)
        } else {
            let (stop, usage) = (StopReason::Length, self.draft.usage);
            Input::ModelDone { stop, calls: Vec::new(), usage }
        })
    }

    /// The request has failed.
    pub(crate) fn broke(&mut self, window: &Window, error: ProviderError) -> Input {
        self.charge_failure(&error);
        self.stream = None;
        self.fail(window, error)
    }

    /// The stream ended without saying that the message is complete.
    pub(crate) fn broke_off(&mut self, window: &Window) -> Input {
        self.account_for_draft();
        let error = ProviderError::new(ErrorKind::Truncated, "the reply broke off before its end");
        self.fail(window, error)
    }

    /// No person is left without a word: an answer without one is a failure.
    fn fail_silent(&mut self, window: &Window, stop: Stop) -> Input {
        let (kind, detail, retry) = match stop {
            Stop::Filtered => {
                (ErrorKind::Refused, "the filter of the provider blocked the whole reply", Retry::Never)
            }
            Stop::Length => {
                let detail = "the model reached the length limit before it wrote anything";
                (ErrorKind::Empty, detail, Retry::Never)
            }
            _ => (ErrorKind::Empty, "the model sent an empty reply", Retry::Once),
        };
        self.fail_with(window, ProviderError::new(kind, detail), retry)
    }

    /// The message is complete. `from_text`: the calls that only its end made clear.
    pub(crate) fn completed(
        &mut self,
        turn: &TurnContext,
        window: &Window,
        mut from_text: Vec<PlannedCall>,
        completion: Completion,
    ) -> Input {
        // What only the end made clear counts where it is the end.
        from_text.retain(|_| completion.stop.is_whole());
        self.charge(completion.tokens);
        if self.draft.is_silent() && from_text.is_empty() && completion.calls.is_empty() {
            return self.fail_silent(window, completion.stop);
        }
        let calls: Vec<PlannedCall> =
            completion.calls.into_iter().map(|call| native_call(turn, call)).collect();
        let stop = match completion.stop {
            _ if !calls.is_empty() => StopReason::ToolUse,
            Stop::Completed | Stop::ToolUse => StopReason::Completed,
            Stop::Length => StopReason::Length,
            Stop::Filtered | Stop::Other => StopReason::Interrupted,
        };
        let usage = self.draft.usage;
        self.learn(window, completion.tokens);
        let both = from_text.iter().chain(&calls);
        let new = both.map(|call| NewCall { id: call.id, class: call.class }).collect();
        self.draft.text_calls.extend(from_text);
        self.draft.calls = calls;
        self.draft.order = completion.parts;
        if let Some(span) = self.span.take() {
            span.answered(usage);
        }
        Input::ModelDone { stop, calls: new, usage }
    }
}

fn native_call(turn: &TurnContext, call: ProposedCall) -> PlannedCall {
    let class = turn.resolved.tool(&call.name).map_or(EffectClass::Effect, |tool| tool.class);
    PlannedCall::native(CallId::from_uuid(turn.new_uuid()), class, call)
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
