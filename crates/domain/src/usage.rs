//! What a model call cost, in tokens and in money.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens and money. Money is integer micro-USD; null means that the price is not known, and a sum with an
/// unknown part is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cached_tokens: u64,
    pub cost_microusd: Option<u64>,
}

impl Usage {
    pub const ZERO: Self =
        Self { input_tokens: 0, output_tokens: 0, cached_tokens: 0, cost_microusd: Some(0) };

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cost_microusd: self.cost_microusd.zip(other.cost_microusd).map(|(a, b)| a.saturating_add(b)),
        }
    }
}

impl Default for Usage {
    fn default() -> Self {
        Self::ZERO
    }
}
