//! Talking to the model: one request, its stream, and the message that grows from it.

use crate::{
    dispatch::Planned, notice, observe::Asked, open_message::Live, reading::Reading, tokens, worker::Worker,
};
use domain::{CallId, EffectClass, Part, StopReason, Usage};
use futures_util::future::BoxFuture;
use provider::{
    Completion, ErrorKind, Model, ModelEvent, ModelRequest, ModelStream, ProviderError, ReplyPart, Stop,
    Tokens,
};
use std::time::Duration;
use tracing::Instrument;
use turn::{Failure, Input, NewCall};

/// The message the model is writing, as far as it has come.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) calls: Vec<Planned>,
    /// Those that stand in the text, in its order.
    pub(crate) text_calls: Vec<Planned>,
    /// Reads the text for elements and calls; none when it is plain words.
    pub(crate) reading: Option<Reading>,
    /// The complete message in the order of its wire, where that order is worth keeping.
    order: Vec<ReplyPart>,
    /// The model that writes it.
    model: String,
    pub(crate) usage: Usage,
    /// In how many further model calls it takes part, if a hook has said so.
    pub(crate) duration: Option<u32>,
    /// An estimate of what was sent, for providers that do not report it.
    prompt_tokens: u64,
}

impl Draft {
    pub(crate) fn parts(&self) -> Vec<Part> {
        if !self.order.is_empty() {
            let ordered = self.order.iter().filter_map(|part| self.ordered(part));
            return ordered.chain(self.text_calls.iter().map(call_part)).collect();
        }
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(Part::Thinking { text: self.thinking.clone() });
        }
        if !self.text.is_empty() {
            parts.push(Part::Text { text: self.text.clone() });
        }
        parts.extend(self.text_calls.iter().chain(&self.calls).map(call_part));
        parts
    }

    fn ordered(&self, part: &ReplyPart) -> Option<Part> {
        Some(match part {
            ReplyPart::Text(text) => Part::Text { text: text.clone() },
            ReplyPart::Thinking(text) => Part::Thinking { text: text.clone() },
            ReplyPart::Call(index) => call_part(self.calls.get(*index)?),
            ReplyPart::Native { json, replaces } => {
                Part::Native { model: self.model.clone(), json: json.clone(), replaces: *replaces }
            }
        })
    }

    fn length(&self) -> usize {
        let elements = self.reading.as_ref().map_or(0, Reading::weight);
        self.text.len() + self.thinking.len() + elements
    }
}

fn call_part(call: &Planned) -> Part {
    Part::Call {
        call_id: call.id,
        name: call.name.clone(),
        arguments: call.arguments.clone(),
        origin: call.origin,
        element_id: call.made.element_id.clone(),
        target: call.made.target.clone(),
        reference: call.made.reference.clone(),
    }
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
    pub(crate) async fn pay_and_ask(&mut self, delay: Duration, max_output_tokens: u64) {
        // THREAT[gate-17] Whoever may no longer use an agent spends nothing of its owner's any more.
        if self.unshared {
            return self.fail(ProviderError::new(ErrorKind::Configuration, notice::NOT_SHARED));
        }
        if self.hold_back(max_output_tokens).await {
            self.ask_model(delay, max_output_tokens);
        }
    }

    /// Sends the prompt, after the wait the machine asked for.
    fn ask_model(&mut self, delay: Duration, max_output_tokens: u64) {
        let model = match &self.model {
            Ok(model) => model.clone(),
            Err(error) => {
                let error = error.clone();
                return self.fail(error);
            }
        };
        let Some(mut request) = self.request.clone() else { return };
        let (prompt_tokens, id) = (tokens::of_messages(&model, &request.messages), model.id().to_owned());
        let reading = Reading::new(self.agent.markup);
        self.weighed = tokens::of_request(&model, &request);
        self.draft = Draft { prompt_tokens, model: id, reading, ..Draft::default() };
        cap_output(&mut request, &model, max_output_tokens);
        if let Some(paid) = self.paid {
            request.parameters = paid.bound(request.parameters);
        }
        let asked = Asked::new(&model);
        let connecting = async move {
            tokio::time::sleep(delay).await;
            model.stream(request).await
        };
        self.asking = Some(Ask::Connecting(Box::pin(connecting.instrument(asked.span()))));
        self.asked = Some(asked);
    }

    fn fail(&mut self, error: ProviderError) {
        let failure = Failure {
            retryable: error.is_retryable(),
            retry_after_ms: error.retry_after.and_then(|wait| u64::try_from(wait.as_millis()).ok()),
        };
        if let (Ok(model), ErrorKind::ContextTooLong) = (&self.model, error.kind) {
            // It had at least so many.
            model.counted(self.weighed, model.window().max(self.weighed));
        }
        if let Some(asked) = self.asked.take() {
            asked.failed(error.code(), self.draft.usage);
        }
        tracing::info!(code = error.code(), retryable = failure.retryable, "the model did not answer");
        self.failure = Some(error);
        self.heard.push_back(Input::ModelFailed(failure));
    }

    /// What one event of the model means for the turn, if anything.
    pub(crate) fn model_said(&mut self, event: Option<Result<ModelEvent, ProviderError>>) -> Option<Input> {
        match event {
            Some(Ok(ModelEvent::Text(text))) => {
                self.draft.text.push_str(&text);
                self.read_on(&text);
                self.grown()
            }
            Some(Ok(ModelEvent::Thinking(text))) => {
                self.draft.thinking.push_str(&text);
                self.feed.push([Live::thinking(&text)]);
                self.grown()
            }
            Some(Ok(ModelEvent::Done(completion))) => {
                self.asking = None;
                self.completed(completion)
            }
            Some(Err(error)) => {
                self.draft.usage = self.spent(&error);
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

    fn grown(&mut self) -> Option<Input> {
        if self.draft.length() <= self.engine.inner.settings.reply_bytes {
            return None;
        }
        // THREAT[engine-01]: a model that never stops writing must not fill the memory.
        self.account_for_draft();
        Some(Input::ModelDone { stop: StopReason::Length, calls: Vec::new(), usage: self.draft.usage })
    }

    fn completed(&mut self, completion: Completion) -> Option<Input> {
        if completion.stop == Stop::Filtered && self.draft.length() == 0 {
            self.fail(ProviderError::new(
                ErrorKind::Refused,
                "the provider's filter held the whole answer back",
            ));
            return self.heard.pop_front();
        }
        let from_text = self.finish_reading();
        let calls: Vec<Planned> = completion.calls.into_iter().map(|call| self.plan_call(call)).collect();
        let stop = match completion.stop {
            _ if !calls.is_empty() => StopReason::ToolUse,
            Stop::Completed | Stop::ToolUse => StopReason::Completed,
            Stop::Length => StopReason::Length,
            Stop::Filtered => StopReason::Interrupted,
        };
        let usage = self.usage(completion.tokens);
        self.learn(completion.tokens);
        let both = || from_text.iter().chain(&calls);
        let new = both().map(|call| NewCall { id: call.id, class: call.class }).collect();
        self.calls.extend(both().map(|call| (call.id, call.clone())));
        self.draft.text_calls.extend(from_text);
        self.draft.calls = calls;
        self.draft.order = completion.parts;
        self.draft.usage = usage;
        if let Some(asked) = self.asked.take() {
            asked.answered(usage);
        }
        Some(Input::ModelDone { stop, calls: new, usage })
    }

    /// What the provider has counted makes the next estimate better.
    fn learn(&self, counted: Option<Tokens>) {
        let pictures = self.request.as_ref().is_some_and(tokens::has_pictures);
        if let (Ok(model), Some(counted), false) = (&self.model, counted, pictures) {
            model.counted(self.weighed, counted.input);
        }
    }

    fn plan_call(&self, call: provider::ProposedCall) -> Planned {
        let class = self.resolved.tool(&call.name).map_or(EffectClass::Effect, |tool| tool.class);
        Planned::native(CallId::from_uuid(self.new_uuid()), class, call)
    }

    /// What the request cost; an estimate where the provider does not say.
    fn usage(&self, tokens: Option<Tokens>) -> Usage {
        let Ok(model) = &self.model else { return Usage::ZERO };
        let tokens = tokens.unwrap_or_else(|| Tokens {
            input: self.draft.prompt_tokens,
            output: model.estimate(&self.draft.text) + model.estimate(&self.draft.thinking),
            ..Tokens::default()
        });
        Usage {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cached_tokens: tokens.cached,
            cost_microusd: model.cost(tokens),
        }
    }

    /// A message that is cut off has cost something too: what the provider has counted, or what we can.
    pub(crate) fn account_for_draft(&mut self) {
        let Some(asking) = self.asking.take() else { return };
        self.draft.usage = self.usage(self.counted(&asking));
        if let Some(asked) = self.asked.take() {
            asked.cut_off(self.draft.usage);
        }
    }

    /// What a request that failed has cost. A refusal costs nothing; a silence may.
    fn spent(&self, error: &ProviderError) -> Usage {
        match &self.asking {
            Some(asking @ Ask::Streaming(_)) => self.usage(self.counted(asking)),
            Some(Ask::Connecting(_)) if error.kind == ErrorKind::Stalled => self.usage(None),
            _ => Usage::ZERO,
        }
    }

    /// The provider counts what it writes at the end; until then our own estimate may be more.
    fn counted(&self, asking: &Ask) -> Option<Tokens> {
        let Ask::Streaming(stream) = asking else { return None };
        let counted = stream.tokens()?;
        let written = self.usage(None).output_tokens;
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
