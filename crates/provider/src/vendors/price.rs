//! Tokens and what they cost. Money is integer micro-USD.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MILLION: u128 = 1_000_000;

/// What a provider reported for one request. Of `input`, `cached` is what it had seen before and `stored` what it kept
/// for the next time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    pub stored: u64,
}

impl Tokens {
    /// Of two requests that made one answer.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
            stored: self.stored.saturating_add(other.stored),
        }
    }
}

/// Micro-USD per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: u64,
    /// For tokens read from the provider's cache; absent = as `input`.
    #[serde(default)]
    pub cached: Option<u64>,
    /// For tokens that the provider puts into its cache; absent = as `input`.
    #[serde(default)]
    pub stored: Option<u64>,
    pub output: u64,
}

/// What people have said about the prices of a provider; it counts more than what anybody else says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Of each model that is not named.
    #[serde(default)]
    pub usual: Option<Price>,
    #[serde(default)]
    pub models: BTreeMap<String, Price>,
}

impl Prices {
    pub fn of(&self, model: &str) -> Option<Price> {
        self.models.get(model).copied().or(self.usual)
    }

    pub fn is_empty(&self) -> bool {
        self.usual.is_none() && self.models.is_empty()
    }
}

impl Price {
    /// As they are written.
    pub const FIELDS: [&'static str; 4] = ["input", "cached", "stored", "output"];

    /// A dollar for each token: more is a mistake.
    pub const MOST: u64 = 1_000_000_000_000;

    /// What cannot be meant.
    pub fn problem(self) -> Option<&'static str> {
        let parts = [Some(self.input), self.cached, self.stored, Some(self.output)];
        parts
            .into_iter()
            .flatten()
            .any(|part| part > Self::MOST)
            .then_some("must not be above one dollar for each token")
    }

    pub const FREE: Self = Self { input: 0, cached: Some(0), stored: Some(0), output: 0 };

    /// Rounded up to a whole micro-USD, so that a budget never undercounts.
    pub fn cost(self, tokens: Tokens) -> u64 {
        let cached = tokens.cached.min(tokens.input);
        let stored = tokens.stored.min(tokens.input - cached);
        let fresh = u128::from(tokens.input - cached - stored) * u128::from(self.input);
        let kept = u128::from(stored) * u128::from(self.stored.unwrap_or(self.input));
        let reread = u128::from(cached) * u128::from(self.cached.unwrap_or(self.input));
        let written = u128::from(tokens.output) * u128::from(self.output);
        let total =
            fresh.saturating_add(kept).saturating_add(reread).saturating_add(written).div_ceil(MILLION);
        u64::try_from(total).unwrap_or(u64::MAX)
    }
}

/// Tokens that a text will take: four ASCII bytes each, two digits or bytes of anything else. Deliberately on the high side.
pub(crate) fn estimate(text: &str) -> u64 {
    // In pieces whose count fits into a byte: the compiler then looks at many bytes at once.
    let in_piece = |piece: &[u8]| {
        piece.iter().map(|byte| u8::from(!byte.is_ascii() || byte.is_ascii_digit())).sum::<u8>()
    };
    let dense: usize = text.as_bytes().chunks(255).map(|piece| usize::from(in_piece(piece))).sum();
    u64::try_from(text.len().saturating_add(dense).div_ceil(4)).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
