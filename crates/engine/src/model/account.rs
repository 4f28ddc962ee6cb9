//! What a request has cost, whatever became of it: as the provider counted it, or as we estimate it.

use crate::model::asking::{Asking, RunningRequest, Window};
use domain::Usage;
use prompt::token_count;
use provider::{ProviderError, Tokens};

impl Asking {
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
    pub(super) fn estimated(&self) -> Tokens {
        let Ok(model) = &self.model else { return Tokens::default() };
        let output = model.estimate(&self.draft.text).saturating_add(model.estimate(&self.draft.thinking));
        Tokens { input: self.draft.prompt_tokens, output, ..Tokens::default() }
    }

    pub(super) fn charge(&mut self, counted: Option<Tokens>) {
        self.draft.usage = self.usage(counted);
        self.draft.estimated |= counted.is_none();
    }

    /// A message that is cut off has cost something too: what the provider has counted, or what we can. What was never sent
    /// has cost nothing.
    pub(crate) fn account_for_draft(&mut self) {
        self.retry = None;
        let Some(stream) = self.stream.take() else { return };
        if self.draft.sent.count() > 0 {
            self.charge(self.counted(&stream));
            self.draft.estimated = true;
        }
        if let Some(span) = self.span.take() {
            span.cut_off(self.draft.usage);
        }
    }

    /// What a request that failed has cost. A refusal costs nothing; one that was read may have, whatever came of it.
    pub(super) fn charge_failure(&mut self, error: &ProviderError) {
        let begun = match &self.stream {
            Some(stream @ RunningRequest::Streaming(_)) => {
                Some(self.counted(stream).unwrap_or_else(|| self.estimated()))
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

    /// What the provider has counted so far, and no less than was written.
    pub(super) fn counted(&self, stream: &RunningRequest) -> Option<Tokens> {
        let RunningRequest::Streaming(stream) = stream else { return None };
        Some(at_least(stream.tokens()?, self.estimated().output))
    }

    /// What the provider has counted makes the next estimate better.
    pub(super) fn learn(&self, window: &Window, counted: Option<Tokens>) {
        let pictures = self.request.as_ref().is_some_and(token_count::has_pictures);
        if let (Ok(model), Some(counted), false) = (&self.model, counted, pictures) {
            model.counted(window.prompt_tokens, counted.input);
        }
    }
}

/// The provider counts what it writes at the end; until then our own estimate may be more.
pub(super) fn at_least(counted: Tokens, written: u64) -> Tokens {
    Tokens { output: counted.output.max(written), ..counted }
}
