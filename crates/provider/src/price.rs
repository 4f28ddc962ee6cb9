//! Tokens and what they cost. Money is integer micro-USD.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

impl Price {
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
    let dense = text.bytes().filter(|byte| !byte.is_ascii() || byte.is_ascii_digit()).count();
    u64::try_from(text.len().saturating_add(dense).div_ceil(4)).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
