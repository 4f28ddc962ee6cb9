//! The agent's parameters in the words of this wire. What a model does not take is left out.

use crate::accepts::{Accepts, Thinking};
use domain::{Parameters, Reasoning};
use serde_json::{Map, Value, json};

/// The wire wants a limit with each request; this is ours where neither agent nor owner sets one, within what the model can.
const DEFAULT_OUTPUT: u64 = 16_384;
/// Every model of this wire can write this much.
const SAFE_OUTPUT: u64 = 4_096;
/// The least that may be given to thinking.
const LEAST_BUDGET: u64 = 1_024;

/// Tokens that an answer may take.
pub(crate) fn reply_tokens(parameters: &Parameters, accepts: &Accepts) -> u64 {
    let most = accepts.max_output.unwrap_or(SAFE_OUTPUT.max(parameters.max_tokens.unwrap_or(0)));
    let usual = DEFAULT_OUTPUT.saturating_add(budget(parameters.reasoning, accepts).unwrap_or(0));
    parameters.max_tokens.unwrap_or(usual).min(most).max(1)
}

/// Tokens for thinking, for models that are told a number.
fn budget(reasoning: Option<Reasoning>, accepts: &Accepts) -> Option<u64> {
    if accepts.thinking != Thinking::Budget {
        return None;
    }
    match reasoning? {
        Reasoning::Off => None,
        Reasoning::Low => Some(2_048),
        Reasoning::Medium => Some(8_192),
        Reasoning::High => Some(24_576),
    }
}

/// `may_think`: the transcript allows thinking to be turned on.
pub(crate) fn write(
    body: &mut Map<String, Value>,
    parameters: &Parameters,
    accepts: &Accepts,
    may_think: bool,
) {
    let limit = reply_tokens(parameters, accepts);
    body.insert("max_tokens".to_owned(), json!(limit));
    let thinking = thinking(parameters.reasoning, accepts, limit).filter(|_| may_think);
    // A model that thinks takes no temperature, and no model takes both ways of sampling.
    if accepts.sampling && thinking.as_ref().is_none_or(|thinking| thinking["type"] == "disabled") {
        match (parameters.temperature, parameters.top_p) {
            // The scale ends at 1 here.
            (Some(temperature), _) => body.insert("temperature".to_owned(), json!(temperature.min(1.0))),
            (None, Some(top_p)) => body.insert("top_p".to_owned(), json!(top_p)),
            (None, None) => None,
        };
    }
    if let Some(thinking) = thinking {
        body.insert("thinking".to_owned(), thinking);
    }
    if let Some(effort) = effort(parameters.reasoning, accepts) {
        body.insert("output_config".to_owned(), json!({"effort": effort}));
    }
}

fn thinking(reasoning: Option<Reasoning>, accepts: &Accepts, limit: u64) -> Option<Value> {
    match (&accepts.thinking, reasoning?) {
        (Thinking::Adaptive { always: true }, Reasoning::Off) => None,
        (Thinking::Budget | Thinking::Adaptive { .. }, Reasoning::Off) => Some(json!({"type": "disabled"})),
        (Thinking::Adaptive { .. }, _) => Some(json!({"type": "adaptive"})),
        (Thinking::Budget, _) => {
            // Thinking and the answer share the limit; the answer keeps at least as much as the least thinking.
            let budget = budget(reasoning, accepts)?.min(limit.saturating_sub(LEAST_BUDGET));
            (budget >= LEAST_BUDGET).then(|| json!({"type": "enabled", "budget_tokens": budget}))
        }
        (Thinking::Unknown | Thinking::Fixed | Thinking::Efforts(_), _) => None,
    }
}

fn effort(reasoning: Option<Reasoning>, accepts: &Accepts) -> Option<&'static str> {
    match (&accepts.thinking, reasoning?) {
        // As little as can be, where it cannot be turned off.
        (Thinking::Adaptive { always: true }, Reasoning::Off) => Some(Reasoning::Low.as_str()),
        (Thinking::Adaptive { .. }, Reasoning::Off) => None,
        (Thinking::Adaptive { .. }, reasoning) => Some(reasoning.as_str()),
        _ => None,
    }
}

#[cfg(test)]
#[path = "parameters_tests.rs"]
mod tests;
