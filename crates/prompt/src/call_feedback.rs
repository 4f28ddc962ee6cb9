//! How the results of calls in a text go back to the agent: blocks of one message, made by the house.

use domain::{CallId, Origin, Part, ResultStatus};
use markup::{Target, feedback};
use serde_json::Value;
use std::collections::HashMap;

/// What came of calls: how each ended, and its content.
pub type Results = HashMap<CallId, (ResultStatus, String)>;

const NO_RESULT: &str = "interrupted: no result of this call was recorded";

/// A stored result in words: text as it is, an error without its wrapping, everything else as JSON in lines.
pub fn result_of(content: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(content) else { return content.to_owned() };
    match &value {
        Value::Object(fields) if fields.len() == 1 => match fields.get("error").and_then(Value::as_str) {
            Some(error) => error.to_owned(),
            None => feedback::result_text(&value),
        },
        other => feedback::result_text(other),
    }
}

/// The blocks for the calls of a message that stand in its text; `None` when there are none. They are taken out of the
/// results.
pub fn message(content: &str, parts: &[Part], results: &mut Results) -> Option<String> {
    let mut calls: Vec<AnsweredCall> =
        parts.iter().filter_map(|part| AnsweredCall::of(part, results)).collect();
    if calls.iter().any(|call| call.origin == Origin::Assertion) {
        return Some(assertions(content, &mut calls));
    }
    (!calls.is_empty()).then(|| feedback::message(calls.iter().map(AnsweredCall::outcome)))
}

/// Each operation by the name that the agent gave it, and pipelines apart.
fn assertions(content: &str, calls: &mut [AnsweredCall]) -> String {
    let labels = markup::operation_labels(content);
    let mut blocks = Vec::with_capacity(calls.len());
    let mut last = None;
    let own = calls.iter_mut().filter(|call| call.origin == Origin::Assertion);
    for (place, call) in own.enumerate() {
        let label = labels.get(place);
        if let Some(label) = label {
            call.name.clone_from(&label.name);
        }
        let pipeline = label.and_then(|label| label.pipeline.as_ref());
        if let Some(key) = pipeline.filter(|key| last != Some(*key)) {
            blocks.push(feedback::pipeline_heading(key));
        }
        last = pipeline;
        blocks.push(call.outcome().block());
    }
    blocks.join("\n\n")
}

/// A call of a text, with what came of it.
struct AnsweredCall {
    origin: Origin,
    target: Target,
    name: String,
    reference: String,
    status: ResultStatus,
    content: String,
}

impl AnsweredCall {
    fn of(part: &Part, results: &mut Results) -> Option<Self> {
        let Part::Call { call_id, name, origin, target, reference, .. } = part else { return None };
        if *origin == Origin::Native {
            return None;
        }
        let result = results.remove(call_id);
        let (status, content) = result.unwrap_or_else(|| (ResultStatus::Unknown, NO_RESULT.to_owned()));
        Some(Self {
            origin: *origin,
            target: Target::parse(target.as_deref().unwrap_or("@system")),
            name: name.clone(),
            reference: reference.clone().unwrap_or_default(),
            status,
            content: result_of(&content),
        })
    }

    fn outcome(&self) -> feedback::ReportedCall<'_> {
        feedback::ReportedCall {
            origin: self.origin,
            target: &self.target,
            name: &self.name,
            reference: &self.reference,
            status: self.status,
            content: &self.content,
        }
    }
}
