//! Calls that are addressed to a person: the question that a call asks.

use crate::claim::{planned_call::PlannedCall, turn_context::TurnContext};
use domain::{Question, QuestionId, QuestionMode, QuestionStatus};
use serde_json::Value;

const QUESTION_CHARS: usize = 10_000;
const OPTIONS: usize = 100;
/// No question waits longer than a month.
const LONGEST_MS: u64 = 30 * 24 * 3_600 * 1_000;

/// The question that a call asks, or why it asks none.
pub(super) fn question_of(turn: &TurnContext, call: &PlannedCall) -> Result<Question, String> {
    let arguments = &call.arguments;
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::trim);
    let asked = ["question", "message", "text"].iter().find_map(|name| text(name));
    let asked = asked.filter(|asked| !asked.is_empty()).ok_or("the question is empty")?;
    if asked.chars().count() > QUESTION_CHARS {
        return Err(format!("a question must have at most {QUESTION_CHARS} characters"));
    }
    let timeout_ms = timeout(arguments);
    Ok(Question {
        id: QuestionId::from_uuid(turn.new_uuid()),
        session_id: turn.session.id,
        turn_id: turn.turn_id,
        call_id: call.id,
        question: asked.to_owned(),
        mode: if timeout_ms.is_some() { QuestionMode::Timeout } else { QuestionMode::Demand },
        timeout_ms,
        options: options(arguments)?,
        default: text("default").filter(|default| !default.is_empty()).map(str::to_owned),
        status: QuestionStatus::Pending,
        answer: None,
        created_at: turn.engine.now(),
    })
}

fn timeout(arguments: &Value) -> Option<u64> {
    let demanded = arguments.get("mode").and_then(Value::as_str) == Some("demand")
        || arguments.get("demand").and_then(Value::as_bool) == Some(true);
    if demanded {
        return None;
    }
    let seconds = |value: &Value| match value {
        Value::Number(number) => number.as_u64().and_then(|seconds| seconds.checked_mul(1_000)),
        Value::String(text) => {
            let digits = text.trim().trim_end_matches('s').trim();
            digits.parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1_000))
        }
        _ => None,
    };
    let given = arguments.get("timeout_ms").and_then(Value::as_u64);
    let wait = given.or_else(|| arguments.get("timeout").and_then(seconds));
    wait.filter(|wait| *wait > 0).map(|wait| wait.min(LONGEST_MS))
}

fn options(arguments: &Value) -> Result<Vec<String>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let options: Vec<String> = match arguments.get("options") {
        Some(Value::Array(items)) => items.iter().filter_map(text).collect(),
        Some(Value::String(list)) => list.split(',').map(|one| one.trim().to_owned()).collect(),
        _ => Vec::new(),
    };
    let options: Vec<String> = options.into_iter().filter(|option| !option.is_empty()).collect();
    if options.len() > OPTIONS {
        return Err(format!("a question may offer at most {OPTIONS} options"));
    }
    Ok(options)
}
