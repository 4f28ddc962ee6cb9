//! Does the agent go round in circles? The machine counts; here is what makes two calls, and what came of them, equal.

use crate::{
    calls::call_table::CallTable,
    claim::{record::Record, step_machine::step},
};
use domain::CallId;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use turn::{Decision, Input};

impl CallTable {
    /// Tells the machine what came of a call that is about to be settled, so that it can compare.
    pub(crate) fn compare_outcome(&self, record: &mut Record, input: &Input) {
        let call = match input {
            Input::CallDone { call, .. } | Input::CallDecided { call, decision: Decision::Deny } => *call,
            _ => return,
        };
        let Some(digest) = self.outcome_digest(call) else { return };
        (record.state, _) = step(record.state.clone(), Input::CallCompared { call, digest });
    }

    /// Equal for equal names, arguments (whatever the order of their keys), statuses and results. How long it took is
    /// nothing that came of it.
    fn outcome_digest(&self, call: CallId) -> Option<u64> {
        let (planned, outcome) = (self.calls.get(&call)?, self.results.get(&call)?);
        let came = timeless(&outcome.content);
        let what = json!([planned.name, planned.made.target, planned.arguments, outcome.status, came]);
        let digest = Sha256::digest(what.to_string());
        let mut first = [0; 8];
        first.iter_mut().zip(digest).for_each(|(byte, digested)| *byte = digested);
        Some(u64::from_be_bytes(first))
    }
}

fn timeless(content: &str) -> Value {
    match serde_json::from_str(content) {
        Ok(Value::Object(mut fields)) => {
            fields.remove("duration_ms");
            Value::Object(fields)
        }
        _ => Value::from(content),
    }
}

#[cfg(test)]
#[path = "loop_guard_tests.rs"]
mod tests;
