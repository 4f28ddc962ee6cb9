//! What may be spent on models. Reaching a budget pauses the turn with a message that says so; nothing is lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In integer micro-USD; what is absent is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// For one turn, with everything that it starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_turn_microusd: Option<u64>,
    /// From midnight to midnight in the time zone of the server (`limits.budget_time_zone`), wherever a person is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_day_microusd: Option<u64>,
}

impl Budget {
    /// A million dollars.
    const MOST: u64 = 1_000_000_000_000;

    pub const NONE: Self = Self { per_turn_microusd: None, per_day_microusd: None };

    /// The lower of each.
    #[must_use]
    pub fn lower(self, other: Self) -> Self {
        Self {
            per_turn_microusd: lower(self.per_turn_microusd, other.per_turn_microusd),
            per_day_microusd: lower(self.per_day_microusd, other.per_day_microusd),
        }
    }

    /// These, and the others where nothing is said.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            per_turn_microusd: self.per_turn_microusd.or(other.per_turn_microusd),
            per_day_microusd: self.per_day_microusd.or(other.per_day_microusd),
        }
    }

    /// What is out of its range, in words.
    pub fn problem(&self) -> Option<&'static str> {
        let absurd = |amount: Option<u64>| amount.is_some_and(|amount| amount > Self::MOST);
        match self {
            budget if absurd(budget.per_turn_microusd) => {
                Some("A budget must be 0 to 1,000,000 dollars (budget.per_turn_microusd).")
            }
            budget if absurd(budget.per_day_microusd) => {
                Some("A budget must be 0 to 1,000,000 dollars (budget.per_day_microusd).")
            }
            _ => None,
        }
    }
}

fn lower(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// What a person may spend. The lower one of each counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Allowance {
    /// What an admin has set; what they have not set is as in the settings file of the server.
    pub house: Budget,
    /// What the person has set themselves.
    pub own: Budget,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_one_counts_and_nothing_is_no_limit() {
        let one = Budget { per_turn_microusd: Some(5), per_day_microusd: None };
        let other = Budget { per_turn_microusd: Some(7), per_day_microusd: Some(9) };
        let lower = Budget { per_turn_microusd: Some(5), per_day_microusd: Some(9) };
        assert_eq!((one.lower(other), other.lower(one)), (lower, lower));
        assert_eq!(one.or(other), lower);
        assert_eq!(other.or(one), other);
        assert_eq!(Budget::NONE.lower(Budget::NONE), Budget::NONE);
    }
}
