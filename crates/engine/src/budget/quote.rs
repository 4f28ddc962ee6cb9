//! What a request may cost: worked out from the model's price and the size of the request before money is reserved.

use domain::Parameters;
use prompt::token_count;
use provider::{Model, ModelRequest, Tokens};
use store::budgets::Range;

/// An answer that may have fewer tokens than this is not asked for.
const LEAST_OUTPUT: u64 = 512;
/// What a model may write whose own limit is not known.
const USUAL_OUTPUT: u64 = 8_192;
const MILLION: u64 = 1_000_000;

/// What is asked of a model, as far as money is concerned.
pub(crate) struct QuotedRequest<'a> {
    pub(crate) request: &'a ModelRequest,
    /// What it may write.
    pub(crate) most_output: u64,
    /// Tokens that it is told besides: the beginning of an answer that goes on.
    pub(crate) besides: u64,
    /// What that beginning has cost.
    pub(crate) before: u64,
}

impl<'a> QuotedRequest<'a> {
    pub(crate) const fn new(request: &'a ModelRequest, most_output: u64) -> Self {
        Self { request, most_output, besides: 0, before: 0 }
    }
}

/// What a request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// For the prompt.
    input: u64,
    /// For a million tokens that the model writes.
    per_million: u64,
    /// What the model would be allowed to write.
    wanted: u64,
    /// What it writes on top, where it thinks before it speaks.
    besides: u64,
}

impl Quote {
    /// `None` when the price is not known.
    pub(crate) fn of(model: &Model, asked: &QuotedRequest<'_>) -> Option<Self> {
        let QuotedRequest { request, most_output, besides, .. } = *asked;
        // Estimates are rather too high than too low; a half on top, and what wires add, make it a bound.
        let expected = token_count::of_request(model, request).saturating_add(besides);
        let input = expected.saturating_add(expected / 2).saturating_add(200);
        let plain = model.cost(Tokens { input, ..Tokens::default() })?;
        let stored = model.cost(Tokens { input, stored: input, ..Tokens::default() })?;
        let parameters = request.parameters;
        let usual = model.info().max_output.unwrap_or(USUAL_OUTPUT);
        let wanted = parameters.max_tokens.unwrap_or(usual).min(usual).min(most_output).max(1);
        let all = model.reply_tokens(&Parameters { max_tokens: Some(wanted), ..parameters });
        Some(Self {
            input: plain.max(stored),
            per_million: model.cost(Tokens { output: MILLION, ..Tokens::default() })?,
            wanted,
            besides: all.saturating_sub(wanted),
        })
    }

    pub(crate) fn is_free(self) -> bool {
        self.input == 0 && self.per_million == 0
    }

    fn with_output(self, tokens: u64) -> u64 {
        let tokens = u128::from(tokens.saturating_add(self.besides));
        let output = tokens.saturating_mul(self.per_million.into()).div_ceil(MILLION.into());
        self.input.saturating_add(u64::try_from(output).unwrap_or(u64::MAX))
    }

    /// The least that makes sense, and all of it.
    pub(crate) fn range(self, before: u64) -> Range {
        let least = self.with_output(self.wanted.min(LEAST_OUTPUT));
        Range { before, least, most: self.with_output(self.wanted) }
    }

    /// What the model may write for so much.
    pub(crate) fn affords(self, granted: u64) -> u64 {
        if granted >= self.with_output(self.wanted) || self.per_million == 0 {
            return self.wanted;
        }
        let left = u128::from(granted.saturating_sub(self.input)).saturating_mul(MILLION.into());
        let tokens = u64::try_from(left / u128::from(self.per_million)).unwrap_or(u64::MAX);
        tokens.saturating_sub(self.besides).clamp(1, self.wanted)
    }
}

#[cfg(test)]
#[path = "quote_tests.rs"]
mod tests;
